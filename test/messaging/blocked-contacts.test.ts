import { afterAll, describe, expect, test } from 'vitest';
import type { BlockClaim, Contact } from '../../functions/contacts/contract/stored.ts';
import { blockClaimMs, claimBlock, confirmBlock, hasBlock, joinBlocks, releaseBlock } from '../../functions/contacts/domain/block.ts';
import { readBlockAnswer } from '../../functions/messaging/domain/block.ts';
import { queueTemplate } from '../../functions/messaging/service/queue-template.ts';
import { inboundText, type TestCompany } from '../support/company.ts';
import { type Condition, mendedBy } from '../support/mutation.ts';
import { tableError } from '../support/sdk-hooks.ts';
import { startTemplateFixture } from '../templates/fixture.ts';
import { only, problemOf, resultOf } from './fixture.ts';

/** Contacts that the company blocks at the provider: nothing is sent to them until they are unblocked. */
const fixture = await startTemplateFixture();
afterAll(() => fixture.stop());
const { testApp } = fixture;
let phones = 4_915_400_000_000;
const nextPhone = (): string => String(++phones);

const api = (company: TestCompany, method: string, path: string, body?: object) =>
  testApp.call({ method, path: `/api/v1${path}`, token: company.tokens.owner, ...(body ? { body } : {}) });
const callsOfBlocks = (): string[] => fixture.calls.filter(({ path }) => path.endsWith('/block_users')).map(({ method }) => method);
const dataOf = <T>(answer: { body: unknown }): T => (answer.body as { data: T }).data;

/** A customer who has just written to the company's number. */
const writer = async (company: TestCompany): Promise<{ phone: string; id: number }> => {
  const phone = nextPhone();
  await fixture.inbound({ company_id: company.id, from: phone, text: 'Hello' });
  await fixture.deliverAll();
  const [found] = dataOf<{ id: number }[]>(await api(company, 'GET', `/contacts?search=${phone}`));
  return { phone, id: found?.id ?? 0 };
};

/** Whom the number of the company has blocked at the provider. */
const blockedAtProvider = async (company: TestCompany): Promise<string[]> => {
  const answer = await fetch(`${fixture.provider.url}/v19.0/${company.number.phoneNumberId}/block_users`, {
    headers: { authorization: `Bearer token-of-company-${company.id}` },
  });
  const { data } = (await answer.json()) as { data: { block_users: { wa_id: string }[] }[] };
  return data.flatMap(({ block_users: users }) => users.map(({ wa_id: user }) => user));
};

const eventsOf = async (company: TestCompany, id: number): Promise<[string, number | null][]> => {
  const events = dataOf<{ type: string; by: { user_id: number | null } }[]>(await api(company, 'GET', `/events?subject=contact:${id}`));
  return events.map(({ type, by }) => [type, by.user_id]);
};

const parcel = {
  name: 'parcel',
  language: 'en',
  category: 'UTILITY',
  status: 'APPROVED',
  components: [{ type: 'BODY', text: 'Your parcel has left.' }],
};

