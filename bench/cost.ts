import * as z from 'zod';
import type { Template } from '../test/wiring/template.ts';
import type { Baseline } from './baseline.ts';
import { companyMonths, type ConsoleHour, consoleHour, consoleHours, formerCalls } from './console.ts';
import { leastDuePartitions } from '../shared/table/due.ts';
import { prices } from './prices.ts';
import type { Results } from './results.ts';

/** What an operation uses on AWS: units from the gated figures, the rest from how it is built. */
export interface Usage {
  operation: string;
  /** Figures of bench/baseline.json: [scenario, figure], or a number of units where a figure leaves the token's own out. */
  writes: readonly Part[];
  reads: readonly Part[];
  /** Requests that API Gateway takes; a function URL costs none. */
  apiRequests: number;
  /** Runs of Lambda that are its own share: a queue's or the stream's batch is shared by all in it. */
  runs: number;
  /** Milliseconds of Lambda, at 1,024 MB: assumed, since the laptop's say nothing of AWS. */
  assumedMs: number;
  queueRequests: number;
  emails?: number;
}
type Part = readonly [scenario: string, figure: string] | number;

/** One token check is a unit of its own where a figure is "beyond the token". */
const token = 1;

/** The operation that is bought most. */
export const campaignRecipient = 'A recipient of a campaign, with the three statuses';

const textSent = 'A text sent, with its three statuses';
const messageReceived = 'A message received';

export const operations: readonly Usage[] = [
  {
    operation: textSent,
    writes: [['send-text', 'all writes of a send, change stream and statuses included']],
    reads: [['send-text', 'request, reads']],
    apiRequests: 1,
    runs: 1 + 3 + 0.3,
    assumedMs: 250 + 3 * 15 + 10,
    queueRequests: 3 * 3,
  },
  {
    operation: campaignRecipient,
    // every 2,048th change has the search snapshot brought up to date (docs/decisions/contact-search.md): 4 WRU and some 0.8 s, 4 RRU for 100 changes
    writes: [['campaign', 'of 500: writes a recipient'], 4 / 2_048],
    reads: [['campaign', 'of 500: reads a recipient'], 4 / 100],
    apiRequests: 0,
    runs: 0.01 + 3 + 0.3,
    assumedMs: 15 + 3 * 15 + 10 + 0.4,
    // each status is sent alone; a campaign brings so many that Lambda takes and deletes them by tens, as its runs above
    queueRequests: 3 * (1 + 2 / 10),
  },
  {
    operation: messageReceived,
    writes: [
      ['conversations', 'receiver, writes'],
      ['conversations', 'inbound message stored and folded, writes'],
    ],
    reads: [['conversations', 'inbound message stored and folded, reads']],
    apiRequests: 0,
    runs: 1 + 0.3,
    assumedMs: 35,
    queueRequests: 3,
  },
  {
    operation: 'A person verified by WhatsApp: code, three statuses, answer',
    writes: [['verification', 'a code by WhatsApp, asked for, sent, three statuses and verified, writes']],
    reads: [['verification', 'a code by WhatsApp, asked for, sent, three statuses and verified, reads']],
    apiRequests: 2,
    runs: 2 + 1 + 3 + 0.3,
    // an answer is held back to the next step of 100 ms, so that times say nothing (docs/decisions/verification-answer-time.md)
    assumedMs: 2 * 200 + 250 + 3 * 15 + 10,
    queueRequests: 3 * (1 + 3),
  },
  {
    operation: 'A person verified by email: code, answer',
    writes: [['verification', 'a code by email, asked for, sent and verified, writes']],
    reads: [['verification', 'a code by email, asked for, sent and verified, reads']],
    apiRequests: 2,
    runs: 2 + 1 + 0.3,
    assumedMs: 2 * 200 + 100 + 10,
    queueRequests: 3,
    emails: 1,
  },
  {
    operation: 'A contact created',
    writes: [['contacts', 'create, writes']],
    reads: [['contacts', 'create, reads']],
    apiRequests: 1,
    runs: 1.1,
    assumedMs: 45,
    queueRequests: 0,
  },
  {
    operation: 'A contact sent again unchanged',
    writes: [token, ['contacts', 'unchanged upsert, writes beyond the token']],
    reads: [['contacts', 'unchanged upsert, reads']],
    apiRequests: 1,
    runs: 1,
    assumedMs: 20,
    queueRequests: 0,
  },
  {
    operation: 'A page of contacts',
    writes: [token],
    reads: [['contacts', 'list, first page of 20, reads']],
    apiRequests: 1,
    runs: 1,
    assumedMs: 25,
    queueRequests: 0,
  },
  {
    operation: 'A lead created',
    writes: [token, ['crm', 'create, writes'], ['crm', 'create, what follows, writes']],
    reads: [['crm', 'detail, reads']],
    apiRequests: 1,
    runs: 1.1,
    assumedMs: 50,
    queueRequests: 0,
  },
  {
    operation: 'A lead changed',
    writes: [token, ['crm', 'PATCH, writes'], ['crm', 'PATCH, what follows, writes']],
    reads: [['crm', 'detail, reads']],
    apiRequests: 1,
    runs: 1.1,
    assumedMs: 40,
    queueRequests: 0,
  },
  {
    operation: 'A product created',
    writes: [['shop', 'product create, writes with the token']],
    reads: [],
    apiRequests: 1,
    runs: 1.1,
    assumedMs: 40,
    queueRequests: 0,
  },
  {
    operation: 'A changed row of an ERP sync of 1,000',
    writes: [['shop', 'ERP row, changed']],
    reads: [1],
    apiRequests: 1 / 1_000,
    runs: 1 / 1_000,
    assumedMs: 3,
    queueRequests: 0,
  },
];

