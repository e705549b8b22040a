import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { updateCompany } from '../../functions/account/service/companies.ts';
import { crmQueue } from '../../functions/crm/contract/work.ts';
import { type StoredTemplate, storedTemplate } from '../../functions/templates/contract/stored.ts';
import { createTemplateRow, reserveTemplateIds } from '../../functions/templates/store/template.ts';
import { inboundText, statusPost, type TestCompany } from '../support/company.ts';
import { type Crm, newPhone, preferenceOf, refusalOf, startFixture, taskOf, tasksOf } from './fixture.ts';

const fixture = await startFixture();
afterAll(() => fixture.stop());
const { testApp, provider } = fixture;
const minute = 60_000;

beforeEach(() => {
  provider.requests.length = 0;
});

const path = '/automation/preferences';
const put = (crm: Crm, body: Record<string, unknown>) => crm.call('PUT', path, body);
const status = async (crm: Crm) => preferenceOf(await crm.call('GET', path)).verification_status;
const writes = async (company: TestCompany, from: string, text: string, id?: string, at?: number): Promise<void> => {
  await testApp.call(inboundText(company, { from, text, ...(id ? { id } : {}), ...(at ? { at } : {}) }));
  await testApp.drain();
};
/** Texts that the provider was given for a phone. */
const sentTo = (phone: string): string[] =>
  provider.requests
    .filter(({ body }) => body['to'] === `+${phone}`)
    .map(({ body }) => String((body['text'] as { body?: unknown } | undefined)?.body));

/** A company whose owner has a verified number and wants task reminders, with a lead. */
async function enrolled(): Promise<{ crm: Crm; phone: string; leadId: number }> {
  const crm = await fixture.company();
  const phone = newPhone();
  const { verification } = preferenceOf(await put(crm, { work_number: `+${phone}`, opted_in: true, notify_tasks: true }));
  await writes(crm.company, phone, verification?.code ?? '');
  const pipeline = await crm.pipeline();
  const { id: leadId } = await crm.lead({ contact_id: await crm.contact(), pipeline_id: pipeline.id, title: 'Greenhouse' });
  await testApp.drain();
  return { crm, phone, leadId };
}
/** A template of the company, with the variables of a reminder unless it has others. */
async function approved({ company }: Crm, given: Partial<StoredTemplate> = {}): Promise<number> {
  const id = await reserveTemplateIds(company.id, 1);
  const components = [{ type: 'BODY', text: 'Your task {{1}} is due {{2}}. Lead: {{3}}' }];
  const template = { companyId: company.id, id, name: 'task_reminder', language: 'en', category: 'UTILITY', status: 'APPROVED' };
  const times = { statusAt: 0, rev: 1, createdAt: 0, updatedAt: 0 };
  await createTemplateRow(storedTemplate.parse({ ...template, parameterFormat: 'POSITIONAL', components, ...times, ...given }), undefined);
  return id;
}
const chooses = async ({ company, call }: Crm, task_reminder_template_id: number | null) => {
  const answer = await call('PUT', '/api/v1/company', { settings: { task_reminder_template_id } });
  expect([answer.status, company.id]).toEqual([200, company.id]);
};
/** Names and values of the templates that the provider was given for a phone. */
const templatesTo = (phone: string): string[][] =>
  provider.requests.flatMap(({ body }) => {
    const { name, components } = templateSent.parse(body['template'] ?? {});
    return body['to'] === `+${phone}` && name ? [[name, ...components.flatMap((each) => each.parameters.map(({ text }) => text))]] : [];
  });
const templateSent = z.object({
  name: z.string().optional(),
  components: z.array(z.object({ parameters: z.array(z.object({ text: z.string() })) })).default([]),
});

const dueIn = (minutes: number): string => new Date(testApp.clock.now() + minutes * minute).toISOString();
const taskAgain = async (crm: Crm, id: number) => taskOf(await crm.call('GET', `/tasks/${id}`));

