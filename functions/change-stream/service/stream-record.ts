import type { DynamoDBRecord } from 'aws-lambda';
import type { Consequence, Projection } from '../../../shared/events/react.ts';
import type { StreamPosition } from '../../../shared/events/checkpoints.ts';

/** A record of the stream with what follows from it. */
export interface StreamRecord {
  position: StreamPosition;
  eventId: string;
  /** The details of events are as their schemas leave them. */
  consequences: readonly Consequence[];
  /** As it came. */
  raw: DynamoDBRecord;
  /** Of the item that changed, by its key; undefined for items of no company, and for changes that are carried out again. */
  companyId: number | undefined;
  /** Of a change that is carried out again: the parts that are left (`partOfRow`, `DeliveryPart`). Missing: all. */
  left?: ReadonlySet<string>;
}

/** The parts of a change besides its rows. */
export type DeliveryPart = 'log' | 'queues' | 'bus' | 'webhooks';
export const deliveryParts: readonly DeliveryPart[] = ['log', 'queues', 'bus', 'webhooks'];

/** The part of a change that one of its projections is, by the id that its reaction gave. */
export const partOfRow = ({ into, id }: Pick<Projection, 'into' | 'id'>): string => `${into} ${JSON.stringify(id)}`;

export const isLeft = ({ left }: StreamRecord, part: string): boolean => left === undefined || left.has(part);

/** A part of a change that the table or a queue refuses at each attempt; the others are done. */
export interface RefusedConsequence {
  record: StreamRecord;
  part: string;
  error: unknown;
}

/** A record from which nothing follows because its item, a reaction or a projection fails, always in the same way. */
export interface UnreadableRecord {
  raw: DynamoDBRecord;
  error: unknown;
  /** What of it is to be carried out once it can be; missing: all. */
  left?: readonly DeliveryPart[];
}
