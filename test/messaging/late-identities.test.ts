import { afterAll, describe, expect, test } from 'vitest';
import { storedContact, type StoredContact } from '../../functions/contacts/contract/stored.ts';
import { joinContacts } from '../../functions/contacts/service/merge-contacts.ts';
import {
  ensureSender,
  findContactId,
  joinIdentities,
  linkUserId,
  moveIdentities,
  type Sender,
} from '../../functions/contacts/service/merge-identities.ts';
import { seeded, shuffled } from '../support/random.ts';
import { runSize } from '../support/run-size.ts';
import { startFixture } from './fixture.ts';

const fixture = await startFixture({ env: { SWITCHBOARD_LOCAL: '1' } });
afterAll(() => fixture.stop());
const company = await fixture.company();

/** What the provider says of one customer, whose phones and user ids are the story's with a serial of its own. */
type Webhook = (who: { phone: (nth: number) => string; userId: (nth: number) => string }) => Promise<Sender | undefined>;

const second = (at: number): number => 1_790_000_000_000 + at * 1_000;
const message =
  (at: number, { phone, userId }: { phone?: number; userId?: number }): Webhook =>
  (who) =>
    ensureSender(
      company.id,
      { phone: phone === undefined ? undefined : who.phone(phone), userId: userId === undefined ? undefined : who.userId(userId) },
      second(at),
    );
const numberChange =
  (at: number, from: number, to: number): Webhook =>
  (who) =>
    moveIdentities(company.id, { phone: who.phone(from) }, { phone: who.phone(to) }, second(at) + 999);
/** It has no time. */
const userIdChange =
  (from: number, to: number, phone: number): Webhook =>
  (who) =>
    moveIdentities(company.id, { userId: who.userId(from) }, { phone: who.phone(phone), userId: who.userId(to) });
const delivered =
  (at: number, phone: number, userId: number): Webhook =>
  async (who) => {
    await linkUserId(company.id, who.phone(phone), who.userId(userId), second(at));
    return undefined;
  };

/** Each in the order in which it happened; the last phone and user id are those of now. */
const stories: readonly [what: string, phones: number, userIds: number, webhooks: readonly Webhook[]][] = [
  [
    'a hidden phone, a new user id and a number that moves',
    2,
    2,
    [
      message(1, { phone: 0 }),
      message(2, { userId: 0 }),
      userIdChange(0, 1, 0),
      numberChange(4, 0, 1),
      message(6, { phone: 1, userId: 1 }),
      message(8, { phone: 1 }),
    ],
  ],
  [
    'a number that moves twice, with user ids beside it',
    3,
    2,
    [
      message(0, { phone: 0, userId: 0 }),
      numberChange(2, 0, 1),
      message(4, { phone: 1 }),
      userIdChange(0, 1, 1),
      numberChange(6, 1, 2),
      message(8, { phone: 2, userId: 1 }),
    ],
  ],
  [
    'user ids that change twice around a move',
    2,
    3,
    [
      message(0, { userId: 0 }),
      userIdChange(0, 1, 0),
      message(2, { phone: 0, userId: 1 }),
      numberChange(4, 0, 1),
      userIdChange(1, 2, 1),
      message(6, { phone: 1, userId: 2 }),
    ],
  ],
  [
    'a number that moves without a word',
    2,
    1,
    [message(0, { userId: 0 }), message(2, { phone: 0, userId: 0 }), message(4, { phone: 1, userId: 0 }), message(6, { userId: 0 })],
  ],
  [
    'statuses that name phone and user id',
    2,
    2,
    [
      message(0, { phone: 0 }),
      delivered(1, 0, 0),
      message(2, { userId: 0 }),
      numberChange(4, 0, 1),
      userIdChange(0, 1, 1),
      message(6, { phone: 1, userId: 1 }),
    ],
  ],
];

const orders = runSize(24, 200);
let serial = 0;
const newCustomer = () => {
  const nth = ++serial;
  return {
    phone: (each: number): string => String(49_170_000_000_000 + nth * 100 + each),
    userId: (each: number): string => `US.late-${nth}-${each}`,
  };
};
const contactsById = async (): Promise<Map<number, StoredContact>> =>
  new Map(
    (await fixture.world.dump())
      .filter(({ kind, c }) => kind === 'contact' && c === company.id)
      .map((item) => storedContact.parse(item))
      .map((contact) => [contact.id, contact]),
  );
const mergedIntoOf = (contacts: ReadonlyMap<number, StoredContact>, id: number | undefined): number | undefined => {
  const into = id === undefined ? undefined : contacts.get(id)?.mergedInto;
  return into === undefined ? id : mergedIntoOf(contacts, into);
};