describe('a work number', () => {
  test('is none at first; enrolled it waits for its code, which is shown once and kept nowhere', async () => {
    const crm = await fixture.company();
    expect(preferenceOf(await crm.call('GET', path))).toEqual({
      work_number: null,
      verification_status: 'none',
      verified_at: null,
      opted_in: false,
      notify_tasks: false,
    });
    const answer = preferenceOf(await put(crm, { work_number: '+49 1520 0999001', opted_in: true, notify_tasks: true }));
    expect(answer).toMatchObject({ work_number: '4915200999001', verification_status: 'pending', opted_in: true, notify_tasks: true });
    const code = answer.verification?.code ?? '';
    expect(code).toMatch(/^[0-9]{8}$/);
    expect(answer.verification).toMatchObject({
      send_to: crm.company.number.phone,
      wa_link: `https://wa.me/${crm.company.number.phone}?text=${code}`,
    });
    expect(preferenceOf(await crm.call('GET', path)).verification).toBeUndefined();
    expect(JSON.stringify(await testApp.dump())).not.toContain(code);
    expect(JSON.stringify(testApp.logs)).not.toContain(code);
    expect(provider.requests).toEqual([]);
  });

  test('is verified by its code from that very number, once, and by no other', async () => {
    const crm = await fixture.company();
    const phone = newPhone();
    const code = preferenceOf(await put(crm, { work_number: phone, opted_in: true, notify_tasks: true })).verification?.code ?? '';
    await writes(crm.company, newPhone(), code);
    expect(await status(crm)).toBe('pending');
    await writes(crm.company, phone, ` ${code} `);
    expect(await status(crm)).toBe('verified');
    expect(preferenceOf(await put(crm, { work_number: phone, opted_in: false, notify_tasks: true }))).toMatchObject({
      verification_status: 'verified',
      opted_in: false,
    });
  });

  test('expires after ten minutes, and after five wrong codes; the same message again does not count', async () => {
    const crm = await fixture.company();
    const phone = newPhone();
    const code = preferenceOf(await put(crm, { work_number: phone })).verification?.code ?? '';
    const sentAt = testApp.clock.now();
    const wrong = code === '00000000' ? '11111111' : '00000000';
    for (let n = 0; n < 4; n++) await writes(crm.company, phone, wrong, `wamid.wrong-${crm.company.id}-${n}`, sentAt);
    await writes(crm.company, phone, wrong, `wamid.wrong-${crm.company.id}-3`, sentAt);
    expect(await status(crm)).toBe('pending');
    await writes(crm.company, phone, wrong);
    expect(await status(crm)).toBe('expired');
    await writes(crm.company, phone, code);
    expect(await status(crm)).toBe('expired');

    testApp.clock.advance(minute);
    const again = preferenceOf(await put(crm, { work_number: phone })).verification?.code ?? '';
    expect(await status(crm)).toBe('pending');
    // a message carries whole seconds: one of the very second of the end still counts
    testApp.clock.advance(10 * minute + 1_000);
    expect(await status(crm)).toBe('expired');
    await writes(crm.company, phone, again);
    expect(await status(crm)).toBe('expired');
  });

  test('is enrolled once a minute; another one resets, none drops it', async () => {
    const crm = await fixture.company();
    const first = newPhone();
    await put(crm, { work_number: first, opted_in: true });
    const refused = await put(crm, { work_number: newPhone(), opted_in: true });
    expect([refused.status, refused.body]).toMatchObject([429, { code: 'enrolment_cooldown' }]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50);
    testApp.clock.advance(minute);
    const second = newPhone();
    expect(preferenceOf(await put(crm, { work_number: second }))).toMatchObject({ work_number: second, verification_status: 'pending' });
    expect(preferenceOf(await put(crm, { work_number: null }))).toMatchObject({ work_number: null, verification_status: 'none' });
    expect(refusalOf(await put(crm, { work_number: '12' }))).toEqual([422, 'validation_failed', 'work_number']);
    expect(refusalOf(await put(crm, {}))).toEqual([422, 'validation_failed', 'work_number']);
  });
});

