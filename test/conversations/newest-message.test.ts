import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyMerged, applyMessage } from '../../functions/conversations/domain/conversation.ts';
import type { StoredConversation } from '../../functions/conversations/contract/stored.ts';
import { storedMessage, type StoredMessage } from '../../functions/messaging/contract/stored.ts';
import { newestFirst } from '../../functions/messaging/domain/message-order.ts';

const second = 1_790_000_000;
/** Messages of a second, whose ids are hashes within it; of inbound ones the provider gives the second, and we the time of arrival. */
const messages = fc
  .uniqueArray(fc.record({ hash: fc.nat(2 ** 21 - 1), later: fc.nat(2), arrived: fc.option(fc.nat(5_000), { nil: undefined }) }), {
    minLength: 1,
    maxLength: 8,
    selector: ({ hash, later }) => `${hash} ${later}`,
  })
  .map((given) =>
    given.map(({ hash, later, arrived }): StoredMessage => {
      const createdAt = (second + later) * 1_000;
      const id = (second + later) * 2 ** 21 + hash;
      return storedMessage.parse({
        companyId: 1,
        contactId: 7,
        id,
        inbound: arrived !== undefined,
        type: 1,
        subtype: 'text',
        value: `${id}`,
        status: 3,
        createdAt,
        updatedAt: createdAt,
        ...(arrived === undefined ? {} : { arrivedAt: createdAt + arrived }),
      });
    }),
  );
const summaryOf = (given: readonly StoredMessage[]): StoredConversation | undefined =>
  given.reduce<StoredConversation | undefined>((summary, message) => applyMessage(summary, message), undefined);

describe('the message that a list shows of a conversation', () => {
  test('is the one at the top of its thread, in whatever order the changes of a second come', () => {
    fc.assert(
      fc.property(messages, fc.infiniteStream(fc.nat()), (given, numbers) => {
        const shuffled = given.map((message) => ({ message, at: numbers.next().value })).toSorted((a, b) => a.at - b.at);
        expect(summaryOf(shuffled.map(({ message }) => message))?.lastMessageId).toBe(newestFirst(given)[0]?.id);
      }),
    );
  });

  test('is the newest of both where contacts were merged', () => {
    fc.assert(
      fc.property(messages, messages, (own, others) => {
        const [mine, theirs] = [summaryOf(own), summaryOf(others)];
        if (!mine || !theirs) return;
        const merged = applyMerged(mine, undefined, { ...theirs, contactId: 8 }, 7);
        // the thread has both; of two with the same place and id either may stand first
        expect(merged.lastMessageId).toBe(newestFirst([...own, ...others])[0]?.id);
      }),
    );
  });
});

test('the campaign that a contact answers is the one that wrote last, in whatever order its messages are applied', () => {
  const sent = fc.record({ campaign: fc.integer({ min: 1, max: 4 }), after: fc.nat(3) });
  fc.assert(
    fc.property(fc.array(sent, { minLength: 1, maxLength: 6 }), fc.infiniteStream(fc.nat()), (given, numbers) => {
      const messagesOfCampaigns = given.map(({ campaign, after }, nth) => {
        const createdAt = (second + after) * 1_000;
        const id = (second + after) * 2 ** 21 + nth;
        const own = { companyId: 1, contactId: 7, id, inbound: false, type: 1, subtype: 'template', value: '', status: 3 };
        return storedMessage.parse({ ...own, createdAt, updatedAt: createdAt, campaign: { id: campaign, batch: 0 } });
      });
      const shuffled = messagesOfCampaigns.map((message) => ({ message, at: numbers.next().value })).toSorted((a, b) => a.at - b.at);
      const [last] = given.toSorted((a, b) => b.after - a.after || b.campaign - a.campaign);
      expect(summaryOf(shuffled.map(({ message }) => message))?.campaignId).toBe(last?.campaign);
    }),
  );
});
