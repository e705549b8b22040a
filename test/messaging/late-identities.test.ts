import { afterAll, describe, expect, test } from 'vitest';
import { storedContact, type StoredContact } from '../../functions/contacts/contract/stored.ts';
import { newContact } from '../../functions/contacts/domain/contact.ts';
import { deleteContact, ensureContact } from '../../functions/contacts/service/contacts.ts';
import { joinContacts } from '../../functions/contacts/service/merge-contacts.ts';
import { ensureSender, linkUserId } from '../../functions/contacts/service/ensure-sender.ts';
import { findByIdentities, type Sender } from '../../functions/contacts/service/find-by-identities.ts';
import { joinIdentities } from '../../functions/contacts/service/merge-identities.ts';
import { moveIdentities } from '../../functions/contacts/service/move-identities.ts';
import { hourMs } from '../../shared/runtime/clock.ts';
import { contactIdOf } from '../support/contact-id.ts';
import { createContactAndIdentities } from '../../functions/contacts/store/contact.ts';
import { seeded, shuffled } from '../support/random.ts';
import { runSize } from '../support/run-size.ts';
import { startFixture } from './fixture.ts';

const fixture = await startFixture({ env: { SWITCHBOARD_LOCAL: '1' } });
afterAll(() => fixture.stop());
const company = await fixture.company();
const erasing = await fixture.company();

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
    await linkUserId(company.id, { phone: who.phone(phone), userId: who.userId(userId) }, { at: second(at), sentTo: undefined });
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
    (await fixture.testApp.dump())
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
        if ((await contactIdOf(company.id, { userId: who.userId(nth) })) !== last?.id)
          wrong.push(`${order}: user id ${nth} leads elsewhere`);
    }
    expect(wrong).toEqual([]);
  });
});

