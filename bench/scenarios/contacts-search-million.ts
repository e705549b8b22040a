import { toItem } from '../../functions/contacts/contract/stored.ts';
import { newContact } from '../../functions/contacts/domain/contact.ts';
import { forgetSearchParts } from '../../functions/contacts/service/search-snapshots.ts';
import { contactEntity } from '../../functions/contacts/store/contact.ts';
import { counterEntity } from '../../shared/table/counter.ts';
import { generatedContacts, streaming, write } from '../large-contacts.ts';
import { writeSearchSnapshot } from '../large-search.ts';
import { importRates } from '../../functions/spend/service/operator-rates.ts';
import { RecipientCount } from '../../functions/spend/service/recipient-count.ts';
import { unwrap } from '../../test/support/company.ts';
import { createBenchTemplate } from '../campaign-life.ts';
import { type BenchFixture, expectOk, type Figure, type Scenario, withFixture } from '../scenario.ts';

const size = Number(process.env['SEARCH_SIZE'] ?? 1_000_000);
/** So many of the newest lie in the table, changed before the snapshot: pages show them. */
const stored = Math.min(20_000, size);

export const scenario: Scenario = {
  name: 'contacts-search-million',
  description:
    "A million contacts in the search snapshot, the newest 20,000 of them in the table: searches with nothing in memory (all objects are read) and warm, and a campaign's audience.",
  deterministic: false,
  measure: () => withFixture(measured),
};

async function measured({ testApp, company, token }: BenchFixture): Promise<Figure[]> {
  await fill(company.id, testApp.clock.now());
  const call = (typed: string) =>
    expectOk(testApp.call({ method: 'GET', path: `/api/v1/contacts?search=${encodeURIComponent(typed)}`, token }));
  const templateId = await createBenchTemplate(company.id);
  const preview = (more: { template_id?: number } = {}) =>
    expectOk(testApp.call({ method: 'POST', path: '/api/v1/campaigns/audience-preview', token, body: { audience_type: 'all', ...more } }));
  const typed = ['ngström', 'sharma', 'Zoë Kim', '+49 151 200', '98200', 'qqqqqq', 'a'];
  await call('warm up');
  const figures: Figure[] = [];
  const timed = async (name: string, atMost: number, rounds: number, before: () => void): Promise<void> => {
    const times: number[] = [];
    let cpu = 0;
    for (let i = 0; i < rounds * typed.length; i++) {
      before();
      const [started, busy] = [performance.now(), process.cpuUsage()];
      await call(typed[i % typed.length] ?? '');
      times.push(performance.now() - started);
      const { user, system } = process.cpuUsage(busy);
      cpu += (user + system) / 1_000;
    }
    const p95 = times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1] ?? 0;
    figures.push({ name: `${name}, p95`, unit: 'ms', value: Math.round(p95), atMost });
    figures.push({ name: `${name}, CPU`, unit: 'ms', value: Math.round(cpu / times.length) });
  };
  await timed('search, nothing in memory', 500, 3, forgetSearchParts);
  await timed('search, warm', 150, 10, () => undefined);
  const reads: number[] = [];
  for (const text of typed) reads.push((await testApp.meter(() => call(text))).rru);
  figures.push({ name: 'search, reads at most', unit: 'RRU', value: Math.max(...reads), atMost: 60 });
  const began = performance.now();
  await preview();
  figures.push({ name: 'audience preview of a million', unit: 'ms', value: Math.round(performance.now() - began) });
  return [...figures, await costOfAudience(preview, templateId)];
}

/**
 * What its cost adds to a preview: the look-up of each recipient's country, beside all else that the preview does. A preview without a template has no
 * cost, but it reads less too. CPU, in turn and in one run: what else the machine does then slows both; of each the fastest counts.
 */
async function costOfAudience(preview: (more?: { template_id?: number }) => Promise<unknown>, templateId: number): Promise<Figure> {
  const prices = { marketing: '0.1131', utility: null, authentication: null, authentication_international: null, service: null };
  const markets = [{ market: 'All', countries: [], ...prices }];
  unwrap(await importRates({ currency: 'EUR', effective_from: '2026-01-01', markets }));
  const next = generatedContacts();
  const recipients = Array.from({ length: size }, () => ({ phone: next().phone }));
  let [whole, counting] = [Infinity, Infinity];
  for (let round = 0; round < 6; round++) {
    whole = Math.min(whole, await cpuOf(() => preview({ template_id: templateId })));
    const counted = new RecipientCount();
    counting = Math.min(counting, await cpuOf(async () => recipients.forEach((each) => counted.add(each))));
  }
  return { name: 'audience preview with its cost, CPU beside one without', unit: 'x', value: whole / (whole - counting), atMost: 1.1 };
}

/** Microseconds. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** The snapshot of all; of them the newest lie in the table. */
async function fill(companyId: number, at: number): Promise<void> {
  const next = generatedContacts();
  const newest: Record<string, unknown>[] = [];
  await writeSearchSnapshot(companyId, size, at, (id) => {
    const { phone, name, city } = next();
    const contact = newContact(companyId, id, { phone, phoneCountry: undefined, name, city }, at - 86_400_000, []);
    if (id > size - stored) newest.push(contactEntity.stored(toItem(contact)));
    return contact;
  });
  await streaming(false);
  await write(newest);
  await streaming(true);
  await counterEntity.put({ companyId, of: 'contact', lastId: size, total: size, rev: 1, checkpoints: {} });
}
