import * as z from 'zod';
import { updateNumber } from '../functions/account/service/numbers.ts';
import { campaignDetails } from '../functions/campaigns/contract/campaign.ts';
import { getLiveContacts } from '../functions/contacts/service/audience.ts';
import { reachabilityEntity } from '../functions/contacts/store/reachability.ts';
import { setCeilings } from '../functions/ceilings/service/ceilings.ts';
import { importRates } from '../functions/spend/service/operator-rates.ts';
import { storedTemplate } from '../functions/templates/contract/stored.ts';
import { createTemplateRow, reserveTemplateIds } from '../functions/templates/store/template.ts';
import { unwrap } from '../test/support/company.ts';
import type { Metered } from '../test/support/sdk-hooks.ts';
import { streaming, loadContacts, write } from './large-contacts.ts';
import { type BenchFixture, withFixture, expectOk } from './scenario.ts';

/** What a campaign costs over its whole life, by what the units went into. */
export interface Life {
  size: number;
  wru: number;
  rru: number;
  queueRequests: number;
  /** Lines of the event log: of the campaign, not of its recipients, one a second at most; not in `wru`. */
  logWrites: number;
  parts: { name: string; wru: number; rru: number; calls: number }[];
  /** Of this process: product, provider stub and the harness around them. Seconds. */
  cpuSeconds: number;
  constructionSeconds: number;
  sendingSeconds: number;
}

/**
 * Marketing to `size` contacts who are known to be on WhatsApp, from the create to the last `read`: every unit of the table, of requests,
 * workers and change stream. The receiver of webhooks is left out: the three statuses come from its queue. A second campaign is to the same
 * contacts, who have a conversation by then. `isWide`: the contacts are of thirty countries, which is what the counts of charges grow with.
 * `hasCeilings`: the company has one for the day and one for the month, and the campaign one of its own; all allow what it costs.
 */
export const liveThrough = (
  size: number,
  campaigns = 1,
  { isWide = false, hasCeilings = false }: { isWide?: boolean; hasCeilings?: boolean } = {},
): Promise<Life[]> =>
  withFixture(async (fixture) => {
    if (hasCeilings) await allow(fixture.company.id, size);
    await people(fixture.company.id, size, isWide);
    unwrap(await updateNumber(fixture.company.id, 1, { rate: 1_000 }));
    const templateId = await createBenchTemplate(fixture.company.id);
    // what follows from the company, its number and its template is not a campaign's cost
    await fixture.testApp.drain();
    const lives: Life[] = [];
    while (lives.length < campaigns) lives.push(await oneCampaign(fixture, templateId, { size, hasCeilings }));
    return lives;
  });

/** The price of a recipient, and ceilings of which half is left afterwards: an allowance is a hundredth of the day's at most. */
const price = 0.1131;
const limitOf = (size: number): string => (2 * price * size).toFixed(4);

async function allow(companyId: number, size: number): Promise<void> {
  const prices = { marketing: String(price), utility: null, authentication: null, authentication_international: null, service: null };
  unwrap(await importRates({ currency: 'EUR', effective_from: '2026-01-01', markets: [{ market: 'All', countries: [], ...prices }] }));
  unwrap(await setCeilings(companyId, { currency: 'EUR', day: limitOf(size), month: limitOf(10 * size) }));
}

