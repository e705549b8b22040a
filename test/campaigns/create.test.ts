import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { TestCompany } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import { liveClaims } from '../../functions/campaigns/service/select-recipients.ts';
import { type Condition, mendedBy } from '../support/mutation.ts';
import { type CampaignFixture, type Contact, previewOf, refusal, startFixture } from './fixture.ts';

/** What creates a campaign, or adds a recipient to one: what is refused, what its values are, and that it happens once. */
let fixture: CampaignFixture;
let company: TestCompany;
let all: Contact[];

beforeAll(async () => {
  fixture = await startFixture();
  company = await fixture.campaigner();
  all = await fixture.people(company, 6);
});
afterAll(() => fixture.stop());

const inHours = (hours: number): string => new Date(fixture.testApp.clock.now() + hours * 3_600_000).toISOString();
const sale = () => ({ template_id: fixture.templateId(company, 'sale'), name: 'Sale', parammatch: { 1: 'name' } });
const toOf = async (): Promise<string[]> => (await fixture.ledger()).map(({ to }) => to);
const turn = (id: number, isActive: boolean) => fixture.api(company, 'PUT', `/${id}`, { is_active: isActive });

describe('a create is refused', () => {
  test.each([
    [{ template_id: 999 }, ['template_id']],
    [{ audience_type: 'group' }, ['group_id']],
    [{ group_id: 999 }, ['group_id']],
    [{ audience_type: 'all', group_id: 1 }, ['group_id']],
    [{ contact_id: 99_999 }, ['contact_id']],
    [{ parammatch: undefined }, ['paramvalues']],
    [{ parammatch: { 1: 'shoe_size' } }, ['parammatch']],
    [{ paramvalues: '{' }, ['paramvalues']],
    [{ send_now: false }, ['send_time']],
    [{ send_now: false, send_time: '2020-01-01T00:00:00Z' }, ['send_time']],
    [{ send_now: false, send_time: 'soon' }, ['send_time']],
    [{ send_time: 'soon' }, ['send_time']],
    [{ send_now: true, send_time: '2030-01-01T00:00:00Z' }, ['send_time']],
    [{ name: '' }, ['name']],
    [{ type: 'carrier_pigeon' }, ['type']],
  ])('of %j, naming the field', async (fields, named) => {
    expect(refusal(await fixture.api(company, 'POST', '', { ...sale(), ...fields }))).toEqual([422, 'validation_failed', ...named]);
  });

  test('for a variable without a value, by the name that the template shows', async () => {
    const answer = await fixture.api(company, 'POST', '', { ...sale(), parammatch: undefined });
    expect(answer.body).toMatchObject({
      errors: { paramvalues: ['Variable {{1}} of the body has no value: set paramvalues or parammatch.'] },
    });
  });

  test('for a template with a picture and none given', async () => {
    const body = { name: 'Look', template_id: fixture.templateId(company, 'picture') };
    expect(refusal(await fixture.api(company, 'POST', '', body))).toEqual([422, 'validation_failed', 'media_url']);
  });
});

describe('values of placeholders', () => {
  test.each([
    ['an object by part', { body: { 1: 'Ana', 2: 'A-7' } }],
    ['JSON text', '{"1":"Ana","2":"A-7"}'],
    ['a list', ['Ana', 'A-7']],
    ['a flat object', { 1: 'Ana', 2: 'A-7' }],
  ])('come as %s', async (_, paramvalues) => {
    const before = (await fixture.ledger()).length;
    const body = { name: 'Order', template_id: fixture.templateId(company, 'order'), contact_id: all[0]?.id, paramvalues };
    await fixture.create(company, body);
    await fixture.testApp.drain();
    const [sent] = (await fixture.ledger()).slice(before);
    expect(JSON.stringify(sent?.payload)).toContain('Ana');
    expect(JSON.stringify(sent?.payload)).toContain('A-7');
  });

  test('a contact without the field gets the value for all, or nothing', async () => {
    const [recipient] = await fixture.people(company, 1);
    const body = {
      name: 'Order',
      template_id: fixture.templateId(company, 'order'),
      contact_id: recipient?.id,
      parammatch: { 1: 'name', 2: 'custom.order' },
    };
    const id = await fixture.create(company, body);
    await fixture.testApp.drain();
    expect(await fixture.details(company, id)).toMatchObject({
      status: 'failed',
      failure_reason: 'no_recipients',
      excluded: { missing_parameter: 1 },
    });
    await fixture.create(company, { ...body, paramvalues: { 2: 'your order' } });
    await fixture.testApp.drain();
    expect(JSON.stringify((await fixture.ledger(recipient?.phone)).map(({ payload }) => payload))).toContain('your order');
  });
});