const sentAnyway: Condition = { in: 'functions/messaging/service/send-request.ts', replace: 'if (known?.isBlocked)', by: 'if (false)' };
mendedBy('a contact that is blocked gets no message of any kind, and all of them again once it is unblocked', sentAnyway, async () => {
  const company = await fixture.company();
  await fixture.templates(company, [parcel]);
  const [template] = dataOf<{ id: number }[]>(await api(company, 'GET', '/templates?name=parcel'));
  const templateId = template?.id ?? 0;
  const { phone, id } = await writer(company);
  const later = new Date(testApp.clock.now() + 3_600_000).toISOString();
  const scheduled = resultOf(await api(company, 'POST', '/messages/text', { phone, message: 'Later', scheduled_at: later }));
  const sends: [string, object][] = [
    ['/messages/text', { phone, message: 'Hello' }],
    ['/messages/text', { contact_id: id, message: 'Hello' }],
    ['/messages/text', { phone, message: 'Later', scheduled_at: later }],
    ['/messages/location', { phone, latitude: 1, longitude: 2 }],
    ['/messages/template', { phone, template_name: 'parcel', template_language: 'en' }],
  ];
  const notice = (nth: number) =>
    queueTemplate(
      company.id,
      { phone, name: undefined, template: { templateId, components: [] }, requiresConsent: false },
      { operationId: `notice:${nth}`, startedAt: testApp.clock.now() },
    );
  const preview = async () =>
    dataOf<{ eligible_contacts: number; excluded: { blocked: number } }>(
      await api(company, 'POST', '/campaigns/audience-preview', { audience_type: 'contact', contact_id: id, template_id: templateId }),
    );

  const blocked = await api(company, 'POST', `/contacts/${id}/block`);
  expect([blocked.status, dataOf<{ blocked: boolean }>(blocked).blocked], blocked.raw).toEqual([200, true]);
  expect(await blockedAtProvider(company)).toEqual([phone]);
  for (const [path, body] of sends) {
    const answer = await api(company, 'POST', path, body);
    expect([path, answer.status, problemOf(answer).code], answer.raw).toEqual([path, 422, 'recipient_blocked']);
  }
  expect(await notice(1)).toBe('blocked');
  expect(await preview()).toMatchObject({ eligible_contacts: 0, excluded: { blocked: 1 } });
  const campaign = { name: 'Parcels', template_id: templateId, audience_type: 'contact', contact_id: id, send_now: true };
  const { id: campaignId } = dataOf<{ id: number }>(await api(company, 'POST', '/campaigns', campaign));
  await testApp.drain();
  expect(dataOf<{ excluded: unknown }>(await api(company, 'GET', `/campaigns/${campaignId}`)).excluded).toEqual({ blocked: 1 });
  const alone = await api(company, 'POST', '/campaigns/send', { campaign_id: campaignId, contact_id: id });
  expect([alone.status, problemOf(alone).code], alone.raw).toEqual([422, 'recipient_blocked']);
  await testApp.passTime(3_700);
  expect(await fixture.ledger(phone)).toEqual([]);
  const unsent = only((await fixture.messages(company.id)).filter((message) => message.id === scheduled.message_id));
  expect([unsent.status, unsent.error?.code]).toEqual([5, 'recipient_blocked']);
  expect(dataOf<{ contact: { blocked: boolean } }>(await api(company, 'GET', `/conversations/${id}`)).contact.blocked).toBe(true);

  const unblocked = await api(company, 'DELETE', `/contacts/${id}/block`);
  expect([unblocked.status, dataOf<{ blocked: boolean }>(unblocked).blocked], unblocked.raw).toEqual([200, false]);
  expect(await blockedAtProvider(company)).toEqual([]);
  expect(await preview()).toMatchObject({ eligible_contacts: 1, excluded: { blocked: 0 } });
  for (const [path, body] of sends.filter(([, { scheduled_at: at }]: [string, { scheduled_at?: string }]) => at === undefined))
    expect([path, (await api(company, 'POST', path, body)).status]).toEqual([path, 200]);
  expect(await notice(2)).toBe('queued');
  await testApp.passTime(60);
  expect(await fixture.ledger(phone)).toHaveLength(5);
});

test('blocking twice is one block: by one call of the provider, with one audit entry and one event, which name who did it', async () => {
  const company = await fixture.company();
  const { id } = await writer(company);
  fixture.line();
  for (const method of ['POST', 'POST', 'DELETE', 'DELETE']) expect((await api(company, method, `/contacts/${id}/block`)).status).toBe(200);
  expect(callsOfBlocks()).toEqual(['POST', 'DELETE']);
  await testApp.drain();
  const owner = company.users.owner;
  const wanted = ['contact.blocked', 'contact.unblocked'];
  expect((await eventsOf(company, id)).filter(([type]) => wanted.includes(type))).toEqual(wanted.map((type) => [type, owner]));
  const audited = await api(company, 'GET', '/audit');
  expect(audited.status, audited.raw).toBe(200);
  const entries = dataOf<{ action: string }[]>(audited);
  const ofContact = entries.filter(({ action }) => wanted.includes(action));
  expect(ofContact).toMatchObject([
    {
      action: 'contact.unblocked',
      target: { kind: 'contact', id: String(id) },
      by: { user_id: owner },
      changes: { blocked: { from: true, to: false } },
    },
    {
      action: 'contact.blocked',
      target: { kind: 'contact', id: String(id) },
      by: { user_id: owner },
      changes: { blocked: { from: false, to: true } },
    },
  ]);
});

