import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { erasureRecord } from '../../functions/erasures/contract/erasure.ts';
import { eraseContact } from '../../functions/erasures/service/erasures.ts';
import { runErasure } from '../../functions/erasures/service/run-erasure.ts';
import { erasure as steps } from '../../functions/erasures/registry.generated.ts';
import { requestEntityName } from '../../functions/verification/contract/stored.ts';
import { generateTable } from '../../lib/generate/table.ts';
import { dayMs } from '../../shared/runtime/clock.ts';
import { registry } from '../../shared/table/entity.ts';
import { attack } from '../support/attack.ts';
import type { Answer } from '../support/gateway-event.ts';
import { inboundText, newCompany, providerPost, unwrap } from '../support/company.ts';
import { createProfile, issueKey } from '../../functions/account/service/verification-profiles.ts';
import { crashInjection } from '../support/crash-injection.ts';
import { startProviderStub, type ProviderStub } from '../support/provider-stub.ts';
import { runSize } from '../support/run-size.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { deleteItems, dumpOf, emptyStore, type Known, knownCompany, tracesIn, wilhelmina } from './erasure-fixture.ts';

let testApp: TestApp;
let provider: ProviderStub;
let known: Known;
beforeAll(async () => {
  provider = await startProviderStub();
  testApp = await startTestApp({ env: { PROVIDER_BASE_URL: provider.url, SWITCHBOARD_LOCAL: '1' } });
  await testApp.tick();
  known = await knownCompany(testApp, provider);
});
afterAll(async () => {
  await testApp.stop();
  await provider.stop();
});

const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
  testApp.call({ method, path: `/api/v1${path}`, token: known.company.tokens.admin, ...(body === undefined ? {} : { body }) });
const receiptOf = async (contactId: number): Promise<z.output<typeof erasureRecord>> =>
  z.object({ data: erasureRecord.strict() }).parse((await call('GET', `/contacts/${contactId}/erase`)).body).data;
const contactIn = (answer: Answer) => z.object({ data: z.object({ id: z.int(), subscribed: z.boolean() }) }).parse(answer.body).data;
const placesWithTraces = async (): Promise<string[]> => [
  ...new Set((await dumpOf(testApp)).filter(({ text }) => tracesIn(text).length > 0).map(({ place }) => place)),
];
/** What is held of the other contact of the company. */
const heldOfOthers = async (): Promise<string[]> =>
  (await dumpOf(testApp)).filter(({ place, text }) => /Bo Other|contact else/.test(text) && place !== 'logs').map(({ place }) => place);

/** The receipt of an erasure that nothing disturbed: what one that crashed has to show too. */
let undisturbed: Record<string, number> = {};

test('whatever holds a trace of a contact says so in its entity, and a step of the erasure ends it', async () => {
  const places = await placesWithTraces();
  const kinds = places.flatMap((place) => (place.startsWith('table ') ? [place.slice(6)] : []));
  expect(kinds.length).toBeGreaterThan(20);
  expect(places).toEqual(expect.arrayContaining(['bucket media', 'bucket contact-imports', 'bucket contact-search']));
  const ended = registry.filter(({ personalData, endsBy }) => personalData !== undefined && endsBy === undefined).map(({ name }) => name);
  expect(kinds.filter((kind) => !ended.includes(kind))).toEqual([]);
  expect(steps.flatMap((step) => step.ends).toSorted()).toEqual(ended.toSorted());
});

/** Kinds that the fixture writes none of, because they hold nothing of a contact: settings, catalog, counts, hashes and places. */
const withoutContacts = `
  tag tag-name segment retention keywords canned-reply presence template template-id template-sync verification-template
  shop-product shop-product-claim shop-settings shop-category shop-category-slug shop-connection shop-domain
  shop-installation shop-order-notification shop-delivery shop-receiver-post campaign-key campaign-stats-part campaign-failures
  template-reach template-use template-creates usage-part crm-retry-key company-limit phone-check-quota verification-code-rate verification-proofs
  verification-signature due-watermark due-replay due-progress stream-shard delayed-batch restored-copy passkey passkey-challenge notice-hour
  provider-app company-app provider-holder account-check signup rate-card spend-account spend-alerts spend-bill token-ceiling campaign-reply
  weekly-summary reach-estimate volume-tiers`
  .trim()
  .split(/\s+/);

