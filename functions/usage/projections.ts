import { usagePartEntity } from './store.ts';

export const projections = [usagePartEntity];