describe('a copy', () => {
  test('has template, values and audience of its campaign, and is never sent without a word of when', async () => {
    const made = await fixture.api(company, 'POST', '', { ...sale(), contact_id: all[3]?.id, send_time: inHours(9) });
    expect(made.body).toMatchObject({ message: 'The campaign was scheduled.', data: { status: 'scheduled', send_now: false } });
    const { id } = z.object({ data: z.object({ id: z.int() }) }).parse(made.body).data;
    const clone = (body: Record<string, unknown>) => fixture.api(company, 'POST', `/${id}`, body);
    for (const silent of [{}, { send_now: false }]) expect(refusal(await clone(silent))).toEqual([422, 'validation_failed', 'send_time']);
    const before = (await toOf()).length;
    const copy = z.looseObject({ data: z.looseObject({ id: z.int() }) }).parse((await clone({ send_now: true })).body).data;
    expect(copy).toMatchObject({
      name: 'Sale (copy)',
      audience_type: 'contact',
      contact_id: all[3]?.id,
      parammatch: { body: { 1: 'name' } },
    });
    await fixture.testApp.passTime(60);
    expect((await toOf()).slice(before)).toEqual([all[3]?.phone]);
    expect((await fixture.details(company, id)).status).toBe('scheduled');
    expect((await fixture.api(await fixture.campaigner(), 'POST', `/${id}`, { send_now: true })).status).toBe(404);
  });
});

describe('campaigns/send', () => {
  test('sends to one contact with its own values, also when the campaign is complete; paused, it is held', async () => {
    const id = await fixture.create(company, { ...sale(), contact_id: all[2]?.id });
    await fixture.testApp.drain();
    const [phone, second] = ['4915799000001', '4915799000002'];
    const sent = await fixture.api(company, 'POST', '/send', { phone: `+${phone}`, campaing_id: id, data: { 1: 'dear Ada' } }, 'one');
    expect(sent.body).toMatchObject({ data: { message_wamid: null, campaign_id: id, queue_state: 'scheduled' } });
    expect(sent.headers['deprecation']).toBeDefined();
    const repeated = await fixture.api(company, 'POST', '/send', { phone: `+${phone}`, campaing_id: id, data: { 1: 'dear Ada' } }, 'one');
    expect(repeated.body).toEqual(sent.body);
    await fixture.testApp.drain();
    expect(JSON.stringify((await fixture.ledger(phone)).map(({ payload }) => payload))).toContain('dear Ada');
    expect(await fixture.ledger(phone)).toHaveLength(1);
    expect((await fixture.details(company, id)).statistics).toMatchObject({ total: 2, scheduled: 0 });
    const later = await fixture.create(company, { ...sale(), contact_id: all[3]?.id, send_now: false, send_time: inHours(3) });
    await turn(later, false);
    const held = await fixture.api(company, 'POST', '/send', { phone: `+${second}`, campaign_id: later, data: ['you'] });
    expect(held.body).toMatchObject({ data: { queue_state: 'held' } });
    await fixture.testApp.passTime(30);
    expect(await fixture.ledger(second)).toEqual([]);
    await turn(later, true);
    await fixture.testApp.passTime(5);
    expect(await fixture.ledger(second)).toHaveLength(1);
    await fixture.api(company, 'DELETE', `/${later}`);
    expect((await fixture.api(company, 'POST', '/send', { phone: `+${second}`, campaign_id: later, data: ['you'] })).status).toBe(404);
    expect(refusal(await fixture.api(company, 'POST', '/send', { phone: 'x', campaign_id: id }))).toEqual([
      422,
      'validation_failed',
      'phone',
    ]);
    expect(refusal(await fixture.api(company, 'POST', '/send', { phone: `+${phone}` }))).toEqual([422, 'validation_failed', 'campaign_id']);
  });
});

describe('prevent_template_duplicates', () => {
  test('leaves out whom a campaign of the template has already, in whichever order they are constructed', async () => {
    const own = await fixture.campaigner();
    await fixture.people(own, 8);
    const body = { name: 'Sale', template_id: fixture.templateId(own, 'sale'), paramvalues: ['you'], prevent_template_duplicates: true };
    const ids = await Promise.all([1, 2, 3].map(() => fixture.create(own, body)));
    await fixture.testApp.drain();
    const counts = await Promise.all(ids.map(async (id) => (await fixture.details(own, id)).audience_count));
    expect(counts.toSorted((a, b) => a - b)).toEqual([0, 0, 8]);
    const preview = await fixture.api(own, 'POST', '/audience-preview', {
      template_id: body.template_id,
      prevent_template_duplicates: true,
    });
    expect(previewOf(preview)).toMatchObject({ eligible_contacts: 0, excluded: { template_duplicate: 8 } });
  });
});