describe('in whatever order webhooks come, a customer is one contact with the phone of now', () => {
  test.each(stories)('%s', async (_, phones, userIds, webhooks) => {
    const runs: { order: string; who: ReturnType<typeof newCustomer>; senders: number[] }[] = [];
    for (let seed = 0; seed < orders; seed++) {
      const who = newCustomer();
      const order = shuffled([...webhooks.keys()], seeded(seed));
      const senders: number[] = [];
      // in every other run each comes once more, as the provider repeats what it thinks was lost
      for (const nth of [...order, ...(seed % 2 ? shuffled(order, seeded(seed + 1_000)) : [])]) {
        const sender = await webhooks[nth]?.(who);
        if (sender) senders.push(sender.contactId);
      }
      runs.push({ order: order.join(' '), who, senders });
    }
    const contacts = await contactsById();
    const wrong: string[] = [];
    for (const { order, who, senders } of runs) {
      const owners = new Set(senders.map((id) => mergedIntoOf(contacts, id)));
      const last = contacts.get([...owners][0] ?? 0);
      const isNow = last?.phone === who.phone(phones - 1) && last.userId === who.userId(userIds - 1);
      if (owners.size !== 1 || !isNow) wrong.push(`${order}: ${owners.size} contacts, ${last?.phone} ${last?.userId} of ${who.phone(0)}`);
      for (let nth = 0; nth < userIds; nth++)
        if ((await findContactId(company.id, { userId: who.userId(nth) })) !== last?.id)
          wrong.push(`${order}: user id ${nth} leads elsewhere`);
    }
    expect(wrong).toEqual([]);
  });
});

test('a customer whose contact without a phone took in that of another phone has both phones, and gets its own once it is known', async () => {
  const [other, otherId] = [9, 9];
  const merge = (who: ReturnType<typeof newCustomer>) => async (): Promise<void> => {
    const id =
      (await findContactId(company.id, { phone: who.phone(1) })) ??
      (await findContactId(company.id, { phone: who.phone(0), userId: who.userId(0) }));
    const second = await findContactId(company.id, { phone: who.phone(other) });
    if (id !== undefined && second !== undefined && id !== second) await joinContacts(company.id, id, second);
  };
  const webhooks = [
    message(0, { userId: 0 }),
    message(1, { phone: other, userId: otherId }),
    numberChange(2, 0, 1),
    message(4, { phone: 1 }),
    message(8, { phone: other }),
    userIdChange(0, 1, 1),
  ];
  const runs: { order: string; who: ReturnType<typeof newCustomer>; senders: number[] }[] = [];
  for (let seed = 0; seed < orders; seed++) {
    const who = newCustomer();
    const order = shuffled([...webhooks.keys()], seeded(seed));
    const senders: number[] = [];
    for (const [place, nth] of order.entries()) {
      const sender = await webhooks[nth]?.(who);
      if (sender) senders.push(sender.contactId);
      if (place > seed % webhooks.length) await merge(who)();
    }
    const both = await message(10, { phone: 1, userId: 1 })(who);
    const late = await message(9, { phone: other, userId: otherId })(who);
    await merge(who)();
    for (const sender of [both, late]) if (sender) senders.push(sender.contactId);
    runs.push({ order: order.join(' '), who, senders });
  }
  const contacts = await contactsById();
  const wrong: string[] = [];
  for (const { order, who, senders } of runs) {
    const owners = new Set(senders.map((id) => mergedIntoOf(contacts, id)));
    const last = contacts.get([...owners][0] ?? 0);
    if (owners.size !== 1 || last?.phone !== who.phone(1))
      wrong.push(`${order}: ${owners.size} contacts, ${last?.phone} of ${who.phone(0)}`);
    for (const identity of [{ phone: who.phone(other) }, { userId: who.userId(otherId) }, { userId: who.userId(0) }])
      if ((await findContactId(company.id, identity)) !== last?.id) wrong.push(`${order}: ${JSON.stringify(identity)} leads elsewhere`);
  }
  expect(wrong).toEqual([]);
});

test('a message of a sender who was found by the user id alone, because the phone was read too early, makes the contacts of both one', async () => {
  const who = newCustomer();
  const byPhone = await message(0, { phone: 0 })(who);
  const byUserId = await message(1, { userId: 0 })(who);
  expect(byUserId?.contactId).not.toBe(byPhone?.contactId);
  const joined = await joinIdentities(company.id, byUserId?.contactId ?? 0, { phone: who.phone(0), userId: who.userId(0), at: second(2) });
  expect([joined?.id, joined?.mergedIds]).toEqual([byPhone?.contactId, [byUserId?.contactId]]);
});

test('a status that comes late, from a phone that moved since, joins its user id to the contact and changes no phone', async () => {
  const who = newCustomer();
  const first = await message(0, { phone: 0 })(who);
  await numberChange(5, 0, 1)(who);
  await delivered(2, 0, 0)(who);
  expect(await findContactId(company.id, { userId: who.userId(0) })).toBe(first?.contactId);
  expect((await contactsById()).get(first?.contactId ?? 0)?.phone).toBe(who.phone(1));
});
