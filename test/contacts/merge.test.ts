import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { eraseContact } from '../../functions/erasures/service/erasures.ts';
import { providerEnvelope, providerPost, type TestCompany, unwrap } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import { inboundOf, only, startFixture } from '../messaging/fixture.ts';

const fixture = await startFixture({ env: { SWITCHBOARD_LOCAL: '1' } });
afterAll(() => fixture.stop());
const { testApp } = fixture;
const { nextPhone, storedAs } = inboundOf(fixture);

const call = (company: TestCompany, method: string, path: string, body?: unknown): Promise<Answer> =>
  testApp.call({ method, path: `/api/v1${path}`, token: company.tokens.owner, ...(body === undefined ? {} : { body }) });
const dataOf = (answer: Answer): Record<string, unknown> => z.object({ data: z.record(z.string(), z.unknown()) }).parse(answer.body).data;
const listOf = (answer: Answer): Record<string, unknown>[] =>
  z.object({ data: z.array(z.record(z.string(), z.unknown())) }).parse(answer.body).data;
const create = async (company: TestCompany, body: Record<string, unknown>): Promise<number> =>
  Number(dataOf(await call(company, 'POST', '/contacts', body))['id']);
const merge = (company: TestCompany, id: number, contact_id: number): Promise<Answer> =>
  call(company, 'POST', `/contacts/${id}/merge`, { contact_id });
const found = async (company: TestCompany, search: string): Promise<unknown[]> =>
  listOf(await call(company, 'GET', `/contacts?search=${search}`)).map((contact) => contact['id']);
const text = (body: string) => ({ type: 'text', text: { body } });