test('the erasure is tested on every kind of item that holds something of a contact, and a new kind is tried on it or named here', async () => {
  await generateTable(); // loads every store, whose entities name themselves
  const written = new Set((await testApp.dump()).map(({ kind }) => kind));
  const ofCallers = registry.filter(({ endsBy }) => endsBy !== undefined).map(({ name }) => name);
  const untried = registry.map(({ name }) => name).filter((name) => !written.has(name) && !ofCallers.includes(name));
  expect(untried.filter((name) => !withoutContacts.includes(name))).toEqual([]);
  const known = registry.filter(({ personalData }) => personalData === undefined).map(({ name }) => name);
  expect(withoutContacts.filter((name) => !known.includes(name))).toEqual([]);
});

test('the personal data of a contact that nobody erases stays for as long as the contact does, and a viewer cannot erase it', async () => {
  const answer = await testApp.call({
    method: 'POST',
    path: `/api/v1/contacts/${known.contactId}/erase`,
    token: known.company.tokens.member,
  });
  expect(answer.status).toBe(403);
  expect(await placesWithTraces()).not.toEqual([]);
});

attack(
  'after an erasure no trace of the contact is in the table, the buckets, the queues or the logs, and the others lose nothing',
  [
    {
      in: 'functions/media/service/uploads.ts',
      replace: 'return () => deleteObject(mediaBucket, key);',
      by: 'return undefined;',
    },
    { in: 'functions/messaging/service/erase-messages.ts', replace: 'await deleteMessage({ companyId, contactId, id });', by: '' },
    {
      in: 'functions/webhooks/service/erase-deliveries.ts',
      replace: 'data?.contact_id === subject.contactId || mentionsContact(body, subject)',
      by: 'false',
    },
    { in: 'functions/erasures/service/erase-set-aside.ts', replace: 'contactId === String(subject.contactId)', by: 'false' },
    {
      in: 'functions/shop/service/erase-customer.ts',
      replace: 'redactedAt === undefined && isOfSubject',
      by: 'redactedAt !== undefined && isOfSubject',
    },
  ],
  async () => {
    const before = await heldOfOthers();
    expect((await call('POST', `/contacts/${known.contactId}/erase`)).status).toBe(202);
    await testApp.drain();
    const left = (await dumpOf(testApp)).filter(({ text }) => tracesIn(text).length > 0);
    expect(left.map(({ place, text }) => `${place}: ${text.slice(0, 300)}`)).toEqual([]);
    // an import's file with a row of the contact goes whole
    expect(before.filter((place) => place === 'bucket contact-imports').length).toBeGreaterThan(0);
    const others = (places: string[]): string[] => places.filter((place) => place !== 'bucket contact-imports').toSorted();
    expect(others(await heldOfOthers())).toEqual(others(before));
  },
);

test('the receipt says how much of each kind was removed, the same at every call, and stays', async () => {
  const receipt = await receiptOf(known.contactId);
  undisturbed = receipt.removed;
  expect(receipt).toMatchObject({ contact_id: known.contactId, status: 'done', cause: 'request', checked_at: null });
  // the contact has no user id, by which the provider keeps it
  const own = steps.filter(({ isForeign }) => !isForeign);
  expect(Object.keys(receipt.removed).toSorted()).toEqual(own.map(({ name }) => name).toSorted());
  expect(receipt.removed).toMatchObject({ contacts: 1, files: 2, orders: 1, leads: 1, carts: 1, import_files: 2 + 1 });
  const again = await call('POST', `/contacts/${known.contactId}/erase`);
  expect(z.object({ data: erasureRecord }).parse(again.body).data).toEqual(receipt);
  expect((await call('GET', `/contacts/${known.contactId}`)).status).toBe(404);
  expect((await call('GET', `/contacts/${known.otherId}/erase`)).status).toBe(404);
});

