import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { setConsent } from '../../functions/contacts/service/consent.ts';
import { buildAudience } from '../../functions/campaigns/service/build-audience.ts';
import { completeInterruptedRetry } from '../../functions/campaigns/service/retry-campaign.ts';
import { sendBatch } from '../../functions/campaigns/service/send-batch.ts';
import { updatePreference } from '../../functions/crm/store/preference.ts';
import { updateNumber } from '../../functions/account/service/numbers.ts';
import { type TestCompany, unwrap } from '../support/company.ts';
import { isFullSize } from '../support/run-size.ts';
import { tableError } from '../support/sdk-hooks.ts';
import { type CampaignFixture, detailsOf, type Contact, previewOf, refusal, startFixture } from './fixture.ts';

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
const turn = (id: number, isActive: boolean, more: Record<string, unknown> = {}) =>
  fixture.api(company, 'PUT', `/${id}`, { is_active: isActive, ...more });
const messagesOf = async (id: number, query = '') => {
  const answer = await fixture.api(company, 'GET', `/${id}/messages${query}`);
  return z
    .looseObject({
      data: z.array(
        z.looseObject({
          id: z.int().nullable(),
          contact_id: z.int(),
          status: z.int(),
          status_name: z.string(),
          phone: z.string().nullable(),
        }),
      ),
      meta: z.looseObject({ total: z.int(), next_cursor: z.string().nullable() }),
    })
    .parse(answer.body);
};

describe('consent', () => {
  test('is asked when recipients are chosen: marketing leaves out who said no, and the preview says the same', async () => {
    const people = await fixture.people(company, 4, { group_id: await group('Consent') });
    await optOut(people[0]);
    const body = { ...sale(), audience_type: 'group', group_id: await group('Consent') };
    const preview = previewOf(
      await fixture.api(company, 'POST', '/audience-preview', {
        audience_type: 'group',
        group_id: body.group_id,
        template_id: body.template_id,
      }),
    );
    expect(preview).toMatchObject({ eligible_contacts: 3, total: 4, excluded: { opted_out: 1 } });
    const id = await fixture.create(company, body);
    await fixture.testApp.passTime(3);
    expect(await fixture.details(company, id)).toMatchObject({ status: 'completed', audience_count: 3, excluded_count: 1 });
    expect(await fixture.ledger(people[0]?.phone)).toEqual([]);
  });

  test('is asked again at the instant of the send', async () => {
    const people = await fixture.people(company, 3, { group_id: await group('Late') });
    const id = await fixture.create(company, { ...sale(), group_id: await group('Late') });
    await constructed(id);
    await optOut(people[1]);
    await fixture.testApp.passTime(5);
    const details = await fixture.details(company, id);
    expect(details).toMatchObject({ status: 'completed', statistics: { total: 3, skipped: 1 } });
    expect(await fixture.ledger(people[1]?.phone)).toEqual([]);
    // how far the others' statuses are is the provider's affair
    const names = (await messagesOf(id)).data.map(({ status_name }) => (status_name === 'skipped' ? 'skipped' : 'accepted'));
    expect(names.toSorted()).toEqual(['accepted', 'accepted', 'skipped']);
    const left = await messagesOf(id, '?status=skipped');
    expect([left.meta.total, left.data]).toMatchObject([1, [{ contact_id: people[1]?.id, error: { code: 'opted_out' } }]]);
    expect((await messagesOf(id, '?status=scheduled')).data).toEqual([]);
    for (const recipient of [people[0], people[2]]) expect(await fixture.ledger(recipient?.phone)).toHaveLength(1);
  });
});

describe('a team member with a verified work number', () => {
  test('is no recipient of a campaign to a group, and is one of a campaign to that contact alone', async () => {
    const groupId = await group('With staff');
    const [customer, member] = await fixture.people(company, 2, { group_id: groupId });
    const at = fixture.testApp.clock.now();
    const preference = { companyId: company.id, userId: 1, rev: 1, workNumber: member?.phone, verifiedAt: at, contactId: member?.id };
    await updatePreference({ ...preference, optedIn: false, notifyTasks: false, enrolment: undefined, updatedAt: at });
    const body = { audience_type: 'group', group_id: groupId, template_id: sale().template_id };
    expect(previewOf(await fixture.api(company, 'POST', '/audience-preview', body))).toMatchObject({
      eligible_contacts: 1,
      excluded: { staff: 1 },
    });
    const id = await fixture.create(company, { ...sale(), ...body });
    const own = await fixture.create(company, { ...sale(), contact_id: member?.id });
    await fixture.testApp.passTime(5);
    expect(await fixture.details(company, id)).toMatchObject({ status: 'completed', audience_count: 1, excluded: { staff: 1 } });
    expect(await fixture.details(company, own)).toMatchObject({ status: 'completed', audience_count: 1 });
    expect([(await fixture.ledger(customer?.phone)).length, (await fixture.ledger(member?.phone)).length]).toEqual([1, 1]);
  });
});

