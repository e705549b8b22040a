import * as z from 'zod';
import { forgetSearchParts, updateSearchSnapshot } from '../../functions/contacts/service/search-snapshots.ts';
import { toItem } from '../../functions/contacts/contract/stored.ts';
import { contactEntity } from '../../functions/contacts/store/contact.ts';
import { listContactsBelow } from '../../functions/contacts/store/contact-list.ts';
import { getSearchSnapshot } from '../../functions/contacts/store/search-snapshot.ts';
import { createBenchTemplate } from '../campaign-life.ts';
import { likeTheProduct, loadContacts, madeAt, streaming, write } from '../large-contacts.ts';
import { type BenchFixture, type Figure, withFixture, type Scenario, expectOk } from '../scenario.ts';

/** A company with 100,000 contacts (CONTACTS=1000000 for a million). */
const size = Number(process.env['CONTACTS'] ?? 100_000);
const isMillion = size > 100_000;

export const scenario: Scenario = {
  name: 'contacts-large',
  description: `A company with ${size.toLocaleString('en')} contacts: pages, search, filters, an import`,
  deterministic: false,
  measure: () => withFixture(measured),
};

async function measured({ testApp, company, token }: BenchFixture): Promise<Figure[]> {
  await likeTheProduct(testApp, { hasEverybody: true });
  await loadContacts(company.id, size, { hasEverybody: true });
  const figures: Figure[] = [];
  const callWithin = async (name: string, query: string, rruAtMost?: number, roundsAtMost?: number): Promise<void> => {
    const call = () => expectOk(testApp.call({ method: 'GET', path: `/api/v1/contacts?${query}`, token }));
    await call();
    const cost = await testApp.meterRounds(call);
    const began = performance.now();
    await call();
    figures.push(
      { name: `${name}, reads`, unit: 'RRU', value: cost.rru, ...budget(rruAtMost) },
      { name: `${name}, sequential rounds`, unit: 'rounds', value: cost.rounds, ...budget(roundsAtMost) },
      { name: `${name}, latency`, unit: 'ms', value: Math.round(performance.now() - began) },
    );
  };
  const cold = await searches({ testApp, company, token });
  figures.push(...cold);
  await callWithin('first page', '', 2.5);
  await callWithin('page 2', 'page=2', 12);
  for (const part of [4, 2, 1.25]) await callWithin(`page ${Math.floor(size / 20 / part)}`, `page=${Math.floor(size / 20 / part)}`, 12);
  await callWithin('last page', `page=${size / 20}`, 12);
  await callWithin('page 300 of 100', 'page=300&limit=100', 12);
  await callWithin('search of a name', 'search=ngstrom', 60, 5);
  await callWithin('search of a phone', 'search=%2B49%20151%20200', 60, 5);
  await callWithin('search of nobody', 'search=qqqqqq', 60, 5);
  await callWithin('a group of every tenth', 'group_id=1', 60, 4);
  await callWithin('update_from of the last thousandth', `update_from=${since(size - size / 1_000)}&limit=100`, isMillion ? 400 : 200);
  await callWithin('update_from of the newer half', `update_from=${since(size / 2)}&limit=100`, 850);
  await callWithin('rules that a third fulfils', `filter_condition=${inCity('Pune')}`, 150);
  await callWithin('rules that nobody fulfils: what one call looks at', `filter_condition=${inCity('Atlantis')}`, 1_300);
  const preflightOf = (groupId: number, cursor?: string) =>
    expectOk(
      testApp.call({
        method: 'POST',
        path: `/api/v1/groups/${groupId}/preflight`,
        token,
        ...(cursor === undefined ? {} : { query: { cursor } }),
      }),
    );
  const preview = (cursor?: string, more: Record<string, unknown> = {}) => {
    const body = { audience_type: 'all', ...more, ...(cursor === undefined ? {} : { cursor }) };
    return expectOk(testApp.call({ method: 'POST', path: '/api/v1/campaigns/audience-preview', token, body }));
  };
  const began = performance.now();
  const evaluated = await testApp.meter(() => preflightOf(1));
  figures.push(
    { name: 'preflight of a group of every tenth, reads', unit: 'RRU', value: evaluated.rru },
    { name: 'preflight of a group of every tenth, latency', unit: 'ms', value: Math.round(performance.now() - began) },
    ...(await counted('preflight of all contacts', (cursor) => preflightOf(2, cursor), 'total_contacts')),
    ...(await counted('preview of all contacts', preview, 'total')),
  );
  // by the contacts' own fields: the search snapshot does not have them, so the contacts are walked through
  const byField = { template_id: await createBenchTemplate(company.id), parammatch: { 1: 'city' } };
  figures.push(...(await counted('preview of all contacts by a field', (cursor) => preview(cursor, byField), 'total')));
  const groups = await testApp.meter(() => expectOk(testApp.call({ method: 'GET', path: '/api/v1/groups?showContacts=yes', token })));
  figures.push({ name: 'groups with their newest contacts, reads for each of two', unit: 'RRU', value: groups.rru / 2, atMost: 60 });
  figures.push(...(await imported({ testApp, token })));
  figures.push(...(await previewAfterCampaign({ testApp, company, token })));
  return figures;
}

