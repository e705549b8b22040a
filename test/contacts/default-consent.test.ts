import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { contactRecord } from '../../functions/contacts/contract/contact.ts';
import { consentRecord } from '../../functions/contacts/contract/consent.ts';
import { storedContact, toItem } from '../../functions/contacts/contract/stored.ts';
import { ensureSender } from '../../functions/contacts/service/ensure-sender.ts';
import { setConsent } from '../../functions/contacts/service/consent.ts';
import { inboundText, newCompany, type TestCompany } from '../support/company.ts';
import { type ProviderStub, startProviderStub } from '../support/provider-stub.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** What a contact has of its consent when the call that makes it says nothing of it: the company's default, which its history names. */
let testApp: TestApp;
let provider: ProviderStub;
let company: TestCompany;
beforeAll(async () => {
  provider = await startProviderStub();
  testApp = await startTestApp({ env: { PROVIDER_BASE_URL: provider.url } });
});
beforeEach(async () => {
  company = await newCompany({ roles: ['member', 'owner'] });
});
afterAll(async () => {
  await testApp.stop();
  await provider.stop();
});

const call = async (method: string, path: string, body?: unknown, token = company.tokens.owner) => {
  const answer = await testApp.call({ method, path: `/api/v1${path}`, token, ...(body === undefined ? {} : { body }) });
  expect([answer.status, answer.raw]).toEqual([200, answer.raw]);
  return (answer.body as { data: unknown }).data;
};
const turnOff = () => call('PUT', '/company', { settings: { subscribed_by_default: false } });
const post = async (body: Record<string, unknown>) => contactRecord.loose().parse(await call('POST', '/contacts', body));
const historyOf = async (id: number) => {
  const history = z.array(consentRecord).parse(await call('GET', `/contacts/${id}/consents`));
  return history.map(({ subscribed, source }) => [subscribed, source]);
};
const contactOf = async (phone: string) => {
  await testApp.drain();
  const [found] = z.array(contactRecord).parse(await call('GET', `/contacts?search=${phone}`));
  if (!found) throw new Error(`There is no contact ${phone}.`);
  return found;
};
const bulkSync = async (phone: string) => {
  await call('POST', '/contacts/bulk-sync', { contacts: [{ phone: `+${phone}`, name: 'Ada' }] });
  return contactOf(phone);
};
const sendTo = async (phone: string) => {
  await call('POST', '/messages/text', { phone: `+${phone}`, message: 'Hello' });
  return contactOf(phone);
};
let phones = 4_915_177_000_000;
const newPhone = (): string => String(++phones);

const byApi: [string, (phone: string) => Promise<{ id: number; subscribed: boolean }>][] = [
  ['createContact', (phone) => post({ phone: `+${phone}` })],
  ['bulk-sync', bulkSync],
  ['a message to a phone that is new', sendTo],
];

describe.each(byApi)('a contact made by %s', (_way, make) => {
  test('is subscribed, and its history says that a call made it so', async () => {
    const { id, subscribed } = await make(newPhone());
    await testApp.drain();
    expect([subscribed, await historyOf(id)]).toEqual([true, [[true, 'api']]]);
  });

  test('is not where the company has it otherwise, and no campaign for marketing reaches it', async () => {
    await turnOff();
    const { id, subscribed } = await make(newPhone());
    await testApp.drain();
    expect([subscribed, await historyOf(id)]).toEqual([false, [[false, 'api']]]);
    expect(await call('POST', '/campaigns/audience-preview', { contact_id: id })).toMatchObject({
      eligible_contacts: 0,
      excluded: { unsubscribed: 1, opted_out: 0 },
    });
  });
});

test('what a call says goes before the default, whichever that is', async () => {
  expect((await post({ phone: `+${newPhone()}`, subscribed: false })).subscribed).toBe(false);
  await turnOff();
  const { id, subscribed } = await post({ phone: `+${newPhone()}`, subscribed: true });
  expect([subscribed, await historyOf(id)]).toEqual([true, [[true, 'api']]]);
});

test('a customer who writes first has made no statement, and follows the default', async () => {
  const receive = async (phone: string) => {
    await testApp.call(inboundText(company, { from: phone, text: 'Hello' }));
    await testApp.drain();
    return contactOf(phone);
  };
  const first = await receive(newPhone());
  expect([first.subscribed, await historyOf(first.id)]).toEqual([true, []]);
  await turnOff();
  const second = await receive(newPhone());
  expect([second.subscribed, await historyOf(second.id)]).toEqual([false, []]);
  const hidden = await ensureSender(company.id, { userId: 'DE.hidden', name: 'Hidden' });
  const { subscribed } = contactRecord.parse(await call('GET', `/contacts/${hidden.contactId}`));
  expect(subscribed).toBe(false);
});

test('later changes stand above the default in the history, and a known contact is not changed by it', async () => {
  const phone = newPhone();
  const { id } = await post({ phone: `+${phone}` });
  for (const subscribed of [false, true]) {
    testApp.clock.advance(60_000);
    await call('PATCH', `/contacts/${id}`, { subscribed });
    await testApp.drain();
  }
  const all = [
    [true, 'api'],
    [false, 'api'],
    [true, 'api'],
  ];
  expect(await historyOf(id)).toEqual(all);
  await turnOff();
  expect((await sendTo(phone)).subscribed).toBe(true);
  expect(await historyOf(id)).toEqual(all);
});

test('a stop that a recipient sent before the call made the contact stands: a default is no decision', async () => {
  const { id } = await post({ phone: `+${newPhone()}` });
  const at = testApp.clock.now() - 30_000;
  const stop = { subscribed: false, source: 'keyword' as const, at, evidence: 'wamid.stop' };
  expect(await setConsent(company.id, id, stop)).toMatchObject({ applied: true });
  expect(await setConsent(company.id, id, stop)).toMatchObject({ applied: true });
  await testApp.drain();
  const contact = contactRecord.parse(await call('GET', `/contacts/${id}`));
  expect([contact.subscribed, await historyOf(id)]).toEqual([
    false,
    [
      [false, 'keyword'],
      [true, 'api'],
    ],
  ]);
  // what the company says of a new contact is one, as before
  const stated = await post({ phone: `+${newPhone()}`, subscribed: true });
  expect(await setConsent(company.id, stated.id, { ...stop, evidence: 'wamid.other' })).toMatchObject({ applied: false });
});

test('of contacts that became one the default of a company is no later than it was', async () => {
  await turnOff();
  const first = await post({ phone: `+${newPhone()}`, subscribed: true });
  testApp.clock.advance(3_600_000);
  const second = await post({ phone: `+${newPhone()}` });
  await call('POST', `/contacts/${first.id}/merge`, { contact_id: second.id });
  await testApp.drain();
  const times = z.array(consentRecord).parse(await call('GET', `/contacts/${first.id}/consents`));
  expect(times.map(({ subscribed, at }) => [subscribed, at])).toContainEqual([false, second.created_at]);
});

test('what earlier versions stored is read as it was: a contact without a source has none, one with a time its own', () => {
  const old = { c: 1, i: 1, r: 0, p: '4915112345678', at: 1_000 };
  expect(storedContact.parse(old).consent).toBeUndefined();
  expect(storedContact.parse({ ...old, cs: 'import', ca: 2_000 }).consent).toEqual({ source: 'import', at: 2_000 });
  const byDefault = storedContact.parse({ ...old, cs: 'api' });
  expect(byDefault.consent).toEqual({ source: 'api', at: 1_000, isDefault: true });
  expect(toItem(byDefault)).toMatchObject({ cs: 'api', ca: undefined });
});
