import { failuresEntity, statsEntity, statsPartEntity } from './store/recipient-batch.ts';

export const projections = [statsEntity, statsPartEntity, failuresEntity];