describe('a reminder', () => {
  test('goes out ten minutes before, once, with task, lead and the time in the zone of the task', async () => {
    const { crm, phone, leadId } = await enrolled();
    await chooses(crm, await approved(crm));
    const year = new Date(testApp.clock.now()).getUTCFullYear() + 1;
    const task = await crm.task(leadId, { title: 'Call Ada', due_at: `${year}-01-15T14:30:00+01:00`, timezone: 'Europe/Berlin' });
    testApp.clock.moveTo(Date.parse(`${year}-01-15T13:18:30Z`));
    await testApp.drain();
    await testApp.passTime(60);
    expect(sentTo(phone)).toEqual([]);
    await testApp.passTime(60);
    expect(templatesTo(phone)).toEqual([['task_reminder', 'Call Ada', `15 Jan ${year}, 14:30 (Europe/Berlin)`, 'Greenhouse']]);
    const reminded = await taskAgain(crm, task.id);
    expect([reminded.reminded_at !== null, reminded.version]).toEqual([true, 1]);
    expect(tasksOf(await crm.call('GET', '/tasks?reminded=1')).data.map(({ id }) => id)).toEqual([task.id]);
    await testApp.passTime(20 * 60);
    expect(sentTo(phone)).toHaveLength(1);
  });

  test('is a text while the assignee’s window is open, which says task, lead and time', async () => {
    const { crm, phone, leadId } = await enrolled();
    await chooses(crm, await approved(crm));
    await crm.task(leadId, { title: 'Call Ada', due_at: dueIn(12), timezone: 'Europe/Berlin' });
    await testApp.passTime(3 * 60);
    expect(sentTo(phone)).toEqual([expect.stringMatching(/^Reminder: "Call Ada" is due .* \(Europe\/Berlin\)\.\nLead: Greenhouse$/)]);
  });

  test('that cannot arrive says why on its task, and is tried once more at the due time', async () => {
    const { crm, phone, leadId } = await enrolled();
    testApp.clock.advance(25 * 60 * minute);
    const failing = async (id: number) => (await taskAgain(crm, id)).reminder_error?.code;
    const closed = await crm.task(leadId, { due_at: dueIn(20) });
    await testApp.passTime(12 * 60);
    expect(await taskAgain(crm, closed.id)).toMatchObject({ reminded_at: null, version: 1, reminder_error: { code: 'window_closed' } });
    expect(tasksOf(await crm.call('GET', '/tasks?reminded=0')).data.map(({ id }) => id)).toEqual([closed.id]);
    await chooses(crm, await approved(crm));
    await testApp.passTime(10 * 60);
    expect(templatesTo(phone)).toHaveLength(1);
    expect(await taskAgain(crm, closed.id)).toMatchObject({ reminded_at: expect.any(String), reminder_error: null });

    const chosen: [Partial<StoredTemplate>, string][] = [
      [{ name: 'sale', category: 'MARKETING' }, 'template_not_utility'],
      [{ name: 'paused', status: 'PAUSED' }, 'template_not_approved'],
      [{ name: 'other', components: [{ type: 'BODY', text: 'Hello {{1}}, {{2}}, {{3}}, {{4}}.' }] }, 'parameters'],
    ];
    for (const [given, code] of chosen) {
      await chooses(crm, await approved(crm, given));
      const task = await crm.task(leadId, { due_at: dueIn(5) });
      await testApp.passTime(60);
      expect(await failing(task.id)).toBe(code);
      await testApp.passTime(6 * 60);
      expect(await failing(task.id)).toBe(code);
    }
    expect(templatesTo(phone)).toHaveLength(1);
  });

  test('that the provider refuses, at once or later, is not shown as sent, and is tried once more', async () => {
    const { crm, phone, leadId } = await enrolled();
    const refusals: unknown[] = [];
    provider.answering(({ body }) => {
      if (body['to'] !== `+${phone}` || refusals.length >= 2) return undefined;
      refusals.push(body);
      return { status: 400, body: { error: { code: 131_026, message: 'Message undeliverable' } } };
    });
    const task = await crm.task(leadId, { due_at: dueIn(30) });
    await testApp.passTime(21 * 60);
    expect(await taskAgain(crm, task.id)).toMatchObject({ reminded_at: null, reminder_error: { code: '131026' } });
    await testApp.passTime(10 * 60);
    expect(await taskAgain(crm, task.id)).toMatchObject({ reminded_at: null, reminder_error: { code: '131026' } });
    await testApp.passTime(30 * 60);
    expect(refusals).toHaveLength(2);
    provider.answering(undefined);

    // accepted, and then reported as failed
    const later = await crm.task(leadId, { due_at: dueIn(30) });
    await testApp.passTime(21 * 60);
    expect(await taskAgain(crm, later.id)).toMatchObject({ reminded_at: expect.any(String), reminder_error: null });
    const id = provider.requests.findLast(({ body }) => body['to'] === `+${phone}`)?.wamid ?? '';
    await testApp.call(
      statusPost(crm.company, {
        id,
        status: 'failed',
        recipient_id: phone,
        timestamp: String(Math.floor(testApp.clock.now() / 1_000)),
        errors: [{ code: 131_047, title: 'Re-engagement message' }],
      }),
    );
    await testApp.drain();
    expect(await taskAgain(crm, later.id)).toMatchObject({ reminded_at: null, reminder_error: { code: '131047' } });
    await testApp.passTime(10 * 60);
    expect(await taskAgain(crm, later.id)).toMatchObject({ reminded_at: expect.any(String), reminder_error: null });
  });

  test('comes again for a changed due time, and not for the old one', async () => {
    const { crm, phone, leadId } = await enrolled();
    const task = await crm.task(leadId, { due_at: dueIn(30) });
    const moved = taskOf(await crm.call('PATCH', `/leads/${leadId}/tasks/${task.id}`, { version: 1, due_at: dueIn(60) }));
    await testApp.passTime(25 * 60);
    expect(sentTo(phone)).toEqual([]);
    await testApp.passTime(26 * 60);
    expect(sentTo(phone)).toHaveLength(1);
    const again = taskOf(await crm.call('PATCH', `/leads/${leadId}/tasks/${task.id}`, { version: moved.version, due_at: dueIn(40) }));
    expect(again.reminded_at).toBeNull();
    await testApp.passTime(31 * 60);
    expect(sentTo(phone)).toHaveLength(2);
  });

  test('never goes out for a completed or cancelled task', async () => {
    const { crm, phone, leadId } = await enrolled();
    const [done, off] = [await crm.task(leadId, { due_at: dueIn(20) }), await crm.task(leadId, { due_at: dueIn(21) })];
    await testApp.drain();
    await testApp.tick();
    await crm.call('PUT', `/leads/${leadId}/tasks/${done.id}/complete`, { version: 1, outcome: 'Reached' });
    await crm.call('PUT', `/leads/${leadId}/tasks/${off.id}/cancel`, { version: 1, reason: 'Moved away' });
    await testApp.passTime(30 * 60);
    expect(sentTo(phone)).toEqual([]);
  });

  test('goes to no other user: not unverified, not opted out, not without enrolment, not from another company', async () => {
    const { crm, phone, leadId } = await enrolled();
    await put(crm, { work_number: phone, opted_in: false, notify_tasks: true });
    await crm.task(leadId, { due_at: dueIn(12) });
    await testApp.passTime(5 * 60);
    await put(crm, { work_number: phone, opted_in: true, notify_tasks: false });
    await crm.task(leadId, { due_at: dueIn(12) });
    await testApp.passTime(5 * 60);
    await put(crm, { work_number: newPhone(), opted_in: true, notify_tasks: true });
    await crm.task(leadId, { due_at: dueIn(12) });
    await crm.task(leadId, { due_at: dueIn(12), assignee_id: crm.company.users.member });
    await testApp.passTime(5 * 60);
    expect(provider.requests).toEqual([]);
    expect(testApp.deadLettersOf(crmQueue)).toEqual([]);
  });

  test('is sent once when the stream and the queue deliver twice, lose successes and shuffle', async () => {
    const { crm, phone, leadId } = await enrolled();
    for (let n = 0; n < 5; n++) await crm.task(leadId, { title: `Task ${n}`, due_at: dueIn(5) });
    await testApp.drain({
      including: 'delayed',
      until: testApp.clock.now() + 2 * minute,
      disorder: { seed: 3, duplicate: 0.5, crash: 0.4, reorder: true },
    });
    expect(
      sentTo(phone)
        .toSorted()
        .map((text) => text.slice(10, 18)),
    ).toEqual(['"Task 0"', '"Task 1"', '"Task 2"', '"Task 3"', '"Task 4"']);
  });

  test('follows the company setting; for what is due already no reminder is sent', async () => {
    const { crm, phone, leadId } = await enrolled();
    await updateCompany(crm.company.id, { settings: { task_reminder_minutes: 0 } });
    await crm.task(leadId, { due_at: dueIn(3) });
    const past = await crm.task(leadId, { due_at: dueIn(-3) });
    await testApp.passTime(2 * 60);
    expect(sentTo(phone)).toEqual([]);
    await testApp.passTime(2 * 60);
    expect(sentTo(phone)).toHaveLength(1);
    expect(await taskAgain(crm, past.id)).toMatchObject({ is_overdue: true, reminded_at: null });
  });
});