export interface Cost {
  operation: string;
  wru: number;
  rru: number;
  /** Dollars for a million of them, by service. */
  services: Readonly<Record<(typeof services)[number], number>>;
  perMillion: number;
}

/** What is paid by use; the messaging provider's prices and data transfer are not ours. */
const services = ['DynamoDB', 'Lambda', 'API Gateway', 'SQS', 'SES', 'logs'] as const;

/** Each run of a function logs about half a kilobyte. */
const logGbARun = 0.5 / 1e6;

/** Throws when a figure that it is made of is not measured any more. */
export const costOf = (usage: Usage, baseline: Baseline): Cost => {
  const sum = (parts: readonly Part[]): number =>
    parts.reduce<number>((total, part) => {
      if (typeof part === 'number') return total + part;
      const value = baseline[part[0]]?.[part[1]];
      if (value === undefined) throw new Error(`"${usage.operation}" is priced by ${part.join(': ')}, which nothing measures.`);
      return total + value;
    }, 0);
  const [wru, rru] = [sum(usage.writes), sum(usage.reads)];
  const each = {
    DynamoDB: wru * prices.writeUnit + rru * prices.readUnit,
    Lambda: usage.runs * prices.lambdaRequest + (usage.assumedMs / 1_000) * prices.lambdaGbSecond,
    'API Gateway': usage.apiRequests * prices.apiRequest,
    SQS: usage.queueRequests * prices.queueRequest,
    SES: (usage.emails ?? 0) * prices.email,
    logs: usage.runs * logGbARun * prices.logGb,
  };
  const perMillion = Object.fromEntries(services.map((service) => [service, each[service] * 1e6])) as Cost['services'];
  return {
    operation: usage.operation,
    wru,
    rru,
    services: perMillion,
    perMillion: services.reduce((all, one) => all + perMillion[one], 0),
  };
};

/** What stands in the stack, counted in its template. */
export interface Standing {
  alarms: number;
  /** Metrics that the alarms look at: an alarm costs by each. */
  alarmMetrics: number;
  secrets: number;
  /** Queues that a function works off. */
  workedQueues: number;
}

/** Counts what stands in the product's template. */
export const standing = (template: Pick<Template, 'ofType'>): Standing => {
  const alarms = template.ofType('AWS::CloudWatch::Alarm');
  const metrics = z.array(z.looseObject({ MetricStat: z.unknown().optional() }));
  return {
    alarms: alarms.length,
    alarmMetrics: alarms
      .map(({ Properties }) =>
        Properties['Metrics'] ? metrics.parse(Properties['Metrics']).filter(({ MetricStat }) => MetricStat).length : 1,
      )
      .reduce((sum, each) => sum + each, 0),
    secrets: template.ofType('AWS::SecretsManager::Secret').length,
    workedQueues: template
      .ofType('AWS::Lambda::EventSourceMapping')
      .filter(({ Properties }) => Properties['StartingPosition'] === undefined).length,
  };
};

