/**
 * What webhook endpoints get of an event beyond its ids (role file `webhook-data.ts`). Events travel on queues and on the bus without
 * personal data; the context of an event reads the rest when the deliveries are created.
 */
export interface WebhookData {
  /** The names of the events. */
  of: readonly string[];
  /** Undefined: what the event is about is not stored. Its call is about to store it, or has died. */
  read: (companyId: number, event: string, data: EventData) => Promise<EventData | undefined>;
}

export type EventData = Readonly<Record<string, unknown>>;