describe('a pause', () => {
  test('holds what is unsent, and resuming sends exactly the rest', async () => {
    const people = await fixture.people(company, 5, { group_id: await group('Pause') });
    const id = await fixture.create(company, { ...sale(), group_id: await group('Pause') });
    await constructed(id);
    expect(detailsOf(await turn(id, false))).toMatchObject({ status: 'paused', is_active: false, pause_reason: 'user' });
    const before = (await toOf()).length;
    await fixture.testApp.passTime(60);
    expect((await toOf()).length).toBe(before);
    expect(detailsOf(await turn(id, false)).status).toBe('paused');
    expect((await messagesOf(id, '?status=scheduled')).meta.total).toBe(5);
    expect(detailsOf(await turn(id, true)).status).toBe('sending');
    await fixture.testApp.passTime(5);
    expect((await toOf()).slice(before).toSorted()).toEqual(people.map(({ phone }) => phone).toSorted());
    expect((await fixture.details(company, id)).status).toBe('completed');
    expect(refusal(await turn(id, false))).toEqual([409, 'campaign_not_pausable']);
  });

  test('in the middle of the sending of several workers holds within two seconds, and resuming sends exactly the rest', async () => {
    const own = await fixture.campaigner(10);
    // batches are of a hundred, one for each worker
    const [count, workers] = isFullSize() ? [230, [0, 1, 2]] : [110, [0, 1]];
    const people = await fixture.people(own, count);
    const body = { name: 'Sale', template_id: fixture.templateId(own, 'sale'), parammatch: { 1: 'name' } };
    const id = await fixture.create(own, body);
    await buildAudience(own.id, id);
    const mine = new Set(people.map(({ phone }) => phone));
    const sent = async () => (await fixture.ledger()).filter(({ to }) => mine.has(to));
    const working = Promise.all(
      workers.map((batch) =>
        sendBatch({ companyId: own.id, campaignId: id, runNumber: 1, batch, chainCount: workers.length }, `worker ${batch}`),
      ),
    );
    await expect.poll(async () => (await sent()).length, { interval: 20 }).toBeGreaterThanOrEqual(10);
    await fixture.api(own, 'PUT', `/${id}`, { is_active: false });
    const answered = (await sent()).length;
    await working;
    const held = (await sent()).length;
    // no more than go in two seconds at ten a second
    expect(held - answered).toBeLessThanOrEqual(20);
    expect(held).toBeLessThan(count);
    await fixture.testApp.drain();
    expect((await sent()).length).toBe(held);
    unwrap(await updateNumber(own.id, 1, { rate: 1_000 }));
    await fixture.api(own, 'PUT', `/${id}`, { is_active: true });
    await fixture.testApp.passTime(30);
    const all = await sent();
    expect([all.length, new Set(all.map(({ to }) => to)).size]).toEqual([count, count]);
    expect((await fixture.details(own, id)).status).toBe('completed');
  });

  test('over a day past the time of sending is stale: resuming it needs a word', async () => {
    const id = await fixture.create(company, { ...sale(), contact_id: all[5]?.id, send_now: false, send_time: inHours(1) });
    await turn(id, false);
    fixture.testApp.clock.advance(26 * 3_600_000);
    expect(refusal(await turn(id, true))).toEqual([409, 'campaign_stale']);
    expect(detailsOf(await turn(id, true, { confirm_stale: true })).status).toBe('queued');
    await fixture.testApp.drain();
    expect((await fixture.details(company, id)).status).toBe('completed');
  });

  test('follows from the template: one that is paused holds its campaigns, and they say so', async () => {
    const own = await fixture.campaigner();
    await fixture.people(own, 3);
    const body = {
      name: 'Sale',
      template_id: fixture.templateId(own, 'sale'),
      paramvalues: ['you'],
      send_now: false,
      send_time: inHours(2),
    };
    const id = await fixture.create(own, body);
    await fixture.testApp.drain();
    const templates = [
      {
        name: 'sale',
        language: 'en',
        category: 'MARKETING',
        status: 'PAUSED',
        components: [{ type: 'BODY', text: 'Hi {{1}}, our sale starts today.' }],
      },
    ];
    await fixture.provider.control('PUT', '/_local/provider/templates', { waba_id: own.number.wabaId, notify: true, templates });
    await fixture.deliverAll();
    expect(await fixture.details(own, id)).toMatchObject({ status: 'paused', pause_reason: 'template_paused' });
    expect(refusal(await fixture.api(own, 'PUT', `/${id}`, { is_active: true }))).toEqual([422, 'template_not_approved']);
  });
});