/** Lambda polls a quiet queue with five long polls of 20 seconds at a time. */
const pollsAMonth = (5 * 3 * 60 * 24 * 365) / 12;
/** Each partition of due work is looked at for what falls due, and once more ten minutes later. */
const tickReads = 2 * leastDuePartitions;
const ticksAMonth = (60 * 24 * 365) / 12;

export const idleMonth = ({ alarms, alarmMetrics, secrets, workedQueues }: Standing): [what: string, dollars: number][] => [
  [`${alarms} alarms on ${alarmMetrics} metrics`, alarmMetrics * prices.alarmMonth],
  [`${secrets} secrets`, secrets * prices.secretMonth],
  [`polling of ${workedQueues} quiet queues by Lambda`, workedQueues * pollsAMonth * prices.queueRequest],
  [
    `the minute tick: Lambda and ${tickReads} index reads`,
    ticksAMonth * (prices.lambdaRequest + 0.02 * prices.lambdaGbSecond + tickReads * 0.5 * prices.readUnit),
  ],
  // and one look of the stream's consumer for each shard and quarter of an hour, which nothing but work brings
  ['the minute look for changes that wait', ticksAMonth * (prices.lambdaRequest + 0.02 * prices.lambdaGbSecond + prices.readUnit)],
];

const dollars = (value: number): string => value.toFixed(2);

export const costPage = (baseline: Baseline, standing: Standing, results: Results): string => {
  const idle = idleMonth(standing);
  return `# What it costs

Written by \`npm run bench -- --pages\` from the gated figures (bench/baseline.json), the stack's template and the prices in bench/prices.ts
(us-east-1, beyond the free tiers). The messaging provider's own prices and data transfer come on top.

## A million of each operation

Milliseconds of Lambda at 1,024 MB are assumed, since a laptop's say nothing of AWS, and 0.5 KB of logs a run; units are measured. By service,
in dollars: a status comes in a post of its own, which is the dearest way the provider has. EventBridge is paid only where its events are
switched on (below); S3 keeps files and the search snapshot, whose reads are below a hundredth of a dollar a thousand searches, and the
journal of what a restore must not forget, 5.00 a million objects: at most three for a single send, a tenth of one for a message of a campaign ([why](decisions/restore-in-time.md)).
A post of a store, a carrier or an own system is 1 WRU more for the list of what became of it ([why](decisions/shop-receivers-normalize-first.md)); the sums of a board are in writes that
leads have anyway, and reading them is 0.5 RRU for each 4 KB of cells.
What else people read and write beside messages: a report of the inbox is about 3 RRU for 30 days, and an answered wait or a closing 1 WRU ([why](decisions/inbox-report.md)); what was spent is 0.5 RRU per 4 KB of
the days since the first of the month, and 5 to 10 RRU for the cards of a currency, and beside the provider's bill as much ([why](decisions/spend.md)); a ceiling is 4 WRU for a grant of thirty seconds of sending, and 0 for a company without one; that of a token is 1 WRU a message ([why](decisions/spend-ceilings.md));
a reply to a campaign is 1 WRU, a comparison of campaigns 0.5 RRU for each ([why](decisions/campaign-outcomes.md)); a weekly summary is about 20 RRU, 3 WRU and an email of SES, and 0 for a company in which no one wants it ([why](decisions/weekly-summary.md)).

| operation | WRU | RRU | Lambda ms, assumed | ${services.join(' | ')} | dollars a million |
|---|---:|---:|---:|${services.map(() => '---:').join('|')}|---:|
${operations
  .map((usage) => ({ ...costOf(usage, baseline), ms: usage.assumedMs }))
  .map(
    ({ operation, wru, rru, ms, services: each, perMillion }) =>
      `| ${operation} | ${round(wru)} | ${round(rru)} | ${ms} | ${services.map((service) => dollars(each[service])).join(' | ')} | ${dollars(perMillion)} |`,
  )
  .join('\n')}

## A month in which nothing happens

| what stands | dollars |
|---|---:|
${idle.map(([what, each]) => `| ${what} | ${dollars(each)} |`).join('\n')}
| **together** | **${dollars(idle.reduce((sum, [, each]) => sum + each, 0))}** |

Everything else is paid by use. Each GB kept in the table is ${dollars(prices.tableGbMonth)} a month, and ${dollars(prices.recoveryGbMonth)} more for point-in-time recovery.
The table is encrypted under AWS's own key of the account in KMS: 0.03 for 10,000 uses, at most about 1.40 a month.
The page of graphs (\`-c dashboard=true\`) is ${dollars(prices.dashboardMonth)} a month. Each metric that the functions write is ${dollars(prices.metricMonth)} in a month in which it is
written: \`Sends\` and \`WebhookAttempts\` have one for each outcome, the others are about ten. Traces (\`-c tracing=true\`) are ${dollars(prices.trace * 1e6)} a million; X-Ray keeps the first
request of each second and one in twenty of the others. Events on the bus (\`-c publishEvents=true\`) are ${dollars(prices.busEvent * 1e6)} a million, with or without a rule that takes them: a text with its three
statuses is three.
A copy of the table in another region or account (\`backupVaultArn\`) is ${dollars(prices.backupGbMonth)} a GB and month for each backup on each side; the transfer to another region comes on top.

${consoleSection(
  baseline,
  results,
  idle.reduce((sum, [, each]) => sum + each, 0),
)}`;
};

