import { tick } from './service.ts';

export const handler = async (): Promise<void> => tick();