test('a customer whose contact without a phone took in that of another phone has both phones, and gets its own once it is known', async () => {
  const [other, otherId] = [9, 9];
  const merge = (who: ReturnType<typeof newCustomer>) => async (): Promise<void> => {
    const id =
      (await contactIdOf(company.id, { phone: who.phone(1) })) ??
      (await contactIdOf(company.id, { phone: who.phone(0), userId: who.userId(0) }));
    const second = await contactIdOf(company.id, { phone: who.phone(other) });
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
      if ((await contactIdOf(company.id, identity)) !== last?.id) wrong.push(`${order}: ${JSON.stringify(identity)} leads elsewhere`);
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

test('a late message with the phone of before changes nothing where one message has joined the contacts of phone and user id', async () => {
  const who = newCustomer();
  await message(4, { phone: 1 })(who);
  await message(0, { userId: 0 })(who);
  const joined = await message(6, { phone: 1, userId: 0 })(who);
  const late = await message(2, { phone: 0, userId: 0 })(who);
  expect(late?.contactId).toBe(joined?.contactId);
  expect((await contactsById()).get(joined?.contactId ?? 0)).toMatchObject({ phone: who.phone(1), userId: who.userId(0) });
});

test('a status that comes late, from a phone that moved since, joins its user id to the contact and changes no phone', async () => {
  const who = newCustomer();
  const first = await message(0, { phone: 0 })(who);
  await numberChange(5, 0, 1)(who);
  await delivered(2, 0, 0)(who);
  expect(await contactIdOf(company.id, { userId: who.userId(0) })).toBe(first?.contactId);
  expect((await contactsById()).get(first?.contactId ?? 0)?.phone).toBe(who.phone(1));
});

test('a message of before a move that was looked up before the move was stored is of the contact whose number moved, and makes no second one', async () => {
  const who = newCustomer();
  const moved = await message(0, { phone: 0 })(who);
  await numberChange(5, 0, 1)(who);
  // as a process does whose look-up found no contact
  const at = second(3);
  const ensured = await ensureContact(company.id, { phone: who.phone(0), source: 'inbound', at });
  expect('contact' in ensured && [ensured.created, ensured.contact.id]).toEqual([false, moved?.contactId]);
  const stored = await createContactAndIdentities(
    { ...newContact(company.id, 900_001, { phone: who.phone(0), phoneCountry: undefined }, at, []) },
    { at },
  );
  expect(stored).toBe('taken');
  expect(await findByIdentities(company.id, { phone: who.phone(0) }, { at })).toEqual({
    contactId: moved?.contactId,
    mergedIds: [],
    isLate: true,
  });
});

test('a number that moved belongs to a new contact in a message of after the move, and in one of before it once its contact is gone', async () => {
  const [after, gone] = [newCustomer(), newCustomer()];
  const first = await message(0, { phone: 0 })(after);
  await numberChange(5, 0, 1)(after);
  const next = await message(8, { phone: 0 })(after);
  expect(next?.contactId).not.toBe(first?.contactId);
  const left = await message(0, { phone: 0 })(gone);
  await numberChange(5, 0, 1)(gone);
  await deleteContact(company.id, left?.contactId ?? 0);
  const late = await message(3, { phone: 0 })(gone);
  expect(late?.contactId).not.toBe(left?.contactId);
  expect(await contactIdOf(company.id, { phone: gone.phone(0) })).toBe(late?.contactId);
});

test('an unknown user id with the phone of a contact that was merged is that contact’s, and the one that took it in still gets its own phone', async () => {
  const who = newCustomer();
  const [other, otherId] = [9, 9];
  const hidden = await message(0, { userId: 0 })(who);
  const merged = await message(1, { phone: other })(who);
  const known = await message(2, { phone: 0 })(who);
  await joinContacts(company.id, hidden?.contactId ?? 0, merged?.contactId ?? 0);
  await message(1, { phone: other, userId: otherId })(who);
  await message(3, { phone: 0, userId: 0 })(who);
  const contacts = await contactsById();
  const id = mergedIntoOf(contacts, known?.contactId);
  expect(mergedIntoOf(contacts, hidden?.contactId)).toBe(id);
  expect(contacts.get(id ?? 0)).toMatchObject({ phone: who.phone(0), userId: who.userId(0) });
  for (const identity of [{ phone: who.phone(other) }, { userId: who.userId(otherId) }])
    expect(await contactIdOf(company.id, identity)).toBe(id);
});

/** The first eventually consistent read of a contact by an identity does not know it yet; `then` runs after the next, consistent one. */
const withLateRead = (value: string, then?: () => Promise<unknown>): Disposable => {
  let reads = 0;
  return fixture.testApp.onTable(async ({ command, input, when, output }) => {
    const { pk } = (input['Key'] ?? {}) as { pk?: string };
    if (command !== 'GetItem' || when !== 'after' || !pk?.endsWith(`:${value}`)) return;
    reads++;
    if (reads === 1 && output) delete output['Item'];
    if (reads === 2) await then?.();
  });
};

test('a contact that is merged while a message from its user id is received stays merged, and the message is the other one’s', async () => {
  const who = newCustomer();
  const hidden = await message(0, { userId: 0 })(who);
  const known = await message(1, { phone: 0 })(who);
  using _late = withLateRead(who.userId(0), () => joinContacts(company.id, known?.contactId ?? 0, hidden?.contactId ?? 0));
  expect(await message(2, { userId: 0 })(who)).toEqual({ contactId: known?.contactId, mergedIds: [hidden?.contactId] });
  expect((await contactsById()).get(hidden?.contactId ?? 0)).toMatchObject({
    mergedInto: known?.contactId,
    deletedAt: expect.any(Number) as number,
  });
});

test('a late message whose phone was read before its move was stored does not take the phone for the contact of its user id', async () => {
  const who = newCustomer();
  const moved = await message(0, { phone: 0 })(who);
  const hidden = await message(1, { userId: 0 })(who);
  await numberChange(5, 0, 1)(who);
  using _late = withLateRead(who.phone(0));
  expect(await message(3, { phone: 0, userId: 0 })(who)).toMatchObject({ contactId: moved?.contactId });
  expect(await message(8, { phone: 1, userId: 0 })(who)).toMatchObject({ contactId: moved?.contactId, mergedIds: [hidden?.contactId] });
  expect(await findByIdentities(company.id, { phone: who.phone(0) }, { at: second(3) })).toMatchObject({
    contactId: moved?.contactId,
    isLate: true,
  });
});

test('contacts that one message names become one also where another process merges one of them meanwhile', async () => {
  const who = newCustomer();
  const known = await message(0, { phone: 0 })(who);
  const hidden = await message(1, { userId: 0 })(who);
  const other = await message(2, { userId: 1 })(who);
  let writes = 0;
  // the first write is refused, the second is the merge
  using _meanwhile = fixture.testApp.onTable(async ({ command, when }) => {
    if (command !== 'TransactWriteItems' || when !== 'before' || ++writes !== 2) return;
    await joinContacts(company.id, other?.contactId ?? 0, hidden?.contactId ?? 0);
  });
  await message(3, { phone: 0, userId: 0 })(who);
  await message(4, { phone: 0, userId: 0 })(who);
  const contacts = await contactsById();
  for (const sender of [known, hidden, other]) expect(mergedIntoOf(contacts, sender?.contactId)).toBe(known?.contactId);
});

test('a late message from a number whose contact was deleted since is of the contact of its user id, and makes no new one', async () => {
  const who = newCustomer();
  const left = await message(0, { phone: 0 })(who);
  await numberChange(5, 0, 1)(who);
  await deleteContact(company.id, left?.contactId ?? 0);
  const next = await message(8, { phone: 2, userId: 0 })(who);
  expect(await message(3, { phone: 0, userId: 0 })(who)).toMatchObject({ contactId: next?.contactId });
  expect((await contactsById()).get(next?.contactId ?? 0)?.phone).toBe(who.phone(2));
});

describe('a contact that was erased and made again', () => {
  const post = (path: string, body?: object) =>
    fixture.testApp.call({ method: 'POST', path: `/api/v1${path}`, token: erasing.tokens.owner, ...(body ? { body } : {}) });
  const madeAgain = async (contactId: number, phone: string): Promise<void> => {
    expect((await post(`/contacts/${contactId}/erase`)).status).toBe(202);
    await fixture.testApp.drain();
    await post('/contacts', { phone: `+${phone}` });
  };

  test('is joined with its user id by the next message that names both, also by a process that joined the erased one', async () => {
    const identities = { phone: '4915900000001', userId: 'DE.erased' };
    const { contactId: erasedId } = await ensureSender(erasing.id, identities, second(0));
    await madeAgain(erasedId, identities.phone);
    const again = await ensureSender(erasing.id, identities, second(10));
    expect(again.contactId).not.toBe(erasedId);
    expect((await ensureSender(erasing.id, { userId: identities.userId }, second(20))).contactId).toBe(again.contactId);
  });

  test('is joined by the status of a message to it, for which a process looks once, and not again after an hour', async () => {
    const identities = { phone: '4915900000002', userId: 'DE.silent' };
    const { contactId: erasedId } = await ensureSender(erasing.id, { phone: identities.phone }, second(0));
    const units = async (at: number, sentTo: number): Promise<number> =>
      (await fixture.testApp.meter(() => linkUserId(erasing.id, identities, { at: second(at), sentTo }))).rru;
    expect(await units(1, erasedId)).toBeGreaterThan(0);
    await madeAgain(erasedId, identities.phone);
    const again = await ensureSender(erasing.id, { phone: identities.phone }, second(10));
    expect(await units(11, again.contactId)).toBeGreaterThan(0);
    expect((await ensureSender(erasing.id, { userId: identities.userId }, second(20))).contactId).toBe(again.contactId);
    fixture.testApp.clock.advance(2 * hourMs);
    expect(await units(30, again.contactId)).toBe(0);
  });
});