describe('a merge', () => {
  test('adds groups, tags and empty fields, keeps a no, and leads the other phone and id to the contact; a second call changes nothing', async () => {
    const company = await fixture.company();
    const [own, other] = [nextPhone(), nextPhone()];
    const id = await create(company, { phone: `+${own}`, name: 'Ada', groups: ['Readers'] });
    const twin = await create(company, { phone: `+${other}`, name: 'A.', city: 'Bonn', groups: ['Guests'], subscribed: false });
    await testApp.drain();
    const merged = await merge(company, id, twin);
    expect(merged.status).toBe(200);
    expect(dataOf(merged)).toMatchObject({
      id,
      phone: own,
      name: 'Ada',
      city: 'Bonn',
      subscribed: false,
      groups: [{ name: 'Readers' }, { name: 'Guests' }],
    });
    expect(dataOf(await merge(company, id, twin))).toEqual(dataOf(merged));
    await testApp.drain();
    expect(dataOf(await call(company, 'GET', `/contacts/${twin}`))).toMatchObject({ id });
    expect(dataOf(await call(company, 'POST', '/contacts', { phone: `+${other}` }))).toMatchObject({ id, created: false, phone: own });
    expect(listOf(await call(company, 'GET', '/contacts')).map((contact) => contact['id'])).toEqual([id]);
    for (const phone of [own, other, other.slice(-9)]) expect(await found(company, phone)).toEqual([id]);
    expect(await found(company, `${own}${other}`)).toEqual([]);
    expect((await call(company, 'DELETE', `/contacts/${twin}`)).status).toBe(404);
  });

  test('shows both conversations as one, and what is written from the other phone afterwards', async () => {
    const company = await fixture.company();
    const [own, other] = [nextPhone(), nextPhone()];
    const first = await storedAs({ from: own, timestamp: '1790000000', ...text('From the first') }, company);
    const second = await storedAs({ from: other, timestamp: '1790000001', ...text('From the second') }, company);
    expect((await merge(company, first.contactId, second.contactId)).status).toBe(200);
    await testApp.drain();
    const late = await storedAs({ from: other, timestamp: '1790000002', ...text('And again') }, company);
    expect(late.contactId).toBe(first.contactId);
    const thread = (id: number) => call(company, 'GET', `/conversations/${id}/messages`);
    for (const id of [first.contactId, second.contactId])
      expect(listOf(await thread(id)).map((message) => message['value'])).toEqual(['And again', 'From the second', 'From the first']);
    expect(only(listOf(await call(company, 'GET', '/conversations')))).toMatchObject({ id: first.contactId, unread_count: 3 });
    const read = await call(company, 'PUT', `/conversations/${first.contactId}/read`);
    expect(dataOf(read)).toMatchObject({ unread_count: 0 });
  });

  test('of an unread conversation into a contact that never wrote makes a conversation of it, which a read receipt can reach', async () => {
    const company = await fixture.company();
    const id = await create(company, { phone: `+${nextPhone()}` });
    const row = await storedAs({ from: nextPhone(), ...text('Hello?') }, company);
    await merge(company, id, row.contactId);
    await testApp.drain();
    expect(only(listOf(await call(company, 'GET', '/conversations')))).toMatchObject({
      id,
      unread_count: 1,
      last_message: { value: 'Hello?' },
    });
    expect((await call(company, 'PUT', `/conversations/${id}/read`)).status).toBe(200);
    await testApp.drain();
    expect((await fixture.receipts()).map(({ wamid }) => wamid)).toContain(row.wamid);
  });

  test('takes leads and notes along, and what the other consented to', async () => {
    const company = await fixture.company();
    const other = nextPhone();
    const id = await create(company, { phone: `+${nextPhone()}`, name: 'Bo' });
    const stopped = await storedAs({ from: other, ...text('STOP') }, company);
    await call(company, 'POST', `/conversations/${stopped.contactId}/notes`, { body: 'Called twice' });
    await merge(company, id, stopped.contactId);
    await testApp.drain();
    expect(dataOf(await call(company, 'GET', `/contacts/${id}`))).toMatchObject({ subscribed: false });
    expect(listOf(await call(company, 'GET', `/contacts/${id}/consents`))).toMatchObject([
      // that of the call which made the contact, later than the message of the other
      { subscribed: true, source: 'api' },
      { subscribed: false, source: 'keyword' },
    ]);
    expect(listOf(await call(company, 'GET', `/conversations/${id}/notes`))).toMatchObject([{ body: 'Called twice' }]);
    expect((await call(company, 'POST', `/contacts/${id}/merge`, { contact_id: id })).status).toBe(422);
  });

  test('of a contact of another company, or none, is 404 and changes nothing', async () => {
    const [company, foreign] = [await fixture.company(), await fixture.company()];
    const id = await create(company, { phone: `+${nextPhone()}` });
    const theirs = await create(foreign, { phone: `+${nextPhone()}`, name: 'Theirs' });
    await create(foreign, { phone: `+${nextPhone()}` });
    expect((await merge(company, id, theirs + 1_000)).status).toBe(404);
    expect((await merge(company, theirs + 1_000, id)).status).toBe(404);
    expect(dataOf(await call(foreign, 'GET', `/contacts/${theirs}`))).toMatchObject({ name: 'Theirs' });
  });

  test('is in the event log, with who made it', async () => {
    const company = await fixture.company();
    const [id, twin] = [await create(company, { phone: `+${nextPhone()}` }), await create(company, { phone: `+${nextPhone()}` })];
    await merge(company, id, twin);
    await testApp.drain();
    const events = listOf(await call(company, 'GET', '/events')).filter(({ type }) => type === 'contact.merged');
    expect(only(events)).toMatchObject({ subject: `contact:${id}`, data: { contact_id: id, merged_contact_id: twin } });
  });

  test('and the erasure of the contact leaves nothing of either', async () => {
    const company = await fixture.company();
    const [own, other] = [nextPhone(), nextPhone()];
    const first = await storedAs({ from: own, ...text('One') }, company);
    const second = await storedAs({ from: other, ...text('Two') }, company);
    await merge(company, first.contactId, second.contactId);
    await testApp.drain();
    unwrap(await eraseContact(company.id, first.contactId, { cause: 'request' }));
    await testApp.drain();
    await testApp.passTime(26 * 3_600);
    const left = JSON.stringify((await testApp.dump({ companyId: company.id })).filter(({ kind }) => kind !== 'erasure'));
    expect(left).not.toContain(own);
    expect(left).not.toContain(other);
    expect(await fixture.messages(company.id)).toEqual([]);
  });
});

