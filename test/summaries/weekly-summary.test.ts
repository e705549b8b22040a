import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { updateCompany } from '../../functions/account/service/companies.ts';
import { listActiveLogins, recordSignIn } from '../../functions/account/service/logins.ts';
import { deactivateUser } from '../../functions/account/service/users.ts';
import type { UsageRecord } from '../../functions/administration/contract/usage.ts';
import { resumeCompany, suspendCompany } from '../../functions/administration/service/suspension.ts';
import type { InboxReport } from '../../functions/conversations/contract/report.ts';
import type { SpendRecord } from '../../functions/spend/contract/spend.ts';
import { sendWeeklySummary } from '../../functions/summaries/service/send-weekly-summary.ts';
import type { WeeklySummaryRecord } from '../../functions/summaries/contract/routes.ts';
import { dayOfWeek } from '../../functions/summaries/domain/week.ts';
import { dayMs, hourMs, minuteMs } from '../../shared/runtime/clock.ts';
import type { Role } from '../../shared/contract/route.ts';
import { startFixture } from '../campaigns/fixture.ts';
import { importPrices } from '../ceilings/fixture.ts';
import { only } from '../messaging/fixture.ts';
import type { TestCompany } from '../support/company.ts';
import { unwrap } from '../support/company.ts';

/** The weekly summary by email: docs/decisions/weekly-summary.md */
const site = 'https://console.example.com';
const fixture = await startFixture({ env: { EMAIL_FROM: 'no-reply@example.com', SITE_BASE_URL: site } });
afterAll(() => fixture.stop());
const { testApp } = fixture;

const everyone = ['owner', 'member', 'viewer'] as const satisfies readonly Role[];
const companyIn = (timezone: string, name = 'Garden') => fixture.campaigner(1_000, { roles: everyone, input: { timezone, name } });
const data = async <T>(company: TestCompany, method: string, path: string, body?: object, role: Role = 'owner'): Promise<T> => {
  const answer = await testApp.call({ method, path: `/api/v1${path}`, token: company.tokens[role], ...(body ? { body } : {}) });
  if (answer.status !== 200) throw new Error(answer.raw);
  return (answer.body as { data: T }).data;
};
const choose = (company: TestCompany, body: { enabled: boolean; language?: string }, role: Role = 'owner') =>
  data<WeeklySummaryRecord>(company, 'PUT', '/me/weekly-summary', body, role);
const addressOf = async (company: TestCompany, role: Role): Promise<string> =>
  (await data<{ email: string }>(company, 'GET', '/me', undefined, role)).email;
/** The user signs in by a code, which proves the address, and wants the summary. */
const optIn = async (company: TestCompany, role: Role = 'owner', language?: string): Promise<WeeklySummaryRecord> => {
  const [login] = await listActiveLogins(await addressOf(company, role));
  if (login) await recordSignIn(login);
  return choose(company, { enabled: true, ...(language ? { language } : {}) }, role);
};

const mailSchema = z.looseObject({
  Destination: z.object({ ToAddresses: z.array(z.string()) }),
  Content: z.object({
    Simple: z.object({
      Subject: z.object({ Data: z.string() }),
      Body: z.object({ Text: z.object({ Data: z.string() }), Html: z.object({ Data: z.string() }) }),
      Headers: z.array(z.object({ Name: z.string(), Value: z.string() })).optional(),
    }),
  }),
});
const mailsTo = async (company: TestCompany, role: Role = 'owner') => {
  const address = await addressOf(company, role);
  return testApp.emails
    .map((mail) => mailSchema.parse(mail))
    .filter((mail) => mail.Destination.ToAddresses.includes(address))
    .map(({ Content: { Simple } }) => ({
      subject: Simple.Subject.Data,
      text: Simple.Body.Text.Data,
      html: Simple.Body.Html.Data,
      headers: Simple.Headers ?? [],
    }));
};
interface Row {
  userId: number;
  dueAt: number;
  week: string;
  enabled: boolean;
  due_pk?: string;
}
const rowOf = async (company: TestCompany, role: Role = 'owner'): Promise<Row> =>
  only((await fixture.items(company.id, 'weekly-summary')).filter(({ userId }) => userId === company.users[role])) as unknown as Row;
