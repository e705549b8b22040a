import type { DynamoDBRecord } from 'aws-lambda';
import type { Consequence } from '../../../shared/events/react.ts';
import type { StreamPosition } from '../domain.ts';

/** A record of the stream with what follows from it. */
export interface StreamRecord {
  position: StreamPosition;
  eventId: string;
  /** The details of events are as their schemas leave them. */
  consequences: readonly Consequence[];
  /** As it came. */
  raw: DynamoDBRecord;
}

/** A record from which nothing follows because its item, a reaction or a projection fails, always in the same way. */
export interface UnreadableRecord {
  raw: DynamoDBRecord;
  error: unknown;
}