describe('what is stored of whom a template reached', () => {
  const recordedOfEach: Condition = {
    in: 'functions/campaigns/service/send-to-contact.ts',
    replace: 'claims: liveClaims(reach.claims, now())',
    by: 'claims: { ...reach.claims, [batch.batch]: { below: 1, bits: new Uint8Array(), few: [contactId], at: now() } }',
  };
  mendedBy('grows with no single recipient, and a repeated call still knows its own', recordedOfEach, async () => {
    const own = await fixture.campaigner();
    const [first, ...people] = await fixture.people(own, 5);
    const body = { name: 'Order', template_id: fixture.templateId(own, 'plain'), prevent_template_duplicates: true };
    const id = await fixture.create(own, { ...body, contact_id: first?.id });
    await fixture.testApp.drain();
    const sendTo = (phone: string | undefined, key: string): Promise<Answer> =>
      fixture.api(own, 'POST', '/send', { campaign_id: id, phone: `+${phone}` }, key);
    for (const { phone } of people) expect((await sendTo(phone, phone)).status).toBe(200);
    expect((await sendTo(people[0]?.phone, people[0]?.phone ?? '')).status).toBe(200);
    expect((await sendTo(people[0]?.phone, 'another call')).status).toBe(422);
    const [reach] = await fixture.testApp.dump({ kind: 'template-reach', companyId: own.id });
    expect(Object.keys(reach?.['claims'] as Record<string, unknown>)).toEqual([String(id)]);
  });

  test('has the claims of the latest campaigns alone, and none of operations of before', () => {
    const at = 1_700_000_000_000;
    const claims = Object.fromEntries(
      Array.from({ length: 150 }, (_, index) => [String(index), { below: 2, bits: new Uint8Array(), few: [1], at: at + index }]),
    );
    const live = liveClaims({ ...claims, 'op-1': { below: 2, bits: new Uint8Array(), at: at + 200 } }, at + 1_000);
    expect([Object.keys(live).length, live['150'], live['149']?.at, live['op-1'], live['0']]).toEqual([
      99,
      undefined,
      at + 149,
      undefined,
      undefined,
    ]);
  });
});

describe('an Idempotency-Key', () => {
  test('makes one campaign, also after a day; other parameters are a conflict', async () => {
    const body = { ...sale(), contact_id: all[4]?.id, send_now: false, send_time: inHours(300) };
    const first = await fixture.api(company, 'POST', '', body, 'spring-1');
    fixture.testApp.clock.advance(26 * 3_600_000);
    const again = await fixture.api(company, 'POST', '', body, 'spring-1');
    expect((again.body as { data: { id: number } }).data.id).toBe((first.body as { data: { id: number } }).data.id);
    expect(refusal(await fixture.api(company, 'POST', '', { ...body, name: 'Other' }, 'spring-1'))).toEqual([
      409,
      'idempotency_key_reused',
    ]);
  });
});

interface Cursor {
  next_cursor: string | null;
}

describe('the list', () => {
  test('is newest first, by type and by a part of the name, and of this company alone', async () => {
    const own = await fixture.campaigner();
    const [recipient] = await fixture.people(own, 1);
    const body = { template_id: fixture.templateId(own, 'plain'), contact_id: recipient?.id };
    for (const name of ['Alpha one', 'Beta', 'Alpha two'])
      await fixture.create(own, { ...body, name, type: name === 'Beta' ? 'bot' : 'api' });
    await fixture.testApp.drain();
    const names = async (query: string): Promise<unknown> => {
      const answer = await fixture.api(own, 'GET', query);
      const { data, meta } = z
        .looseObject({ data: z.array(z.looseObject({ name: z.string() })), meta: z.looseObject({ total: z.int() }) })
        .parse(answer.body);
      return [data.map(({ name }) => name), meta.total];
    };
    expect(await names('')).toEqual([['Alpha two', 'Beta', 'Alpha one'], 3]);
    expect(await names('?search=alpha&limit=1')).toEqual([['Alpha two'], 2]);
    expect(await names('?search=alpha&limit=1&page=2')).toEqual([['Alpha one'], 2]);
    expect(await names('?type=bot')).toEqual([['Beta'], 1]);
    const waiting = await fixture.create(own, { ...body, name: 'Gamma', send_time: inHours(3) });
    expect(await names('?status=completed&limit=2')).toEqual([['Alpha two', 'Beta'], 3]);
    expect(await names('?status=completed&limit=2&page=2')).toEqual([['Alpha one'], 3]);
    expect(await names('?status=completed&type=api&search=one')).toEqual([['Alpha one'], 1]);
    expect(await names('?status=scheduled')).toEqual([['Gamma'], 1]);
    await fixture.api(own, 'PUT', `/${waiting}`, { is_active: false });
    expect([await names('?status=scheduled'), await names('?status=paused')]).toEqual([
      [[], 0],
      [['Gamma'], 1],
    ]);
    const { meta } = (await fixture.api(own, 'GET', '?status=completed&limit=1')).body as { meta: Cursor };
    const cursor = encodeURIComponent(meta.next_cursor ?? '');
    expect(await names(`?status=completed&limit=1&cursor=${cursor}`)).toEqual([['Beta'], 3]);
    expect(refusal(await fixture.api(own, 'GET', `?status=paused&limit=1&cursor=${cursor}`))).toEqual([400, 'invalid_cursor']);
    expect(refusal(await fixture.api(own, 'GET', '?status=deleted'))).toEqual([422, 'validation_failed', 'status']);
  });
});
