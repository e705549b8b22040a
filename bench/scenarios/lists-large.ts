import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { join } from 'node:path';
import * as z from 'zod';
import { app } from '../../functions/app.ts';
import { ensureConsole } from '../../lib/console/ensure.ts';
import { credentialEntity } from '../../shared/access/credential.ts';
import { tokenHash } from '../../shared/access/token.ts';
import { windowField } from '../../shared/access/window.ts';
import { limits } from '../../shared/contract/route.ts';
import { dynamo } from '../../shared/table/client.ts';
import { startConsole } from '../../test/support/console.ts';
import { type Answer, answerOf, type Call, gatewayEvent } from '../../test/support/gateway-event.ts';
import { captureLogs } from '../../test/support/log-capture.ts';
import type { RunningProduct } from '../../test/support/product.ts';
import { meter, onTable } from '../../test/support/sdk-hooks.ts';
import { callHandler } from '../../test/support/test-app.ts';
import { type LargeCompany, sizesFor, startLargeCompany } from '../large-company.ts';
import { type FirstPage, firstPages, type Values } from '../list-operations.ts';
import { listPages } from '../list-pages.ts';
import { asOperator, pause, percentile } from '../running.ts';
import { expectOk, type Figure, type Scenario } from '../scenario.ts';

const sizes = sizesFor(Number(process.env['LISTS_SIZE'] ?? 1_000_000));
const rounds = 10;
const counted = (count: number, what: string): string => `${count.toLocaleString('en')} ${what}`;

/** Its units have bounds; not run with the tests, because filling the table takes ten minutes. */
export const scenario: Scenario = {
  name: 'lists-large',
  description: `One company with ${counted(sizes.contacts, 'contacts')}, ${counted(sizes.conversations, 'conversations')}, ${counted(sizes.leads, 'leads')} and ${counted(sizes.orders, 'orders')}: the first page of every list of the API, with every filter and sort, and every page of the console in Chromium, from its address to its first rows`,
  deterministic: false,
  measure: async () => {
    await ensureConsole(join(import.meta.dirname, '../..'));
    const { product: started, company } = await startLargeCompany(sizes, process.env['LISTS_DATA']);
    await using product = started;
    const made = await makeSmallThings(product);
    const logs = captureLogs();
    const figures = await asOperator(product, () => measureLists(product, valuesOf(product, company, made)));
    logs.stop();
    await using swb = await startConsole(product);
    figures.push(...(await listPages(swb, made.campaignId)));
    return figures;
  },
};

/** Read units of a first page, unless named below: half a megabyte, of the thirty that the least of the four large lists has. */
const usualUnits = 64;
const usualMs = 150;

/** First pages whose bounds are their own: of these operations, where the filter begins so. With `isGoal` they are known to miss their time. */
interface OwnBounds {
  what: string;
  operations: readonly string[];
  filters: readonly string[];
  rru: number;
  ms?: number;
  isGoal?: true;
}
const ownBounds: readonly OwnBounds[] = [
  // in the packed texts of all leads: docs/decisions/crm-lists.md
  { what: 'search', operations: ['listLeads', 'getBoard'], filters: ['search='], rru: 700, isGoal: true },
  // each stage as a list of its own
  { what: 'all stages', operations: ['getBoard'], filters: [''], rru: 250, isGoal: true },
  // evaluated contact by contact, as many as one call looks at
  { what: 'rules', operations: ['listContacts'], filters: ['filter_condition=', 'segment_id='], rru: 1_300, isGoal: true },
  // the facts of all leads: docs/decisions/crm-reports.md
  { what: 'report', operations: ['getReport'], filters: [''], rru: 1_500, ms: 1_500 },
  // the newest hundred of each group
  { what: 'with contacts', operations: ['listGroups'], filters: ['showContacts='], rru: 180, isGoal: true },
  // a text, and what few match, is looked for in 10,000 records: docs/decisions/shop-storage-pages.md
  {
    what: 'searches and filters that few match',
    operations: ['listProducts'],
    filters: ['search=', 'status=Draft', 'status=Archived', 'category_id=', 'external_source=erp', 'sku='],
    rru: 1_050,
    isGoal: true,
  },
  {
    what: 'searches and filters that few match',
    operations: ['listOrders'],
    filters: ['search=', 'status=Fulfilled', 'status=Cancelled', 'status=Refunded', 'customer_phone=', 'to='],
    rru: 1_050,
    isGoal: true,
  },
];

