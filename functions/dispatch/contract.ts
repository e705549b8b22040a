import type { DueWork } from '../../shared/events/due.ts';
import { dueCampaign } from '../campaigns/contract/queue.ts';
import { dueMessage, dueParkedStatus } from '../messaging/contract/queue.ts';
import { dueEndpoint } from '../webhooks/contract/queue.ts';
import { dueFollowUp, dueReminder } from '../crm/contract/work.ts';
import { dueConnection } from '../shop/contract/connection.ts';
import { dueCart } from '../shop/contract/follow-up.ts';

/** Every kind of due work, each declared by the context that owns it. */
export const dueWorks: readonly DueWork[] = [
  dueMessage,
  dueParkedStatus,
  dueReminder,
  dueFollowUp,
  dueCart,
  dueEndpoint,
  dueCampaign,
  dueConnection,
];

export const dueQueues = [...new Set(dueWorks.map((work) => work.queue))];
