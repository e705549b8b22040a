import type { CreateWebhookRequest } from '../../../client/client.ts';

/** What an endpoint may choose: an event, a family, or all. */
export type EventChoice = CreateWebhookRequest['events'][number];

const choices = [
  'message.received',
  'message.status',
  'campaign.completed',
  'campaign.paused',
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'contact.opted_out',
  'lead.created',
  'lead.updated',
  'task.created',
  'task.updated',
  'number.updated',
  'template.status',
  'template.updated',
  'product.created',
  'product.updated',
  'product.deleted',
  'order.created',
  'order.updated',
  'order.status_updated',
  'cart.abandoned',
  'verification.requested',
  'verification.successful',
  'verification.failed',
  'verification.ceiling_reached',
  'spend.alert',
  'spend.limit_reached',
  'spend.bill_differs',
] as const satisfies readonly EventChoice[];

/** An event that the API has and this list has not does not compile. */
type Missing = Exclude<EventChoice, (typeof choices)[number] | '*' | `${string}.*`>;
/** All events that an endpoint may get. */
export const webhookEvents = choices satisfies [Missing] extends [never] ? readonly EventChoice[] : never;
