import { failuresEntity, statsEntity, statsPartEntity } from './store/recipient-batch.ts';
import { replyEntity } from './store/reply.ts';

export const projections = [statsEntity, statsPartEntity, failuresEntity, replyEntity];
