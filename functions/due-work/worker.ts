import { placeDueWork } from './service.ts';

export const handler = async (): Promise<void> => placeDueWork();