/** Time passes to a moment; what falls due by then is worked off. */
const passTo = async (at: number): Promise<void> => {
  await testApp.drain();
  testApp.clock.moveTo(at);
  await testApp.tick('every-minute');
  await testApp.drain();
};
/** The summary of the user is due; answers when it was. */
const comesDue = async (company: TestCompany, role: Role = 'owner'): Promise<Row> => {
  const row = await rowOf(company, role);
  await passTo(row.dueAt + 1_000);
  return row;
};
/** The next Tuesday at ten, so that no test meets the end of a week when it happens to run then. */
const moveToTuesday = (): void => {
  const now = testApp.clock.now();
  const midnight = now - (now % dayMs);
  const days = (9 - new Date(midnight).getUTCDay()) % 7 || 7;
  testApp.clock.moveTo(midnight + days * dayMs + 10 * hourMs);
};
let phones = 0;
const customer = (): string => `4917${String(++phones).padStart(9, '0')}`;
/** A customer writes, and is answered some minutes later, or not. */
const conversation = async (company: TestCompany, answeredAfterMinutes?: number): Promise<void> => {
  const phone = customer();
  await fixture.inbound({ company_id: company.id, from: phone, text: 'A private question' });
  await fixture.deliverAll();
  if (answeredAfterMinutes === undefined) return;
  testApp.clock.advance(answeredAfterMinutes * minuteMs);
  const sent = await fixture.send(company, `+${phone}`, 'Yes.');
  expect(sent.status, sent.raw).toBe(200);
  await fixture.deliverAll();
};

describe('GET and PUT /me/weekly-summary', () => {
  test('no one has it who did not choose it, and the choice is of the calling user alone', async () => {
    const company = await companyIn('Europe/Berlin');
    const none = { enabled: false, language: 'en', email_confirmed: false, next_at: null };
    expect(await data(company, 'GET', '/me/weekly-summary')).toMatchObject(none);
    expect(await optIn(company, 'viewer', 'ar')).toMatchObject({ enabled: true, language: 'ar', email_confirmed: true });
    expect(await data(company, 'GET', '/me/weekly-summary')).toMatchObject(none);
    expect(await data(company, 'GET', '/me/weekly-summary', undefined, 'viewer')).toMatchObject({ enabled: true, language: 'ar' });
    expect(await choose(company, { enabled: false }, 'viewer')).toMatchObject({ enabled: false, language: 'ar', next_at: null });
  });

  test('a company in which no one wants it has nothing due: what was switched off leaves the index', async () => {
    const company = await companyIn('Europe/Berlin');
    expect(await fixture.items(company.id, 'weekly-summary')).toEqual([]);
    await optIn(company);
    expect((await rowOf(company)).due_pk).toBeDefined();
    await choose(company, { enabled: false });
    expect((await rowOf(company)).due_pk).toBeUndefined();
  });

  test.each([{}, { enabled: 'perhaps' }, { enabled: true, language: 'fr' }, { enabled: true, email: 'other@example.com' }])(
    'refuses %j: no address can be given',
    async (body) => {
      const company = await companyIn('Europe/Berlin');
      const answer = await testApp.call({ method: 'PUT', path: '/api/v1/me/weekly-summary', token: company.tokens.owner, body });
      expect(answer.status).toBe(422);
    },
  );
});

