import { apiThrottle } from './api.ts';
import type { Declarations } from './declared.ts';
import { callsPerSecond, reservedConcurrency } from './edges.ts';
import type { Settings } from './settings.ts';

/** How long the provider takes to answer a send, in seconds: assumed. */
const sendSeconds = 0.25;
/** What a worker applies in a second: measured on a laptop, docs/performance.md. */
const updatesPerWorker = 200;
/** A number of 80 messages a second takes two workers of `campaign-blocks`. */
const workersPerCampaign = 2;

/** What gives first, by what the stack reserves: the "Limits" of docs/operate.md. Each: what, how much, what raises it. */
export const limitsOf = (
  { functions, http, workers, stream }: Pick<Declarations, 'functions' | 'http' | 'workers' | 'stream'>,
  settings: Settings,
): [what: string, limit: string, raisedBy: string][] => {
  const reserved = reservedConcurrency(functions, settings);
  const number = (value: number): string => value.toLocaleString('en-US');
  const posts = (name: string): string => number(callsPerSecond(reserved.get(name) ?? 0));
  const sends = (name: string): string => number((reserved.get(name) ?? 0) / sendSeconds);
  const most = (name: string): number => workers.find((each) => each.name === name)?.maxConcurrency ?? 0;
  const left = settings.accountConcurrency - [...reserved.values()].reduce((sum, each) => sum + each, 0);
  const others = workers.filter(({ name }) => !reserved.has(name));
  const { rateLimit, burstLimit } = apiThrottle(settings);
  return [
    [
      'webhook posts of the provider',
      `${posts('messaging-webhook')} a second: ten times the ${reserved.get('messaging-webhook')} of \`messaging-webhook\`. A number that sends 80 a second brings up to 240`,
      '`accountConcurrency` (3,000 a second at 1,200), `reserved`',
    ],
    [
      'webhook posts of shops',
      `${posts('shop-webhook')} a second of store platforms, as many of shops with a protocol of their own`,
      '`reserved`',
    ],
    [
      'single sends',
      `${sends('messaging-http')} a second of texts and media, ${sends('messaging-template-sends')} of templates, where the provider answers in a quarter of a second`,
      '`reserved`',
    ],
    [
      'campaigns at full rate at once',
      `${most('campaign-blocks') / workersPerCampaign}: ${most('campaign-blocks')} workers of \`campaign-blocks\`, two for each number of 80 a second`,
      '`workers`',
    ],
    [
      'statuses and inbound messages',
      `${number(most('messaging-statuses') * updatesPerWorker)} a second each: ${most('messaging-statuses')} workers of \`messaging-statuses\` and of \`messaging-updates\`, each good for about ${updatesPerWorker}`,
      '`workers`',
    ],
    [
      'all other functions',
      `${left} executions at once: ${http.filter(({ name }) => !reserved.has(name)).length} functions of the API, and ${others.length} kinds of workers that take up to ${others.reduce((sum, each) => sum + each.maxConcurrency, 0)} together`,
      '`accountConcurrency`',
    ],
    ['change stream', `${reserved.get(stream?.name ?? '')} shards at once, each good for about 1,000 changes a second`, '`reserved`'],
    ['API', `${number(rateLimit)} requests a second, bursts of ${number(burstLimit)}`, '`accountConcurrency`, up to 10,000 by quota'],
  ];
};

/** The rows as the page has them. */
export const limitRows = (limits: readonly (readonly string[])[]): string[] => limits.map((row) => `| ${row.join(' | ')} |`);