describe('a scheduled campaign', () => {
  test('chooses its recipients at its time', async () => {
    const groupId = await group('Later');
    await fixture.people(company, 2, { group_id: groupId });
    const id = await fixture.create(company, { ...sale(), group_id: groupId, send_time: inHours(1) });
    await fixture.testApp.passTime(60);
    expect(await fixture.details(company, id)).toMatchObject({ status: 'scheduled', audience_count: 0 });
    const late = await fixture.people(company, 1, { group_id: groupId });
    await fixture.testApp.passTime(3_560);
    expect(await fixture.details(company, id)).toMatchObject({ status: 'completed', audience_count: 3 });
    expect(await fixture.ledger(late[0]?.phone)).toHaveLength(1);
  });

  test('whose group is gone by then fails, and sends nothing', async () => {
    const groupId = await group('Gone');
    await fixture.people(company, 1, { group_id: groupId });
    const id = await fixture.create(company, { ...sale(), group_id: groupId, send_now: false, send_time: inHours(1) });
    await fixture.testApp.call({ method: 'DELETE', path: `/api/v1/groups/${groupId}`, token: company.tokens.member });
    const before = (await toOf()).length;
    await fixture.testApp.passTime(3_700);
    expect(await fixture.details(company, id)).toMatchObject({ status: 'failed', failure_reason: 'audience_deleted', is_active: false });
    expect((await toOf()).length).toBe(before);
  });
});

describe('a scheduled campaign is changed', () => {
  test('in name, time and audience until its time; afterwards in its name alone', async () => {
    const [first, second] = [await group('First choice'), await group('Second choice')];
    await fixture.people(company, 1, { group_id: first });
    const [chosen] = await fixture.people(company, 1, { group_id: second });
    const id = await fixture.create(company, { ...sale(), group_id: first, send_time: inHours(5) });
    const put = (body: Record<string, unknown>) => fixture.api(company, 'PUT', `/${id}`, body);
    expect(refusal(await put({}))).toEqual([422, 'validation_failed', 'is_active']);
    expect(refusal(await put({ group_id: 999 }))).toEqual([422, 'validation_failed', 'group_id']);
    expect(refusal(await put({ send_time: '2020-01-01T00:00:00Z' }))).toEqual([422, 'validation_failed', 'send_time']);
    expect(detailsOf(await put({ is_active: false, name: 'Sale, moved' }))).toMatchObject({ status: 'paused', name: 'Sale, moved' });
    const changed = { send_time: inHours(1), audience_type: 'group', group_id: second };
    expect(detailsOf(await put(changed))).toMatchObject({ status: 'paused', group_id: second });
    expect(detailsOf(await put({ is_active: true }))).toMatchObject({ status: 'scheduled' });
    const before = (await toOf()).length;
    await fixture.testApp.passTime(3_700);
    expect((await toOf()).slice(before)).toEqual([chosen?.phone]);
    expect(refusal(await put({ send_time: inHours(1) }))).toEqual([409, 'campaign_not_editable']);
    expect(detailsOf(await put({ name: 'Sale, done' }))).toMatchObject({ status: 'completed', name: 'Sale, done' });
  });

  test('to a later time, and is not sent at the earlier one', async () => {
    const id = await fixture.create(company, { ...sale(), contact_id: all[2]?.id, send_time: inHours(1) });
    await fixture.testApp.passTime(3_500);
    detailsOf(await fixture.api(company, 'PUT', `/${id}`, { send_time: inHours(1) }));
    const before = (await toOf()).length;
    await fixture.testApp.passTime(600);
    expect([(await toOf()).length, (await fixture.details(company, id)).status]).toEqual([before, 'scheduled']);
    await fixture.testApp.passTime(3_200);
    expect((await fixture.details(company, id)).status).toBe('completed');
  });
});

