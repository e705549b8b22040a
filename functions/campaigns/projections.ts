import { failuresEntity, statsEntity, statsPartEntity } from './store/stats.ts';
import { replyEntity } from './store/reply.ts';

export const projections = [statsEntity, statsPartEntity, failuresEntity, replyEntity];