async function oneCampaign(
  { testApp, company, token, stub }: BenchFixture,
  templateId: number,
  { size, hasCeilings }: { size: number; hasCeilings: boolean },
): Promise<Life> {
  const parts: Life['parts'] = [];
  let queueRequests = 0;
  let logged = 0;
  let logWrites = 0;
  const spend = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const used: Metered = await testApp.meter(work);
    queueRequests += used.queueCalls;
    const part = parts.find((each) => each.name === name) ?? { name, wru: 0, rru: 0, calls: 0 };
    if (!parts.includes(part)) parts.push(part);
    part.wru += used.wru - logWrites;
    logged += logWrites;
    logWrites = 0;
    part.rru += used.rru;
    part.calls += used.calls;
  };
  stub.requests.length = 0;
  const limit = hasCeilings ? { spend_limit: { amount: limitOf(size), currency: 'EUR' } } : {};
  const body = { name: 'Spring', template_id: templateId, parammatch: { 1: 'name' }, ...limit };
  const call = (method: 'GET' | 'POST', path: string, given?: Record<string, unknown>) =>
    expectOk(testApp.call({ method, path: `/api/v1/campaigns${path}`, token, ...(given ? { body: given } : {}) }));
  let id = 0;
  const cpu = process.cpuUsage();
  const began = performance.now();
  let constructed = began;
  using _watch = testApp.onTable(({ command, input, when }) => {
    const item = input['TransactItems'] ?? input['Item'];
    if (when === 'after' && (item as { kind?: string } | undefined)?.kind === 'events') logWrites++;
    if (when === 'after' && command === 'PutItem' && (item as { status?: string }).status === 'sending') constructed = performance.now();
  });
  await spend('created, constructed, sent', async () => {
    const answer = await call('POST', '', body);
    id = z.object({ data: z.object({ id: z.int() }) }).parse(answer.body).data.id;
    await testApp.drain();
  });
  const sent = performance.now();
  const accepted = stub.requests.filter(({ path }) => path.endsWith('/messages'));
  testApp.clock.advance(12_000);
  for (const status of ['sent', 'delivered', 'read']) {
    for (let at = 0; at < accepted.length; at += 1_000) {
      await spend(`status ${status}`, async () => {
        for (let batch = at; batch < Math.min(at + 1_000, accepted.length); batch += 10)
          await testApp.invokeFunction(
            'messaging-statuses',
            statusEvent(company.id, status, accepted.slice(batch, batch + 10), testApp.clock.now()),
          );
        await testApp.drain();
      });
    }
  }
  const used = process.cpuUsage(cpu);
  const details = z.object({ data: campaignDetails }).parse((await call('GET', `/${id}`)).body).data;
  const isExact = details.status === 'completed' && details.statistics.read === size && details.statistics.total === size;
  if (!isExact || accepted.length !== size)
    throw new Error(`Not every recipient has one message that was read: ${JSON.stringify(details.statistics)}`);
  return {
    size,
    wru: parts.reduce((sum, each) => sum + each.wru, 0),
    rru: parts.reduce((sum, each) => sum + each.rru, 0),
    queueRequests,
    logWrites: logged,
    parts,
    cpuSeconds: (used.user + used.system) / 1e6,
    constructionSeconds: (constructed - began) / 1_000,
    sendingSeconds: (sent - constructed) / 1_000,
  };
}

interface Accepted {
  body: Record<string, unknown>;
  wamid?: string;
}

/** Ten statuses as the receiver queues them, prices included. */
function statusEvent(companyId: number, status: string, accepted: readonly Accepted[], nowMs: number): unknown {
  return {
    Records: accepted.map(({ body, wamid }, index) => {
      const update = {
        id: wamid,
        status,
        timestamp: String(Math.floor(nowMs / 1_000)),
        recipient_id: String(body['to']).replace('+', ''),
        biz_opaque_callback_data: body['biz_opaque_callback_data'],
        pricing: { billable: true, pricing_model: 'PMP', type: 'regular', category: 'marketing' },
      };
      return {
        messageId: `m-${index}`,
        body: JSON.stringify({ company_id: companyId, received_at: nowMs, status: update }),
        attributes: { ApproximateReceiveCount: '1' },
        messageAttributes: {},
        eventSource: 'aws:sqs',
      };
    }),
  };
}

/** Contacts whose phones earlier messages have shown to be on WhatsApp: learning that is not what a campaign costs. */
async function people(companyId: number, size: number, isWide: boolean): Promise<void> {
  await loadContacts(companyId, size, { isWide });
  await streaming(false);
  for (let first = 1; first <= size; first += 2_000) {
    const ids = Array.from({ length: Math.min(2_000, size - first + 1) }, (_, index) => first + index);
    const contacts = [...(await getLiveContacts(companyId, ids)).values()];
    await write(contacts.map(({ phone }) => reachabilityEntity.stored({ companyId, phone, seenAt: Date.now(), rev: 1, checkpoints: {} })));
  }
  await streaming(true);
}

/** An approved template of marketing with one parameter, "1"; its id. */
export async function createBenchTemplate(companyId: number): Promise<number> {
  const id = await reserveTemplateIds(companyId, 1);
  const stored = storedTemplate.parse({
    companyId,
    id,
    name: 'spring_sale',
    language: 'en',
    category: 'MARKETING',
    status: 'APPROVED',
    parameterFormat: 'POSITIONAL',
    components: [{ type: 'BODY', text: 'Hi {{1}}, our sale starts today.' }],
    providerId: '1',
    statusAt: 0,
    rev: 1,
    createdAt: 0,
    updatedAt: 0,
  });
  await createTemplateRow(stored, undefined);
  return id;
}