describe('a delete', () => {
  test('cancels what is unsent; what was sent can be read; a template that was used is free again', async () => {
    const id = await fixture.create(company, { ...sale(), contact_id: all[1]?.id, send_now: false, send_time: inHours(0.2) });
    await fixture.testApp.drain();
    const inUse = () =>
      fixture.testApp.call({
        method: 'DELETE',
        path: `/api/v1/templates/${fixture.templateId(company, 'sale')}`,
        token: company.tokens.member,
      });
    expect(refusal(await inUse())).toEqual([409, 'template_in_use']);
    const before = (await toOf()).length;
    expect((await fixture.api(company, 'DELETE', `/${id}`)).body).toMatchObject({ data: { id, deleted: true } });
    await fixture.testApp.passTime(900);
    expect((await toOf()).length).toBe(before);
    expect((await fixture.details(company, id)).status).toBe('deleted');
    expect((await fixture.api(company, 'DELETE', `/${id}`)).status).toBe(404);
    expect(refusal(await turn(id, true))).toEqual([409, 'campaign_not_pausable']);
  });
});

describe('a retry', () => {
  test('moves only what can go again, says why the others stay, and each row moves once', async () => {
    const groupId = await group('Retry');
    const people = await fixture.people(company, 5, { group_id: groupId });
    const [transient, parameter, undeliverable, stopped, fine] = people.map(({ phone }) => phone);
    const codes = { [transient ?? '']: 131000, [parameter ?? '']: 132012, [undeliverable ?? '']: 131026, [stopped ?? '']: 131050 };
    await fixture.faults({ error_for: codes });
    const id = await fixture.create(company, { ...sale(), group_id: groupId });
    await fixture.testApp.passTime(3);
    await fixture.deliverAll();
    await fixture.faults({});
    const failed = await fixture.details(company, id);
    expect(failed).toMatchObject({ status: 'completed', statistics: { failed: 4, ambiguous: 0 } });
    expect(new Set(failed.failures.map(({ code }) => code))).toEqual(new Set([131000, 131026, 131050, 132012]));
    expect((await messagesOf(id, '?status=failed')).data).toHaveLength(4);
    const answers = await Promise.all([1, 2].map(() => fixture.api(company, 'POST', `/${id}/retry`, {})));
    const results = answers.map(({ body }) => z.object({ data: z.looseObject({ retried: z.int(), skipped: z.int() }) }).parse(body).data);
    expect(results.map(({ retried }) => retried).reduce((a, b) => a + b, 0)).toBe(1);
    await fixture.testApp.passTime(3);
    await fixture.deliverAll();
    expect(await fixture.ledger(transient)).toHaveLength(1);
    expect(await fixture.ledger(fine)).toHaveLength(1);
    const after = await fixture.details(company, id);
    expect(after).toMatchObject({ status: 'completed', statistics: { failed: 3, scheduled: 0 } });
    const again = await fixture.api(company, 'POST', `/${id}/retry`, {});
    expect(again.body).toMatchObject({
      data: { campaign_id: id, retried: 0, skipped: 3, skipped_reasons: { parameters: 1, undeliverable: 1, opted_out: 1 } },
    });
  });
});

