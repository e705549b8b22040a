import { updateNumber } from '../../functions/account/service/numbers.ts';
import { toItem } from '../../functions/contacts/contract/stored.ts';
import { newContact } from '../../functions/contacts/domain/contact.ts';
import { contactEntity } from '../../functions/contacts/store/contact.ts';
import { messageStatuses, messageTypes } from '../../functions/messaging/contract/stored.ts';
import { createMessage } from '../../functions/messaging/store/message.ts';
import { messageId } from '../../shared/runtime/ids.ts';
import { unwrap } from '../../test/support/company.ts';
import { seeded } from '../../test/support/random.ts';
import { withFixture, type Scenario } from '../scenario.ts';

const count = Number(process.env['MESSAGES'] ?? 10_000);
/** Beyond the reach of the stream consumer, so that the dispatcher's ticks place them. */
const aheadMs = 300_000;

export const scenario: Scenario = {
  name: 'scheduled',
  description: `${count} messages scheduled within one minute: dispatcher, delayed queue, claim, slot and call in a time that stands still but for them`,
  // not distinguished from others by the machine, but a minute of work: too long for the tests
  deterministic: false,
  measure: () =>
    withFixture(async ({ testApp, company, stub }) => {
      unwrap(await updateNumber(company.id, 1, { rate: 1_000 }));
      testApp.clock.moveTo(Math.ceil((testApp.clock.now() + 60_000) / 60_000) * 60_000);
      testApp.clock.freeze();
      const random = seeded(1);
      const from = testApp.clock.now() + aheadMs;
      const due = new Map<string, number>();
      const late: number[] = [];
      stub.answering(({ body }) => {
        const text = String((body['text'] as { body?: unknown } | undefined)?.body);
        late.push(testApp.clock.now() - (due.get(text) ?? Number.NaN));
        due.delete(text);
        return undefined;
      });
      const write = async (nth: number): Promise<void> => {
        const dueAt = from + Math.floor(random() * 60_000);
        due.set(`m${nth}`, dueAt);
        const at = testApp.clock.now();
        const phone = String(4_915_800_000_000 + nth);
        await contactEntity.put(toItem(newContact(company.id, nth + 1, { phone, phoneCountry: 'DE' }, at, [])));
        const of = { companyId: company.id, contactId: nth + 1, id: messageId(at, `m${nth}`), inbound: false, numberId: 1 };
        const content = { type: messageTypes.text, subtype: 'text', value: `m${nth}`, phone };
        const state = { status: messageStatuses.scheduled, rev: 0, attempt: 0, dueAt, createdAt: at, updatedAt: at };
        const written = await createMessage({ ...of, ...content, ...state, operationId: `m${nth}` });
        if (!written.done) throw new Error('A message could not be scheduled.');
      };
      for (let nth = 0; nth < count; nth += 50)
        await Promise.all(Array.from({ length: Math.min(50, count - nth) }, (_, index) => write(nth + index)));
      await testApp.drain();
      await testApp.passTime(aheadMs / 1_000 + 65);
      late.sort((a, b) => a - b);
      const at = (share: number): number => late[Math.min(late.length - 1, Math.floor(late.length * share))] ?? Number.NaN;
      return [
        { name: 'messages sent', unit: 'calls', value: late.length, atLeast: count, atMost: count },
        { name: 'sent early', unit: 'calls', value: late.filter((ms) => ms < 0).length, atMost: 0 },
        { name: 'late, median', unit: 'ms', value: at(0.5) },
        { name: 'late, p99', unit: 'ms', value: at(0.99), atMost: 2_000 },
        { name: 'late, at most', unit: 'ms', value: at(1) },
      ];
    }),
};