test('a contact who did not write in the last 24 hours is not blocked, be it we or the provider who knows it, and is written to as before', async () => {
  const company = await fixture.company();
  const silent = dataOf<{ id: number }>(await api(company, 'POST', '/contacts', { phone: nextPhone() }));
  expect(problemOf(await api(company, 'POST', `/contacts/${silent.id}/block`)).code).toBe('contact_not_recent');
  // the provider knows nothing of this message
  const phone = nextPhone();
  expect((await testApp.call(inboundText(company, { from: phone, text: 'Hello', at: testApp.clock.now() }))).status).toBe(200);
  await testApp.drain();
  const [known] = dataOf<{ id: number }[]>(await api(company, 'GET', `/contacts?search=${phone}`));
  const refused = await api(company, 'POST', `/contacts/${known?.id}/block`);
  expect([refused.status, problemOf(refused).code]).toEqual([422, 'contact_not_recent']);
  expect((await fixture.send(company, phone, 'Hello')).status).toBe(200);
  expect(dataOf<{ blocked: boolean }>(await api(company, 'GET', `/contacts/${known?.id}`)).blocked).toBe(false);
  await testApp.drain();
  expect((await eventsOf(company, known?.id ?? 0)).filter(([type]) => /block/.test(type))).toEqual([]);
  expect((await api(company, 'POST', '/contacts/987654/block')).status).toBe(404);
});

test.each([
  ['POST', 'blocked', true],
  ['DELETE', 'unblocked', false],
] as const)(
  'a %s that ends between the answer of the provider and our write is completed by the next one',
  async (method, _name, isBlocked) => {
    const company = await fixture.company();
    const { phone, id } = await writer(company);
    if (!isBlocked) expect((await api(company, 'POST', `/contacts/${id}/block`)).status).toBe(200);
    {
      let writes = 0;
      using _killed = testApp.onTable(({ command, input, when }) => {
        const isOfContact = when === 'before' && /^(Put|Transact)/.test(command) && JSON.stringify(input).includes('#CT#');
        // the first write is the claim, the next one confirms it
        if (isOfContact && ++writes > 1) throw tableError('AccessDeniedException');
      });
      expect((await api(company, method, `/contacts/${id}/block`)).status).toBeGreaterThanOrEqual(500);
    }
    expect(await blockedAtProvider(company)).toEqual(isBlocked ? [phone] : []);
    expect(problemOf(await fixture.send(company, phone, 'Hello')).code).toBe('recipient_blocked');
    const other = await api(company, isBlocked ? 'DELETE' : 'POST', `/contacts/${id}/block`);
    expect([other.status, problemOf(other).code]).toEqual([409, 'conflict']);
    const again = await api(company, method, `/contacts/${id}/block`);
    expect([again.status, dataOf<{ blocked: boolean }>(again).blocked], again.raw).toEqual([200, isBlocked]);
    expect((await fixture.send(company, phone, 'Hello')).status).toBe(isBlocked ? 422 : 200);
  },
);

test('a block whose answer was lost stops sending, and is made by the repetition; one that never left changes nothing', async () => {
  const company = await fixture.company();
  const { phone, id } = await writer(company);
  const isBlock = (path: string): boolean => path.endsWith('/block_users');
  fixture.line(({ path }) => (isBlock(path) ? { status: 429, body: { error: { code: 130429, message: 'Slower' } } } : 'pass'));
  expect((await api(company, 'POST', `/contacts/${id}/block`)).status).toBe(503);
  expect((await fixture.send(company, phone, 'Hello')).status).toBe(200);
  fixture.line(({ path }) => (isBlock(path) ? 'lose-answer' : 'pass'));
  expect((await api(company, 'POST', `/contacts/${id}/block`)).status).toBe(503);
  expect(problemOf(await fixture.send(company, phone, 'Hello')).code).toBe('recipient_blocked');
  fixture.line();
  expect(dataOf<{ blocked: boolean }>(await api(company, 'POST', `/contacts/${id}/block`)).blocked).toBe(true);
});