/** What lists of few things need to be there: by the API, as a user makes them. */
interface SmallThings {
  campaignId: number;
  templateId: number;
  webhookId: number;
  segmentId: number;
  tagId: number;
}

async function makeSmallThings(product: RunningProduct): Promise<SmallThings> {
  const made = z.looseObject({ data: z.looseObject({ id: z.int() }) });
  const post = async (path: string, body: unknown): Promise<number> =>
    made.parse((await expectOk(product.asOwner({ method: 'POST', path: `/api/v1/${path}`, body }))).body).data.id;
  const groupId = await post('groups', { name: 'A few' });
  const contacts = Array.from({ length: 30 }, (_, nth) => ({ phone: `+49301234${500 + nth}`, name: `Guest ${nth}` }));
  await expectOk(product.asOwner({ method: 'POST', path: '/api/v1/contacts/bulk-sync', body: { contacts, group_id: groupId } }));
  await product.idle(600);
  const templates = await product.asOwner({ method: 'GET', path: '/api/v1/templates', query: { name: 'spring_sale' } });
  const [template] = z.object({ data: z.array(z.looseObject({ id: z.int() })) }).parse(templates.body).data;
  const templateId = template?.id ?? 0;
  const campaignId = await post('campaigns', { name: 'To a few', template_id: templateId, parammatch: { 1: 'name' }, group_id: groupId });
  const webhookId = await post('webhooks', { url: 'https://hooks.example/large', events: ['order.*'] });
  const segmentId = await post('segments', { name: 'In Pune', filter: inCity('Pune') });
  const tagId = await post('tags', { name: 'Rare' });
  await product.idle(600);
  return { campaignId, templateId, webhookId, segmentId, tagId };
}

const inCity = (value: string) => ({ match: 'all', rules: [{ field: 'city', op: 'eq', value }] });