describe('a retry that is interrupted', () => {
  /** A completed campaign to two people, of whom one was sent to by a call of its own; both failed, and may be sent to now. */
  const failedTwice = async (): Promise<{ id: number; phones: string[] }> => {
    const people = await fixture.people(company, 2);
    const phones = people.map(({ phone }) => phone);
    await fixture.faults({ error_for: Object.fromEntries(phones.map((phone) => [phone, 131000])) });
    const id = await fixture.create(company, { ...sale(), contact_id: people[0]?.id });
    await fixture.api(company, 'POST', '/send', { phone: `+${phones[1]}`, campaign_id: id });
    await fixture.testApp.passTime(3);
    await fixture.deliverAll();
    await fixture.faults({});
    expect(await fixture.details(company, id)).toMatchObject({ status: 'completed', statistics: { failed: 2 } });
    return { id, phones };
  };
  const interruptedRetry = async (id: number, when: 'before' | 'after'): Promise<void> => {
    using _death = fixture.testApp.onTable((call) => {
      if (call.command === 'TransactWriteItems' && call.when === when) throw tableError('SimulatedCrash');
    });
    expect((await fixture.api(company, 'POST', `/${id}/retry`, {})).status).toBe(500);
  };
  const expectBothSent = async ({ id, phones }: { id: number; phones: readonly string[] }): Promise<void> => {
    await fixture.testApp.passTime(60);
    await fixture.deliverAll();
    for (const phone of phones) expect(await fixture.ledger(phone)).toHaveLength(1);
    expect(await fixture.details(company, id)).toMatchObject({ status: 'completed', statistics: { failed: 0, scheduled: 0 } });
  };

  test('after its rows, before the campaign starts again, is finished by the product, though no request repeats it', async () => {
    const campaign = await failedTwice();
    await interruptedRetry(campaign.id, 'before');
    await fixture.testApp.drain();
    expect(await fixture.details(company, campaign.id)).toMatchObject({ status: 'completed', statistics: { failed: 0, scheduled: 2 } });
    await expectBothSent(campaign);
  });

  test('is finished once by several checks at a time: the campaign completes', async () => {
    const campaign = await failedTwice();
    await interruptedRetry(campaign.id, 'before');
    await fixture.testApp.drain();
    await Promise.all(Array.from({ length: 6 }, () => completeInterruptedRetry(company.id, campaign.id)));
    await expectBothSent(campaign);
  });

  test('is not finished for a later one that still runs: what both moved is counted once', async () => {
    const campaign = await failedTwice();
    let isDue = true;
    {
      using _meanwhile = fixture.testApp.onTable(async ({ command, when }) => {
        if (!isDue || command !== 'TransactWriteItems' || when !== 'before') return;
        isDue = false;
        await fixture.testApp.drain();
        await completeInterruptedRetry(company.id, campaign.id);
      });
      expect((await fixture.api(company, 'POST', `/${campaign.id}/retry`, {})).body).toMatchObject({ data: { retried: 2 } });
    }
    expect(isDue).toBe(false);
    await expectBothSent(campaign);
  });

  test('after the campaign has started again leaves no recipient waiting, though no request repeats it', async () => {
    const campaign = await failedTwice();
    await interruptedRetry(campaign.id, 'after');
    await expectBothSent(campaign);
  });

  test('by the loss of an answer alone is counted once, though another request changes the campaign before the write is repeated', async () => {
    const groupId = await group('Lost answer');
    const people = await fixture.people(company, 2, { group_id: groupId });
    const phones = people.map(({ phone }) => phone);
    // the first waits for another attempt, so the campaign still sends when the second is retried
    await fixture.faults({ error_for: { [phones[0] ?? '']: 131056, [phones[1] ?? '']: 131000 } });
    const id = await fixture.create(company, { ...sale(), group_id: groupId });
    await fixture.testApp.passTime(3);
    await fixture.faults({});
    expect(await fixture.details(company, id)).toMatchObject({ status: 'sending', statistics: { failed: 1 } });
    let isLost = false;
    {
      using _lost = fixture.testApp.onTable(async ({ input, when }) => {
        if (isLost || when !== 'after' || !JSON.stringify(input).includes('"retried":1')) return;
        isLost = true;
        expect(detailsOf(await turn(id, false)).status).toBe('paused');
        throw tableError('InternalServerError', { $fault: 'server', $metadata: { httpStatusCode: 500 } });
      });
      expect((await fixture.api(company, 'POST', `/${id}/retry`, {})).body).toMatchObject({ data: { retried: 1 } });
    }
    expect(isLost).toBe(true);
    expect(detailsOf(await turn(id, true)).status).toBe('sending');
    await expectBothSent({ id, phones });
  });
});

/** Constructs a campaign by itself: its batches wait until the next drain. */
async function constructed(id: number): Promise<void> {
  await buildAudience(company.id, id);
  expect((await fixture.details(company, id)).status).toBe('sending');
}

const groups = new Map<string, number>();
async function group(name: string): Promise<number> {
  const known = groups.get(name);
  if (known !== undefined) return known;
  const answer = await fixture.testApp.call({ method: 'POST', path: '/api/v1/groups', token: company.tokens.member, body: { name } });
  const { id } = z.object({ data: z.object({ id: z.int() }) }).parse(answer.body).data;
  groups.set(name, id);
  return id;
}

async function optOut(recipient: Contact | undefined): Promise<void> {
  const at = fixture.testApp.clock.now();
  await setConsent(company.id, recipient?.id ?? 0, { subscribed: false, source: 'keyword', at, evidence: `test ${at}` });
  await fixture.testApp.drain();
}
