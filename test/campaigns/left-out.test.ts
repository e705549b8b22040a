import { afterAll, beforeAll, expect, test } from 'vitest';
import type * as z from 'zod';
import { contactEntityName } from '../../functions/contacts/contract/stored.ts';
import { updateSearchSnapshot } from '../../functions/contacts/service/search-snapshots.ts';
import type { audiencePreview } from '../../functions/campaigns/contract/campaign.ts';
import { previewAudience } from '../../functions/campaigns/service/preview-audience.ts';
import { isProblem } from '../../shared/contract/problems.ts';
import { nextIds } from '../../shared/table/counter.ts';
import type { TestCompany } from '../support/company.ts';
import { type CampaignFixture, previewOf, refusal, startFixture } from './fixture.ts';

/** Who is left out of a campaign before it is sent, reason by reason. */
let fixture: CampaignFixture;
let company: TestCompany;
beforeAll(async () => {
  fixture = await startFixture();
  company = await fixture.campaigner();
  await contactsOf(company);
});
afterAll(() => fixture.stop());

type Preview = z.output<typeof audiencePreview>;
type Body = Record<string, unknown>;

const phoneOf = (n: number): string => `49157${String(10_000_000 + n)}`;
const called = async (of: TestCompany, method: 'POST' | 'PUT', path: string, body: Body): Promise<unknown> => {
  const answer = await fixture.testApp.call({ method, path: `/api/v1${path}`, token: of.tokens.owner, body });
  if (answer.status !== 200) throw new Error(answer.raw);
  return answer.body;
};
const bulk = (of: TestCompany, from: number, to: number, more: Body = {}) => {
  const contacts = Array.from({ length: to - from }, (_, n) => ({ phone: `+${phoneOf(from + n)}`, name: `Person ${from + n}` }));
  return called(of, 'POST', '/contacts/bulk-sync', { contacts, ...more });
};

/** 180 contacts, of whom those from the 30th to the 149th never agreed to campaigns. */
async function contactsOf(of: TestCompany): Promise<void> {
  await bulk(of, 0, 30);
  await called(of, 'PUT', '/company', { settings: { subscribed_by_default: false } });
  await bulk(of, 30, 150);
  await called(of, 'PUT', '/company', { settings: { subscribed_by_default: true } });
  await bulk(of, 150, 180);
  await fixture.testApp.drain();
}

const preview = (body: Body, of: TestCompany = company) => fixture.api(of, 'POST', '/audience-preview', body);

async function pagesOf(body: Body, read = async (each: Body): Promise<Preview> => previewOf(await preview(each))): Promise<Preview[]> {
  const pages = [await read(body)];
  for (let cursor = pages[0]?.next_cursor; cursor; cursor = pages.at(-1)?.next_cursor) pages.push(await read({ ...body, cursor }));
  return pages;
}
const phonesOn = (pages: readonly Preview[]): string[] => pages.flatMap((page) => page.excluded_contacts.map(({ phone }) => phone));
const sum = (pages: readonly Preview[], of: (page: Preview) => number): number => pages.reduce((total, page) => total + of(page), 0);

/** Newest first. */
const phones = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, n) => phoneOf(to - 1 - n));

test('each page lists at most 50, newest first and none twice, and the counts of the pages add up to those of the whole', async () => {
  const whole = previewOf(await preview({}));
  expect(whole).toMatchObject({ total: 180, eligible_contacts: 60, excluded: { unsubscribed: 120 }, excluded_contacts: [] });
  const pages = await pagesOf({ excluded_reason: 'unsubscribed' });
  expect(pages.map(({ excluded_contacts: listed }) => listed.length)).toEqual([50, 50, 20]);
  expect(pages.map(({ is_partial }) => is_partial)).toEqual([true, true, false]);
  expect(phonesOn(pages)).toEqual(phones(30, 150));
  expect(pages[0]?.excluded_contacts[0]).toEqual({ contact_id: expect.any(Number), name: 'Person 149', phone: phoneOf(149) });
  expect([sum(pages, ({ total }) => total), sum(pages, ({ eligible_contacts: count }) => count)]).toEqual([180, 60]);
  expect(sum(pages, ({ excluded }) => excluded.unsubscribed)).toBe(120);
});

test('those of a group alone, and of another reason none', async () => {
  const group = await fixture.group(company, 'Late');
  await bulk(company, 140, 160, { group_id: group });
  await fixture.testApp.drain();
  expect(phonesOn(await pagesOf({ group_id: group, excluded_reason: 'unsubscribed' }))).toEqual(phones(140, 150));
  expect(phonesOn(await pagesOf({ excluded_reason: 'staff' }))).toEqual([]);
});

test('of whom a value of the template is missing, as the fields of each contact are', async () => {
  const body = { template_id: fixture.templateId(company, 'sale'), parammatch: { 1: 'custom.nothing' } };
  const pages = await pagesOf({ ...body, excluded_reason: 'missing_parameter' });
  expect(phonesOn(pages)).toHaveLength(60);
  expect(phonesOn(await pagesOf({ ...body, paramvalues: { 1: 'you' }, excluded_reason: 'missing_parameter' }))).toEqual([]);
});

test('a call reads a bounded part of a long audience, and the next goes on where it ended', async () => {
  const read = async (body: Body): Promise<Preview> => {
    const part = await previewAudience(company.id, body as never, { limitMs: 0, pageSize: 20 });
    if (isProblem(part)) throw new Error(JSON.stringify(part));
    return part as unknown as Preview;
  };
  const pages = await pagesOf({ excluded_reason: 'unsubscribed' }, read);
  expect(pages.length).toBeGreaterThan(8);
  for (const { total } of pages) expect(total).toBeLessThanOrEqual(20);
  expect(phonesOn(pages)).toEqual(phones(30, 150));
  expect(phonesOn(await pagesOf({ excluded_reason: 'blocked' }, read))).toEqual([]);
});

test('a large company is read by its search snapshot: the same pages, and no walk over the contacts', async () => {
  const large = await fixture.campaigner();
  await nextIds(large.id, contactEntityName, 65_450);
  await contactsOf(large);
  fixture.testApp.clock.advance(180_000);
  await updateSearchSnapshot(large.id);
  const pages: Preview[] = [];
  const cost = await fixture.testApp.meter(async () => {
    const read = async (each: Body): Promise<Preview> => previewOf(await preview(each, large));
    pages.push(...(await pagesOf({ excluded_reason: 'unsubscribed' }, read)));
  });
  expect(pages.map(({ excluded_contacts: listed }) => listed.length)).toEqual([50, 50, 20]);
  expect(phonesOn(pages)).toEqual(phones(30, 150));
  expect(cost.rru / pages.length).toBeLessThan(90);
});

test('a reason that there is not is refused by its name, and a cursor of another list too', async () => {
  expect(refusal(await preview({ excluded_reason: 'shy' }))).toEqual([422, 'validation_failed', 'excluded_reason']);
  const { next_cursor: cursor } = previewOf(await preview({ excluded_reason: 'unsubscribed' }));
  expect(refusal(await preview({ excluded_reason: 'blocked', cursor }))).toEqual([400, 'invalid_cursor']);
  expect(refusal(await preview({ cursor }))).toEqual([400, 'invalid_cursor']);
});