/** What exists, and what filters are given: of a filter by a text or an id one that many have, and one that few or none have. */
function valuesOf(product: RunningProduct, { crm, seldomAssigned }: LargeCompany, made: SmallThings): Values {
  const [demo] = product.demo.companies;
  const instant = (back: number): string => `${new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 19)}Z`;
  const day = (back: number): string => instant(back).slice(0, 10);
  const plain = (iso: string): string => iso.slice(0, 19).replace('T', ' ');
  const [owner] = crm.owners;
  const texts = {
    search: ['Kim', 'qqqqqq'],
    text: ['where order', 'refund'],
    'listConversationMessages.search': 'order',
    'listLeads.search': ['garden', 'number 4912'],
    'getBoard.search': ['garden', 'number 4912'],
    'listProducts.search': ['rug', 'SKU-77', 'qqqqqq'],
    'listPublicProducts.search': ['rug', 'qqqqqq'],
    'listOrders.search': ['Sharma', '10077', 'qqqqqq'],
    'listTemplates.name': 'spring_sale',
    'listTemplates.status': 'all',
    'listMessages.status': 'scheduled',
  };
  const times = {
    at: day(1),
    from: [instant(30), instant(360)],
    to: [instant(30), instant(360)],
    'getVerificationReport.from': day(20),
    'getVerificationReport.to': day(1),
    due_from: [instant(0), instant(600)],
    due_to: [instant(0), instant(600)],
    updated_from: [instant(1), instant(300)],
    update_from: [plain('2026-01-01T00:00:00'), plain(instant(1))],
    'listContacts.include_deleted with': `update_from=${encodeURIComponent(plain(instant(1)))}`,
    lastmessagetime: plain('2026-02-01T00:00:00'),
    timezone: 'Europe/Berlin',
  };
  const ids = {
    user_id: demo?.users.member,
    number_id: 1,
    group_id: 1,
    tag_id: made.tagId,
    segment_id: made.segmentId,
    template_id: made.templateId,
    contact_id: [17, sizes.contacts],
    conversation_id: 17,
    assigned_to: [demo?.users.member ?? 0, seldomAssigned],
    pipeline_id: crm.pipelineId,
    stage_id: crm.stages.map(({ id }) => id),
    owner_id: [owner ?? 0, 987_654],
    assignee_id: [owner ?? 0, 987_654],
    lead_id: Math.ceil(sizes.leads / 2),
    category_id: [1, 987_654],
    external_id: 'P-17',
    external_source: ['storeplatform', 'erp'],
    sku: ['SKU-1', 'SKU-none'],
    customer_phone: '4915120000000',
    credential_id: 1,
    profile_id: demo?.verification.profile_id,
    before_id: 9_000_000_000_000_000,
  };
  const words = {
    currency: 'EUR',
    showContacts: 'yes',
    filter_condition: [inCity('Pune'), inCity('Atlantis')].map((rules) => JSON.stringify(rules)),
    'listTemplateLibrary.search': 'order',
    language: 'en_US',
    topic: 'ORDER_MANAGEMENT',
    use_case: 'DELIVERY_UPDATE',
    industry: 'E_COMMERCE',
    compare: 'previous_year',
    after: '1795000000000',
    before: '1795000000000',
    'getSync.version': '1',
    'getSync.version with': 'conversation_id=17',
    'getSync.messages with': 'conversation_id=17&version=1',
    'getSync.state with': 'conversation_id=17',
    types: 'campaign.*',
    subject: 'conversation:17',
    operation: 'sendText',
    code: 'validation_failed',
    event: 'order.created',
    event_id: 'evt_1',
    response_status: 500,
  };
  const places = {
    '/api/v1/numbers/': 1,
    '/api/v1/contacts/': 17,
    '/api/v1/conversations/': 17,
    '/api/v1/crm/leads/': Math.ceil(sizes.leads / 2),
    '/api/v1/campaigns/': made.campaignId,
    '/api/v1/webhooks/': made.webhookId,
    '/api/v1/verification/admin/profiles/': demo?.verification.profile_id,
    '/shop/': product.companyId,
  };
  // without a limit they answer 500 records; the pages of the console read 50
  const sizesOfPages = { 'listOrders.limit': 50, 'listProducts.limit': 50, 'listPublicProducts.limit': 50 };
  return { ...texts, ...times, ...ids, ...words, ...places, ...sizesOfPages };
}

/**
 * Of each operation its slowest and its dearest first page, all of them on the screen; how much of that the emulator's answers are, and how much more it is
 * than a bare Query.
 */
async function measureLists(product: RunningProduct, values: Values): Promise<Figure[]> {
  const token = product.demo.companies[0]?.tokens.owner ?? '';
  const caller = callerOf(token);
  const groups = new Map<string, { ms: Figure; rru: Figure }>();
  let [all, ofTable] = [0, 0];
  const bare: Figure[] = [];
  for (const page of firstPages(values)) {
    const call = () => caller(page);
    await forgetLimits(token);
    const reads = await callOrName(page, () => meter(call));
    const times: number[] = [];
    const table = tableTime();
    const before = process.cpuUsage();
    // what is slow is known after a few
    for (const ends = performance.now() + 2_000; times.length < rounds && (times.length < 5 || performance.now() < ends); )
      times.push((await call()).ms);
    const { user, system } = process.cpuUsage(before);
    const cpu = ((user + system) / 1_000 / times.length).toFixed(1);
    all += times.reduce((sum, each) => sum + each, 0);
    ofTable += table.end();
    const ms = percentile(times, 0.95);
    console.error(
      `  ${`${page.operation} ${page.filter}`.padEnd(70)} ${String(ms).padStart(8)} ms ${cpu.padStart(8)} ms CPU ${String(reads.rru).padStart(8)} RRU`,
    );
    const own = ownBounds.find(({ operations, filters }) => isOneOf(page, operations, filters));
    const name = own === undefined ? page.operation : `${page.operation}, ${own.what}`;
    const held = groups.get(name);
    groups.set(name, {
      ms: { name: `${name}, p95`, unit: 'ms', value: Math.max(ms, held?.ms.value ?? 0), atMost: own?.ms ?? usualMs, isGoal: own?.isGoal },
      rru: { name: `${name}, reads`, unit: 'RRU', value: Math.max(reads.rru, held?.rru.value ?? 0), atMost: own?.rru ?? usualUnits },
    });
    if (page.filter === '' && largeLists.has(page.operation)) bare.push(await besideBareQuery(page, percentile(times, 0.5), call));
  }
  const share = { name: "of all first pages' time, waited for the emulator", unit: 'x' as const, value: ofTable / all };
  return [...[...groups.values()].flatMap(({ ms, rru }) => [ms, rru]), share, ...bare];
}

