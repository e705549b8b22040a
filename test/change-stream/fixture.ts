import * as z from 'zod';
import { listSetAsideChanges } from '../../functions/change-stream/service/set-aside.ts';
import { conversationEntity } from '../../functions/conversations/store/conversation.ts';
import { messageStatuses, type StoredMessage } from '../../functions/messaging/contract/stored.ts';
import { messageEntity } from '../../functions/messaging/store/message.ts';
import type { Random } from '../support/random.ts';
import type { TestApp } from '../support/test-app.ts';

export interface Change {
  sequence: string;
  event: Record<string, unknown>;
}

/** Plain values in DynamoDB's wire form. */
export const toWire = (item: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(item)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, wireValue(value)]),
  );
const wireValue = (value: unknown): unknown => {
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  return typeof value === 'object' && value !== null ? { M: toWire(value as Record<string, unknown>) } : { S: String(value) };
};

export const inbound = (companyId: number, contactId: number, id: number): StoredMessage => ({
  companyId,
  contactId,
  id,
  inbound: true,
  type: 1,
  subtype: 'text',
  value: 'Hi',
  status: messageStatuses.delivered,
  rev: 0,
  wamid: `wamid.${companyId}-${id}`,
  attempt: 0,
  createdAt: 1_790_000_000_000 + id,
  updatedAt: 1_790_000_000_000 + id,
});

const failures = z.object({ state: z.looseObject({}), batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })) });

export const conversationOf = (companyId: number, contactId: number) =>
  conversationEntity.get({ companyId, contactId }, { consistent: true });
export const unreadOf = async (companyId: number, contactId: number) => (await conversationOf(companyId, contactId))?.unread ?? 0;
export const setAsideOf = async (eventId: unknown) => (await listSetAsideChanges()).find((each) => each.eventId === eventId);

/** What delivers records of the stream to a started product, each of them with a sequence number of its own. */
export function changesOf(testApp: TestApp) {
  let companies = 100;
  let sequences = 1n;
  const nextCompany = (): number => ++companies;
  /** A record of the stream, as Lambda gives it. */
  const change = (before: StoredMessage | undefined, after: StoredMessage | undefined, writtenAt = testApp.clock.now()): Change => {
    const sequence = String(++sequences * 1_000_003n);
    const image = (message: StoredMessage | undefined) => message && toWire(messageEntity.stored(message));
    return {
      sequence,
      event: {
        eventID: `event-${sequence}`,
        eventName: before ? 'MODIFY' : 'INSERT',
        dynamodb: {
          SequenceNumber: sequence,
          ApproximateCreationDateTime: Math.floor(writtenAt / 1_000),
          ...(before ? { OldImage: image(before) } : {}),
          ...(after ? { NewImage: image(after) } : {}),
        },
      },
    };
  };
  const deliver = async (shardId: string, changes: readonly Change[]) =>
    failures.parse(await testApp.invokeFunction('changes', { Records: changes.map(({ event }) => event), shardId, state: {} }));
  /** Delivers a shard as the event source does at its worst: in order, but cut anew and begun again from anywhere behind. */
  const deliverBadly = async (shardId: string, changes: readonly Change[], random: Random): Promise<void> => {
    let done = 0;
    while (done < changes.length) {
      const from = Math.floor(random() * (done + 1));
      const to = Math.min(changes.length, done + 1 + Math.floor(random() * 6));
      await deliver(shardId, changes.slice(from, to));
      done = to;
    }
  };
  return { nextCompany, change, deliver, deliverBadly };
}