test('a second pass, a day later, removes what was on its way, and then only the counts and the id are left', async () => {
  await testApp.passTime(60);
  testApp.clock.advance(dayMs + 3_600_000);
  await testApp.passTime(120);
  expect(await receiptOf(known.contactId)).toMatchObject({
    // the deletion of the contact wrote an empty, hidden summary of its conversation again, and its event was delivered
    removed: { ...undisturbed, conversations: 2, deliveries: expect.any(Number) },
    checked_at: expect.any(String),
  });
  const [item] = await testApp.dump({ kind: 'erasure', contactId: known.contactId });
  expect(Object.keys(item ?? {})).not.toContain('sealedSubject');
});

attack(
  'an import, a request or a message of the same recipient makes a contact that is not subscribed, whatever the request says',
  [{ in: 'functions/contacts/service/erased-identities.ts', replace: 'subscribed: false,', by: '' }],
  async () => {
    const created = contactIn(await call('POST', '/contacts', { phone: `+${wilhelmina.phone}`, subscribed: true }));
    expect(created.subscribed).toBe(false);
    expect(created.id).not.toBe(known.contactId);
    // erased once more, then synced in bulk; another number is subscribed as always
    await eraseContact(known.company.id, created.id, { cause: 'request' });
    await testApp.drain();
    expect(
      (
        await call('POST', '/contacts/bulk-sync', {
          contacts: [{ phone: wilhelmina.asWritten }, { phone: '0151 22222222' }],
          country_code: '49',
        })
      ).status,
    ).toBe(200);
    const listed = async () =>
      z
        .object({ data: z.array(z.object({ id: z.int(), phone: z.string(), subscribed: z.boolean() })) })
        .parse((await call('GET', '/contacts')).body).data;
    const again = async () => (await listed()).find(({ phone }) => phone === wilhelmina.phone);
    expect(await again()).toMatchObject({ subscribed: false });
    expect((await listed()).find(({ phone }) => phone === '4915122222222')).toMatchObject({ subscribed: true });
    const eraseAgain = async () => {
      await eraseContact(known.company.id, (await again())?.id ?? 0, { cause: 'request' });
      await testApp.drain();
      expect(await again()).toBeUndefined();
    };
    await eraseAgain();
    await testApp.call(inboundText(known.company, { from: wilhelmina.phone, text: 'Hello again' }));
    await testApp.drain();
    expect(await again()).toMatchObject({ subscribed: false });
    await eraseAgain();
    const file = `phone,subscribed\n${wilhelmina.phone},yes\n`;
    const upload = z
      .object({ data: z.object({ id: z.int(), upload: z.object({ url: z.string(), headers: z.record(z.string(), z.string()) }) }) })
      .parse((await call('POST', '/contacts/imports', { filename: 'people.csv', size: file.length })).body).data;
    await fetch(upload.upload.url, { method: 'PUT', headers: upload.upload.headers, body: file });
    await call('POST', `/contacts/imports/${upload.id}/start`);
    await testApp.drain();
    expect(await again()).toMatchObject({ subscribed: false });
  },
);