describe('a contact by phone and one by user id that turn out to be one', () => {
  test('become one, with one conversation; late messages of before stay where they are', async () => {
    const company = await fixture.company();
    const from = nextPhone();
    const hidden = await storedAs({ from: undefined, from_user_id: 'US.twin', ...text('Hidden') }, company);
    const known = await storedAs({ from, ...text('Known') }, company);
    expect(hidden.contactId).not.toBe(known.contactId);
    await storedAs({ from, from_user_id: 'US.twin', timestamp: '1790000005', ...text('Both') }, company);
    const again = { id: hidden.wamid, from_user_id: 'US.twin', timestamp: '1790000000', ...text('Hidden') };
    await testApp.call(providerPost(company, providerEnvelope(company, { messages: [again] })));
    await testApp.drain();
    expect(only(listOf(await call(company, 'GET', '/contacts')))).toMatchObject({ id: known.contactId, phone: from });
    const thread = listOf(await call(company, 'GET', `/conversations/${known.contactId}/messages`));
    expect(new Set(thread.map(({ value }) => value))).toEqual(new Set(['Both', 'Hidden', 'Known']));
    expect(thread.length).toBe(3);
    expect((await fixture.messages(company.id)).length).toBe(3);
  });
});

describe('a number that moved', () => {
  test('to one that wrote before is the same customer; the old number is free for the next one, late messages of before are not', async () => {
    const company = await fixture.company();
    const [old, fresh] = [nextPhone(), nextPhone()];
    await storedAs({ from: old, timestamp: '1790000000', ...text('Before') }, company);
    const after = await storedAs({ from: fresh, timestamp: '1790000020', ...text('After') }, company);
    const system = { type: 'user_changed_number', wa_id: fresh };
    await storedAs({ from: old, timestamp: '1790000010', type: 'system', system }, company);
    const late = await storedAs({ from: old, timestamp: '1790000005', ...text('Late') }, company);
    expect(late.contactId).toBe(after.contactId);
    const next = await storedAs({ from: old, timestamp: '1790000030', ...text('I am new here') }, company);
    expect(next.contactId).not.toBe(after.contactId);
    const thread = listOf(await call(company, 'GET', `/conversations/${after.contactId}/messages`));
    expect(thread.map(({ value }) => value)).toEqual(['After', expect.anything(), 'Late', 'Before']);
    expect(listOf(await call(company, 'GET', '/contacts'))).toHaveLength(2);
  });

  test('a post that comes again changes nothing once another customer has the old number', async () => {
    const company = await fixture.company();
    const [old, fresh] = [nextPhone(), nextPhone()];
    const { contactId } = await storedAs({ from: old, ...text('Hi') }, company);
    const system = {
      id: 'wamid.moved-once',
      from: old,
      timestamp: '1790000001',
      type: 'system',
      system: { type: 'user_changed_number', wa_id: fresh },
    };
    const post = providerPost(company, providerEnvelope(company, { messages: [system] }));
    await testApp.call(post);
    await testApp.drain();
    const next = await storedAs({ from: old, timestamp: '1790000030', ...text('New') }, company);
    await testApp.call(post);
    await testApp.drain();
    const contacts = listOf(await call(company, 'GET', '/contacts'));
    expect(Object.fromEntries(contacts.map((contact) => [contact['id'], contact['phone']]))).toEqual({
      [contactId]: fresh,
      [next.contactId]: old,
    });
  });
});
