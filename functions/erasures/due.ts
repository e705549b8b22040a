import { dueErasure } from './contract/erasure.ts';
import { dueRetention } from './contract/retention.ts';

export const due = [dueErasure, dueRetention];