describe('the summary of a week', () => {
  test('reaches who chose it once, with the figures of the reports, and no colleague and no other company', async () => {
    moveToTuesday();
    await importPrices({ DE: '0.05' });
    const company = await companyIn('Europe/Berlin', 'Garden <script>alert(1)</script>');
    const other = await companyIn('Europe/Berlin', 'Neighbour');
    await optIn(company);
    await optIn(company, 'viewer', 'de');
    await optIn(other);
    await conversation(company, 10);
    await conversation(company, 30);
    const people = await fixture.people(company, 3);
    const campaign = await fixture.create(company, {
      name: 'Autumn sale',
      template_id: fixture.templateId(company, 'plain'),
      audience_type: 'all',
      send_now: true,
    });
    await fixture.deliverAll();
    // a campaign is completed once all is sent; that it was delivered comes later, and that it was read later still
    const readByAll = async (): Promise<boolean> => {
      const { status, funnel } = await fixture.details(company, campaign);
      return status === 'completed' && funnel.delivered >= people.length && funnel.read === funnel.delivered;
    };
    for (let nth = 0; nth < 20 && !(await readByAll()); nth++) {
      await testApp.passTime(60);
      await fixture.deliverAll();
    }
    expect(await readByAll()).toBe(true);
    const { funnel } = await fixture.details(company, campaign);
    await conversation(company);
    const { week } = await comesDue(company);
    const range = `?from=${week}&to=${dayOfWeek(week, 6)}`;
    const { totals } = await data<InboxReport>(company, 'GET', `/conversations/report${range}`);
    const usage = await data<UsageRecord>(company, 'GET', `/usage${range}`);
    const spend = await data<SpendRecord>(company, 'GET', `/spend${range}`);
    const delivered = usage.totals.messages.reduce((sum, each) => sum + (each.status === 'delivered' ? each.count : 0), 0);
    expect([totals.answered, delivered > 4]).toEqual([2, true]);
    const { subject, text, html, headers } = only(await mailsTo(company));
    expect(subject).toMatch(/^The week of Garden <script>alert\(1\)<\/script>: /);
    expect(text).toContain(`Messages delivered: ${delivered} (the week before: 0)\n${site}/console/settings/usage`);
    expect(text).toContain(`Answers to waiting customers: ${totals.answered} (the week before: 0)`);
    expect(text).toContain('Conversations that wait for an answer now: 1\n');
    expect(text).toContain(`Autumn sale\u2069: delivered ${funnel.delivered}, read ${funnel.read}`);
    for (const { amount, currency } of spend.totals.amounts)
      expect(text).toContain(new Intl.NumberFormat('en', { style: 'currency', currency }).format(Number(amount)));
    if (spend.totals.unknown > 0) expect(text).toContain(`messages without a known price: ${spend.totals.unknown}`);
    expect(headers).toEqual([{ Name: 'List-Unsubscribe', Value: `<${site}/console/settings/preferences>` }]);
    expect(html).not.toContain('<script>');
    // of customers nothing but counts
    for (const part of [text, html]) expect(part).not.toMatch(/private|Person|\+?4915|4917/);
    // a viewer may read the same figures, in another language
    expect(only(await mailsTo(company, 'viewer')).text).toContain(`Zugestellte Nachrichten: ${delivered} (`);
    expect(await mailsTo(company, 'member')).toEqual([]);
    // nothing happened there
    expect(await mailsTo(other)).toEqual([]);
    expect((await rowOf(other)).week > week).toBe(true);
  });

  test('is sent once, whatever is delivered again, late, or to several workers at the same time', async () => {
    moveToTuesday();
    const company = await companyIn('America/Los_Angeles');
    await optIn(company);
    await conversation(company, 5);
    const row = await rowOf(company);
    await testApp.drain();
    testApp.clock.moveTo(row.dueAt + 1_000);
    await Promise.all(Array.from({ length: 6 }, () => sendWeeklySummary(company.id, row.userId, row.dueAt)));
    expect(await mailsTo(company)).toHaveLength(1);
    using _twice = testApp.deliverTwice(3, 1);
    await testApp.tick('every-minute');
    await testApp.drain();
    testApp.clock.advance(11 * minuteMs);
    await testApp.tick('every-minute');
    await testApp.drain();
    await sendWeeklySummary(company.id, row.userId, row.dueAt);
    expect(await mailsTo(company)).toHaveLength(1);
    expect((await rowOf(company)).week).toBe(dayOfWeek(row.week, 7));
    // a week later there is nothing to say
    await comesDue(company);
    expect(await mailsTo(company)).toHaveLength(1);
    // and the week after there is
    await conversation(company, 5);
    await comesDue(company);
    expect(await mailsTo(company)).toHaveLength(2);
  });

  test('is sent once where the user switches it off and on again, and the company moves to where that Monday is still to come', async () => {
    moveToTuesday();
    const company = await companyIn('Asia/Tokyo');
    await optIn(company);
    await conversation(company, 5);
    const { week } = await comesDue(company);
    expect(await mailsTo(company)).toHaveLength(1);
    await choose(company, { enabled: false });
    unwrap(await updateCompany(company.id, { timezone: 'America/Los_Angeles' }));
    await choose(company, { enabled: true });
    expect((await rowOf(company)).week).toBe(dayOfWeek(week, 7));
    await passTo(testApp.clock.now() + 20 * hourMs);
    expect(await mailsTo(company)).toHaveLength(1);
  });

  test('waits for the Monday morning of the zone that the company has by then', async () => {
    moveToTuesday();
    const company = await companyIn('Asia/Tokyo');
    await optIn(company);
    await conversation(company, 5);
    unwrap(await updateCompany(company.id, { timezone: 'America/Los_Angeles' }));
    const early = await comesDue(company);
    expect(await mailsTo(company)).toEqual([]);
    const { dueAt, week } = await comesDue(company);
    expect([week, dueAt - early.dueAt > 12 * hourMs]).toEqual([early.week, true]);
    expect(await mailsTo(company)).toHaveLength(1);
  });

  test('is not repeated where its outcome is unknown or the mail service refused it, and comes an hour later where it did not leave', async () => {
    moveToTuesday();
    const manners = ['lost', 'rejected', 'throttled'] as const;
    const companies = [];
    for (const manner of manners) {
      const company = await companyIn('Europe/Berlin', manner);
      await optIn(company);
      await conversation(company, 5);
      companies.push(company);
    }
    const addresses = await Promise.all(companies.map((company) => addressOf(company, 'owner')));
    let tries = 0;
    testApp.mailing((mail) => {
      const nth = addresses.findIndex((address) => mailSchema.parse(mail).Destination.ToAddresses.includes(address));
      if (nth >= 0) tries++;
      return manners[nth] ?? 'taken';
    });
    const [lost, rejected, throttled] = companies as [TestCompany, TestCompany, TestCompany];
    const { week } = await comesDue(throttled);
    testApp.mailing(undefined);
    // one call each, and three of the one that the service would not take just now
    expect(tries).toBe(5);
    expect((await rowOf(throttled)).week).toBe(week);
    await passTo(testApp.clock.now() + 61 * minuteMs);
    expect(await mailsTo(throttled)).toHaveLength(1);
    expect(await mailsTo(lost)).toHaveLength(1);
    expect(await mailsTo(rejected)).toEqual([]);
    for (const company of companies) expect((await rowOf(company)).week).toBe(dayOfWeek(week, 7));
  });

  test('is left out after two days in which no worker came to it, and the next one comes', async () => {
    moveToTuesday();
    const company = await companyIn('Europe/Berlin');
    await optIn(company);
    await conversation(company, 5);
    const { dueAt, week } = await rowOf(company);
    await passTo(dueAt + 2 * dayMs + hourMs);
    expect(await mailsTo(company)).toEqual([]);
    expect((await rowOf(company)).week).toBe(dayOfWeek(week, 7));
    await conversation(company, 5);
    await comesDue(company);
    expect(await mailsTo(company)).toHaveLength(1);
  });

  test('goes to no user of a suspended company, to none who was deactivated, and to no address that no code has confirmed', async () => {
    moveToTuesday();
    const company = await companyIn('Europe/Berlin');
    await choose(company, { enabled: true });
    await optIn(company, 'member');
    await optIn(company, 'viewer');
    const addresses = await Promise.all(everyone.map((role) => addressOf(company, role)));
    await conversation(company, 5);
    unwrap(await deactivateUser(company.id, company.users.member));
    unwrap(await suspendCompany(company.id));
    const { week } = await comesDue(company, 'viewer');
    unwrap(await resumeCompany(company.id));
    await passTo(testApp.clock.now() + hourMs);
    expect((await rowOf(company, 'viewer')).week).toBe(dayOfWeek(week, 7));
    expect(await rowOf(company, 'member')).toMatchObject({ enabled: false });
    expect((await rowOf(company, 'member')).due_pk).toBeUndefined();
    // a customer who waits is reason enough
    await conversation(company);
    await comesDue(company, 'viewer');
    const reached = testApp.emails.flatMap((mail) => mailSchema.parse(mail).Destination.ToAddresses);
    expect(addresses.map((address) => reached.filter((each) => each === address).length)).toEqual([0, 0, 1]);
  });
});