describe('the block of a contact', () => {
  const claim = (to: BlockClaim['to'], at = 0, id = `${to} ${at}`): BlockClaim => ({ id, to, at, by: { via: 'api', userId: 1 } });
  const places = [{ numberId: 1, user: '+49151' }];
  const contact = { id: 1, rev: 0 } as Contact;
  const claimed = (seen: Contact, given: BlockClaim): Contact => {
    const step = claimBlock(seen, given, places);
    return step.outcome === 'claimed' ? step.contact : expect.unreachable(step.outcome);
  };
  const blocked = confirmBlock(claimed(contact, claim('blocked')), 'blocked 0', places);

  test('stops sending from its claim on, is shown once it is confirmed, and leaves nothing when it is taken back or refused', () => {
    const pending = claimed(contact, claim('blocked'));
    expect([pending.isBlocked, hasBlock(pending)]).toEqual([true, false]);
    expect([blocked.isBlocked, hasBlock(blocked), blocked.block?.claim]).toEqual([true, true, undefined]);
    expect(releaseBlock(pending, 'blocked 0')).toEqual(contact);
    const leaving = claimed(blocked, claim('unblocked'));
    expect([leaving.isBlocked, hasBlock(leaving)]).toEqual([true, true]);
    expect(confirmBlock(leaving, 'unblocked 0', [])).toEqual(contact);
    expect(releaseBlock(leaving, 'unblocked 0')).toEqual(blocked);
  });

  test('is no step where it is as wanted, and waits for a call in the other direction as long as that may run', () => {
    expect(claimBlock(blocked, claim('blocked'), places)).toEqual({ outcome: 'unchanged' });
    expect(claimBlock(contact, claim('unblocked'), places)).toEqual({ outcome: 'unchanged' });
    const pending = claimed(contact, claim('blocked'));
    expect(claimBlock(pending, claim('unblocked', blockClaimMs - 1), [])).toEqual({ outcome: 'busy', untilMs: blockClaimMs });
    expect(claimBlock(pending, claim('unblocked', blockClaimMs), [])).toMatchObject({ outcome: 'claimed', isRepeated: true });
    expect(claimBlock(pending, claim('blocked', 1), [])).toMatchObject({ outcome: 'claimed', isRepeated: true });
  });

  test('is confirmed and released by the call that claimed it last alone', () => {
    const taken = claimed(claimed(contact, claim('blocked')), claim('blocked', 1));
    expect(confirmBlock(taken, 'blocked 0', places)).toBe(taken);
    expect(releaseBlock(taken, 'blocked 0')).toBe(taken);
  });

  test('of two records of one customer is that of both', () => {
    const other = { places: [{ numberId: 2, user: 'DE.1' }] };
    expect(joinBlocks(blocked.block, other)?.places).toEqual([...places, ...other.places]);
    expect(joinBlocks(undefined, other)).toBe(other);
    expect(joinBlocks(undefined, undefined)).toBeUndefined();
  });

  test.each([
    [200, { block_users: { added_users: [{ input: '+1' }] } }, { outcome: 'done' }],
    [
      400,
      {
        block_users: { failed_users: [{ errors: [{ code: 131047, message: 'Re-engagement' }] }] },
        error: { code: 139100, message: 'Some' },
      },
      { outcome: 'refused', code: 131047, title: 'Re-engagement' },
    ],
    [400, { error: { code: 139101, message: 'Full' } }, { outcome: 'refused', code: 139101, title: 'Full' }],
    [400, { error: { code: 130429, message: 'Slower' } }, { outcome: 'later', isUndone: true }],
    [500, { error: { code: 139103, message: 'Again' } }, { outcome: 'later', isUndone: false }],
    [503, undefined, { outcome: 'later', isUndone: false }],
  ])('is, after the answer %i %j, %j', (status, body, expected) => {
    expect(readBlockAnswer(status, body)).toEqual(expected);
  });
});