const part = z.object({ data: z.looseObject({ is_partial: z.boolean(), next_cursor: z.string().nullable() }) });

/** All contacts counted: how long a call takes at most, and how many calls by cursor count them all. Throws unless they add up. */
async function counted(name: string, call: (cursor?: string) => Promise<{ body: unknown }>, total: string): Promise<Figure[]> {
  let [calls, sum, longestMs] = [0, 0, 0];
  for (let cursor: string | null | undefined; cursor !== null; calls++) {
    const began = performance.now();
    const { data } = part.parse((await call(cursor)).body);
    longestMs = Math.max(longestMs, performance.now() - began);
    if (data.is_partial !== (data.next_cursor !== null))
      throw new Error(`The ${name} is partial without a cursor, or not partial with one.`);
    sum += z.int().parse(data[total]);
    cursor = data.next_cursor;
  }
  if (sum !== size) throw new Error(`The ${name} counted ${sum} of ${size} contacts.`);
  return [
    { name: `${name}, each call at most`, unit: 'ms', value: Math.round(longestMs), atMost: 10_000 },
    { name: `${name}, calls until all are counted`, unit: 'calls', value: calls },
  ];
}

/** The first snapshot, and how long searches take: with nothing in memory (the bucket's objects are read), and warm. */
async function searches({ testApp, company, token }: Pick<BenchFixture, 'testApp' | 'company' | 'token'>): Promise<Figure[]> {
  const call = (typed: string) =>
    expectOk(testApp.call({ method: 'GET', path: `/api/v1/contacts?search=${encodeURIComponent(typed)}`, token }));
  const began = performance.now();
  while (((await getSearchSnapshot(company.id, { consistent: true }))?.asOf ?? 0) < testApp.clock.now() - 120_000)
    await updateSearchSnapshot(company.id);
  const built = performance.now() - began;
  const typed = ['ngström', 'sharma', 'Zoë Kim', '+49 151 200', '98200', 'qqqqqq', 'a'];
  const timed = async (count: number, before: () => void): Promise<number> => {
    const times: number[] = [];
    for (let i = 0; i < count; i++) {
      before();
      const start = performance.now();
      await call(typed[i % typed.length] ?? '');
      times.push(performance.now() - start);
    }
    return Math.round(times.toSorted((a, b) => a - b)[Math.ceil(count * 0.95) - 1] ?? 0);
  };
  await call('warm up');
  const preview = () => previewAll(testApp, token);
  const previewBegan = performance.now();
  await preview();
  const previewMs = Math.round(performance.now() - previewBegan);
  const busyBefore = process.cpuUsage();
  for (const text of typed) await call(text);
  const { user, system } = process.cpuUsage(busyBefore);
  return [
    { name: 'first snapshot', unit: 'ms', value: Math.round(built) },
    { name: 'search, nothing in memory, p95', unit: 'ms', value: await timed(21, forgetSearchParts), atMost: 500 },
    { name: 'search, warm, p95', unit: 'ms', value: await timed(63, () => undefined), atMost: 150 },
    { name: 'audience preview of all', unit: 'ms', value: previewMs, atMost: 1_500 },
    { name: 'search, warm, CPU of this process', unit: 'ms', value: Math.round((user + system) / 1_000 / typed.length) },
  ];
}

