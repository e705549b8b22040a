import { failuresEntity, statsEntity } from './store/recipient-batch.ts';

export const projections = [statsEntity, failuresEntity];
