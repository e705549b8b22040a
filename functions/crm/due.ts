import { dueFollowUp, dueReminder } from './contract/work.ts';

export const due = [dueFollowUp, dueReminder];