/** 10,000 new contacts by ten calls of bulk-sync, and their part of the change stream. */
async function imported({ testApp, token }: Pick<BenchFixture, 'testApp' | 'token'>): Promise<Figure[]> {
  await testApp.drain();
  const began = performance.now();
  const cost = await testApp.meter(async () => {
    for (let call = 0; call < 10; call++) {
      const contacts = Array.from({ length: 1_000 }, (_, i) => ({
        phone: `+4917${7_000_000_000 + call * 1_000 + i}`,
        name: `Imported ${i}`,
      }));
      await expectOk(testApp.call({ method: 'POST', path: '/api/v1/contacts/bulk-sync', token, body: { contacts, group_id: 1 } }));
    }
  });
  const ms = Math.round(performance.now() - began);
  const projected = await testApp.meter(() => testApp.drain());
  return [
    { name: 'bulk-sync of 10,000 new in 10 calls', unit: 'ms', value: ms, atMost: 12_000 },
    { name: 'new in bulk, writes each, stream included', unit: 'WRU', value: (cost.wru + projected.wru) / 10_000, atMost: 5.2 },
    { name: 'new in bulk, reads each, stream included', unit: 'RRU', value: (cost.rru + projected.rru) / 10_000, atMost: 0.6 },
  ];
}

/** As many contacts changed since the last snapshot as of a fast campaign's recipients: their verdicts, none of which the preview counts. */
async function previewAfterCampaign({ testApp, company, token }: Pick<BenchFixture, 'testApp' | 'company' | 'token'>): Promise<Figure[]> {
  await bringUpToDate(testApp, company.id);
  await streaming(false);
  for (let below = size + 1; below > size - changedByCampaign; ) {
    const contacts = await listContactsBelow(company.id, below, 1_000);
    const updatedAt = testApp.clock.now();
    await write(
      contacts.map((contact) => contactEntity.stored(toItem({ ...contact, rev: contact.rev + 1, isOnWhatsapp: true, updatedAt }))),
    );
    below = contacts.at(-1)?.id ?? 0;
  }
  await streaming(true);
  const preview = () => previewAll(testApp, token);
  const cost = await testApp.meter(preview);
  const began = performance.now();
  await preview();
  const name = `audience preview of all after ${changedByCampaign.toLocaleString('en')} changes`;
  return [
    { name: `${name}, reads`, unit: 'RRU', value: cost.rru, atMost: 1_600 },
    { name: `${name}, latency`, unit: 'ms', value: Math.round(performance.now() - began), atMost: 3_000 },
  ];
}

const changedByCampaign = 30_000;

async function previewAll(testApp: BenchFixture['testApp'], token: string): Promise<void> {
  const call = { method: 'POST', path: '/api/v1/campaigns/audience-preview', token, body: { audience_type: 'all' } };
  const { total, is_partial } = previewed.parse((await testApp.call(call)).body).data;
  if (is_partial || total < size) throw new Error(`The preview counted ${total} of ${size}.`);
}
const previewed = z.object({ data: z.object({ total: z.int(), is_partial: z.boolean() }) });

async function bringUpToDate(testApp: BenchFixture['testApp'], companyId: number): Promise<void> {
  testApp.clock.advance(180_000);
  while (((await getSearchSnapshot(companyId, { consistent: true }))?.asOf ?? 0) < testApp.clock.now() - 120_000)
    await updateSearchSnapshot(companyId);
}

const budget = (atMost: number | undefined) => (atMost === undefined ? {} : { atMost });

const inCity = (value: string): string => encodeURIComponent(JSON.stringify({ match: 'all', rules: [{ field: 'city', op: 'eq', value }] }));

const since = (id: number): string => encodeURIComponent(new Date(madeAt(id)).toISOString().replace('T', ' ').slice(0, 23));