const isOneOf = ({ operation, filter }: FirstPage, operations: readonly string[], filters: readonly string[]): boolean =>
  operations.includes(operation) && filters.some((each) => filter.startsWith(each));

const largeLists = new Set(['listContacts', 'listConversations', 'listLeads', 'listOrders']);

const callOrName = async <T>({ operation, path }: FirstPage, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${operation} (${path}) could not be measured: ${String(error)}`, { cause: error });
  }
};

/** The limits of a minute are not what is measured. */
async function forgetLimits(token: string): Promise<void> {
  const minutes = [Date.now(), Date.now() + 60_000];
  const fields = Object.entries(limits).flatMap(([name, { by }]) => (by === 'token' ? minutes.map((at) => windowField(name, at)) : []));
  await credentialEntity.change({ hash: tokenHash(token) }, { remove: fields });
}

/** Calls as an owner, in this process. */
function callerOf(token: string) {
  let calls = 0;
  const once = async (call: Call): Promise<Answer> => {
    const { spec, event } = gatewayEvent(app, call, `list-${++calls}`, Date.now());
    return answerOf((await callHandler(spec, event)) as Parameters<typeof answerOf>[0]);
  };
  return async ({ path }: FirstPage): Promise<{ ms: number }> => {
    const isPublic = path.startsWith('/shop/');
    const call = {
      method: 'GET',
      path,
      ...(isPublic ? {} : { token }),
      sourceIp: `198.51.${Math.floor(calls / 250) % 250}.${calls % 250}`,
    };
    for (;;) {
      const began = performance.now();
      const answer = await once(call);
      const ms = performance.now() - began;
      if (answer.status === 429) {
        await pause(Number(answer.headers['retry-after'] ?? 1) * 1_000);
        continue;
      }
      await expectOk(Promise.resolve(answer));
      return { ms };
    }
  };
}

/** Milliseconds in which at least one call to the table was under way. */
function tableTime(): { end: () => number } {
  let [open, since, sum] = [0, 0, 0];
  const hook = onTable(({ when }) => {
    if (when === 'before') {
      if (open++ === 0) since = performance.now();
    } else if (--open === 0) sum += performance.now() - since;
  });
  return {
    end: () => {
      hook[Symbol.dispose]();
      return sum;
    },
  };
}

/** How many times as long as its own largest Query the page takes, both at their medians. */
async function besideBareQuery({ operation }: FirstPage, p50: number, call: () => Promise<unknown>): Promise<Figure> {
  let largest: { input: Record<string, unknown>; items: number } | undefined;
  const hook = onTable(({ command, input, when, output }) => {
    const items = (output?.['Items'] as readonly unknown[] | undefined)?.length ?? 0;
    if (when === 'after' && command === 'Query' && items > (largest?.items ?? 0)) largest = { input: structuredClone(input), items };
  });
  await call();
  hook[Symbol.dispose]();
  if (!largest) throw new Error(`${operation} read its page without a Query.`);
  const { input } = largest;
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    await dynamo.send(new QueryCommand(input as never));
    times.push(performance.now() - began);
  }
  return { name: `${operation}, beside its bare Query (${percentile(times, 0.5)} ms)`, unit: 'x', value: p50 / percentile(times, 0.5) };
}