attack(
  'what a contact was known by before is erased with it, and remembered: its former phone and user id find nothing, and make no subscriber',
  [
    { in: 'functions/contacts/service/erase-contact.ts', replace: "formerUserIds: valuesOf('user:'),", by: '' },
    { in: 'functions/verification/service/erase-verifications.ts', replace: 'phonesOf(subject).map', by: '[subject.phone].map' },
  ],
  async () => {
    const company = await newCompany();
    const [phone, nextPhone, userId, nextUserId] = ['4915190000001', '4915190000002', 'DE.5550001', 'DE.5550002'];
    const post = async (field: string, value: Record<string, unknown>) => {
      const changes = [{ field, value: { ...value, metadata: { phone_number_id: company.number.phoneNumberId } } }];
      await testApp.call(providerPost(company, { object: 'whatsapp_business_account', entry: [{ id: company.number.wabaId, changes }] }));
      await testApp.drain();
      testApp.clock.advance(2_000);
    };
    const timestamp = (): string => String(Math.floor(testApp.clock.now() / 1_000));
    const message = (id: string, more: Record<string, unknown>) => ({ messages: [{ id, timestamp: timestamp(), ...more }] });
    const text = { type: 'text', text: { body: 'Hello' } };
    await post('messages', message('wamid.former-1', { from: phone, from_user_id: userId, ...text }));
    await post('user_id_update', { user_id_update: [{ wa_id: phone, user_id: { previous: userId, current: nextUserId } }] });
    const { id: profile } = unwrap(await createProfile(company.id, { name: 'Sign-in' }));
    const headers = { 'x-public-key': unwrap(await issueKey(company.id, profile, {})).public_key };
    const verification = { method: 'POST', path: '/api/v1/verification/request', headers, body: { identifier: `+${phone}` } };
    expect((await testApp.call(verification)).status).toBe(200);
    const system = { type: 'user_changed_number', body: 'They have another number.', wa_id: nextPhone };
    await post('messages', message('wamid.former-2', { from: phone, type: 'system', system }));
    const contact = async (of: string) => (await testApp.dump({ kind: 'contact' })).find((item) => JSON.stringify(item).includes(of));
    const held = async (): Promise<string[]> =>
      (await dumpOf(testApp)).flatMap(({ place, text: found }) => (/1519000000[12]|DE\.555000[12]/.test(found) ? [place] : []));
    const requests = () => testApp.dump({ kind: requestEntityName, companyId: company.id });
    expect(await held()).not.toEqual([]);
    expect(await requests()).toHaveLength(1);
    await eraseContact(company.id, Number((await contact(nextPhone))?.['i']), { cause: 'request' });
    await testApp.drain();
    expect(await requests()).toEqual([]);
    expect(await held()).toEqual([]);
    const body = { phone: `+${phone}`, subscribed: true };
    const created = await testApp.call({ method: 'POST', path: '/api/v1/contacts', token: company.tokens.owner, body });
    expect(contactIn(created).subscribed).toBe(false);
    await post('messages', message('wamid.former-3', { from_user_id: userId, ...text }));
    expect(await contact(userId)).toMatchObject({ un: true });
  },
);

test('a contact that was deleted is erased in the same way thirty days later, when its row is purged', async () => {
  await emptyStore(testApp);
  known = await knownCompany(testApp, provider);
  expect((await call('DELETE', `/contacts/${known.contactId}`)).status).toBe(200);
  await testApp.drain();
  expect(await placesWithTraces()).not.toEqual([]);
  const { id: companyId } = known.company;
  await deleteItems(testApp, (item) => item['kind'] === 'contact' && item['c'] === companyId && item['i'] === known.contactId);
  await testApp.drain();
  expect(await placesWithTraces()).toEqual([]);
  expect(await receiptOf(known.contactId)).toMatchObject({
    status: 'done',
    cause: 'purge',
    removed: { ...undisturbed, deliveries: expect.any(Number) },
  });
});

const rounds = runSize(1, 8);
test(
  `a walk that crashes at each of its steps ends like one that does not, receipt included (${rounds} rounds)`,
  async () => {
    const { over, runWithCrash } = crashInjection();
    for (let round = 0; round < rounds; round++) {
      await emptyStore(testApp);
      known = await knownCompany(testApp, provider);
      await eraseContact(known.company.id, known.contactId, { cause: 'request' });
      let crashes = 0;
      {
        using _crashes = over(testApp, process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL'] ?? '');
        // each attempt gets a step further than the one before; in other rounds by more, so that it stops at other steps
        for (let step = 1 + round; ; step += 1 + round, crashes++) {
          if (await runWithCrash(step, async () => (await runErasure(known.company.id, known.contactId), true))) break;
          // as a message comes again: the lease of who crashed ends meanwhile
          testApp.clock.advance(30_000);
        }
      }
      expect(crashes).toBeGreaterThan(10);
      await testApp.drain();
      expect(await placesWithTraces()).toEqual([]);
      expect((await receiptOf(known.contactId)).removed).toEqual(undisturbed);
    }
  },
  60_000 + rounds * 60_000,
);
