/**
 * Every event to which an endpoint may subscribe (decisions A53, S29, V32), by the name under which its context publishes it. A test
 * compares this list with the events that the contexts declare.
 */
export const webhookEvents = {
  'message.received': 'A person wrote',
  'message.status': 'A message you sent moved: sent, delivered, read, failed',
  'campaign.completed': 'A campaign has no recipient left to write to',
  'campaign.paused': 'A campaign was paused, by a person or by the provider',
  'contact.created': 'A contact was created or restored',
  'contact.updated': 'A contact changed',
  'contact.deleted': 'A contact was deleted or erased',
  'contact.opted_out': 'A person does not want to be written to any more',
  'lead.created': 'A lead was created',
  'lead.updated': 'A lead changed: its stage, owner or fields',
  'task.created': 'A task of a lead was created',
  'task.updated': 'A task changed, was completed or cancelled',
  'number.updated': 'The provider changed what a number may do',
  'template.status': 'A template was approved, rejected, paused or disabled',
  'template.updated': 'The provider changed the category or quality of a template, or announced it',
  'product.created': 'A product is in the catalog',
  'product.updated': 'A product changed',
  'product.deleted': 'A product left the catalog',
  'order.created': 'An order was placed',
  'order.updated': 'An order changed, its status not',
  'order.status_updated': 'An order has another status',
  'cart.abandoned': 'A checkout was left',
  'verification.requested': 'A verification was requested',
  'verification.successful': 'A person proved to own an identifier',
  'verification.failed': 'A verification failed, expired or was blocked',
  'verification.ceiling_reached': 'A profile has sent as many codes as its ceiling allows',
  'spend.alert': '50, 80 or 100 % of a spend ceiling is used up',
  'spend.limit_reached': 'A spend ceiling is reached: messages are refused until it is raised or begins anew',
  'spend.bill_differs': "The provider's bill of the last seven days differs from ours by more than 2 %",
} as const;
export type WebhookEvent = keyof typeof webhookEvents;

/** Sent on request only, to try an endpoint out. */
export const testEvent = 'webhook.test';

export const eventNames = Object.keys(webhookEvents) as WebhookEvent[];

/** What an endpoint may name: an event, all of a family, or all. */
export const eventChoices: readonly string[] = ['*', ...new Set(eventNames.map((name) => `${name.split('.')[0]}.*`)), ...eventNames];

/** The events of a choice, as of now: a family grows with its events. */
export const choiceCovers = (choice: string, event: string): boolean =>
  choice === '*' || choice === event || (choice.endsWith('.*') && event.startsWith(choice.slice(0, -1)));