const whole = (value: number): string => Math.round(value).toLocaleString('en');

/** The console of an agent, and what it is of the bill of whole companies. */
const consoleSection = (baseline: Baseline, results: Results, idle: number): string => {
  const hours = consoleHours(baseline, results, (usage) => costOf(usage, baseline).perMillion);
  const perMillionOf = (name: string): number => {
    const usage = operations.find(({ operation }) => operation === name);
    if (!usage) throw new Error(`"${name}" has no price.`);
    return costOf(usage, baseline).perMillion;
  };
  const months = companyMonths(
    hours,
    { recipient: perMillionOf(campaignRecipient), sent: perMillionOf(textSent), received: perMillionOf(messageReceived) },
    idle,
  );
  const lookReads = (what: string): number | undefined => baseline['conversations']?.[`a look that finds nothing, ${what}, reads`];
  const columns = ['consoles', 'messages', 'storage', 'standing'] as const;
  return `## An hour of the console

An open conversation in a page that is seen, measured in Chromium (\`npm run bench -- console-hour\`): nearly all calls are looks for changes, one call
each (\`GET /sync\`). A page looks every two seconds after something happened or its user did something, of which it can save up ten looks, in the long run every 3.8; every five after a
minute without, every ten after three, every thirty while it is hidden. A look is ${lookReads('with an open conversation')} RRU, ${lookReads('with its messages')} where a state of its messages can still change, as 45 % are assumed to be, and a write for
the limit of its session; each twenty seconds another for who looks at the conversation. 14 ms of Lambda are assumed, and a request of CloudFront is in it. Before, with a poll for each, an hour was about ${whole(formerCalls)} calls.${doorbellHours(hours)}

| what happens | calls | of before | dollars |
|---|---:|---:|---:|
${hours.map(({ pace, calls, dollars: each }) => `| ${consoleHour[pace].replace(', an hour', '')} | ${whole(calls)} | ${Math.round((calls / formerCalls) * 100)} % | ${each.toFixed(4)} |`).join('\n')}

## A month of three companies

An agent's month is 22 days of eight hours, with the console seen for all of it: an upper bound. Messages are those of the first table, half of
them received; storage is that of the first year's middle. With \`tracing\`, which is off by default, X-Ray keeps the first request of each second and one in twenty of the
others, and adds ${months.map(({ traces }) => whole(traces)).join(', ')} dollars.

| company | console calls, millions | ${columns.join(' | ')} | dollars |
|---|---:|${columns.map(() => '---:').join('|')}|---:|
${months
  .map((month) => {
    const sum = columns.reduce((total, column) => total + month[column], 0);
    return `| ${month.name} | ${round(month.calls / 1e6)} | ${columns.map((column) => whole(month[column])).join(' | ')} | **${whole(sum)}** |`;
  })
  .join('\n')}
`;
};

const doorbellHours = (hours: readonly ConsoleHour[]): string =>
  hours.some(({ pace }) => pace.endsWith('Rung'))
    ? `
With the [doorbell](decisions/doorbell.md) a page looks when it is rung, and every twenty seconds while it shows who looks at a conversation; rings and the minutes of the connection are in it, the publications of a company once for each of its pages: an upper bound.`
    : '';

const round = (value: number): string => String(Math.round(value * 100) / 100);
