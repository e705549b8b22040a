import { dueErasure } from './contract/erasure.ts';

export const due = [dueErasure];
