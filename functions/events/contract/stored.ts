import * as z from 'zod';

export const eventActor = z.object({
  kind: z.enum(['user', 'token', 'operator', 'provider', 'customer', 'system']),
  userId: z.int().optional(),
  credentialId: z.int().optional(),
});

export const storedEvent = z.object({
  type: z.string(),
  subject: z.string(),
  data: z.record(z.string(), z.unknown()),
  by: eventActor,
  /** Epoch milliseconds, to the second: when the change was written. */
  at: z.int(),
});
export type StoredEvent = z.output<typeof storedEvent>;

/**
 * Some events of one batch of the change stream. Each is written behind the last one, on the condition that no other is there: the places
 * have no gap, so that a reader who goes on from a place skips nothing.
 */
export const storedEvents = z.object({
  companyId: z.int(),
  place: z.int(),
  events: z.array(storedEvent),
  /** Up to which record of each shard the log has the events, up to here: sequence number and hour, by the name of the shard. */
  checkpoints: z.record(z.string(), z.object({ sequence: z.string(), hour: z.int() })),
  until: z.int(),
});
export type StoredEvents = z.output<typeof storedEvents>;
