import type { Consequence } from '../../../shared/events/react.ts';
import type { StreamPosition } from '../domain.ts';

/** A record of the stream with what follows from it. */
export interface StreamRecord {
  position: StreamPosition;
  eventId: string;
  consequences: readonly Consequence[];
}
