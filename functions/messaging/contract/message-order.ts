import { secondOf } from '../../../shared/runtime/ids.ts';

/** What of a message says its place: its id, when it came, and when it was created. */
export interface PlacedMessage {
  id: number;
  createdAt: number;
  arrivedAt?: number | undefined;
}

/**
 * The order of a conversation, newest first: by second, then by arrival. Ids hold the second, but within it a hash, which says nothing
 * about time; see docs/decisions/message-ids.md.
 */
export const compareNewestFirst = (a: PlacedMessage, b: PlacedMessage): number =>
  secondOf(b.id) - secondOf(a.id) || arrivalOf(b) - arrivalOf(a) || b.id - a.id;

const arrivalOf = ({ arrivedAt, createdAt }: PlacedMessage): number => arrivedAt ?? createdAt;
