import type { Baseline } from './baseline.ts';
import { prices } from './prices.ts';
import type { Results } from './results.ts';

/** The figures of the scenario console-hour, by what happens. */
export const consoleHour = {
  quiet: 'nothing happens, an hour',
  one: 'a customer writes once a minute, an hour',
  twenty: 'customers write twenty times a minute, an hour',
  quietRung: 'nothing happens, with the doorbell, an hour',
  oneRung: 'a customer writes once a minute, with the doorbell, an hour',
  twentyRung: 'customers write twenty times a minute, with the doorbell, an hour',
} as const;
type Pace = keyof typeof consoleHour;

/** The calls of an hour before a look was one call: the share of time with ticks to come as the review of 2026-11-27 has it. */
export const formerCalls = 3_900;

/** Messages of customers in a minute. */
const messages: Readonly<Record<Pace, number>> = { quiet: 0, one: 1, twenty: 20, quietRung: 0, oneRung: 1, twentyRung: 20 };

const quiet = 'a look that finds nothing, with an open conversation';
const withMessages = 'a look that finds nothing, with its messages, reads';
const foundMessage = 'a look that finds a message, with an open conversation, reads';

/** Who looks at a conversation is written again each twenty seconds. */
const presenceWritesAnHour = 180;

/** Of the looks, those that want the messages of the open conversation because a state of one can still change, as the review assumes. */
const movingShare = 0.45;

/** A call of a console: most are looks for changes. Through the site each is a request of CloudFront too. */
const callOf = (pace: Pace, calls: number, baseline: Baseline) => {
  const unitsOf = (name: string): number => baseline['conversations']?.[name] ?? Number.NaN;
  const nothing = unitsOf(`${quiet}, reads`);
  const changes = ((unitsOf(foundMessage) - nothing) * messages[pace] * 60) / calls;
  return {
    operation: consoleHour[pace],
    writes: [unitsOf(`${quiet}, writes`), presenceWritesAnHour / calls],
    reads: [nothing, movingShare * (unitsOf(withMessages) - nothing), changes],
    apiRequests: 1,
    runs: 1,
    assumedMs: 14,
    queueRequests: 0,
  };
};

export interface ConsoleHour {
  pace: Pace;
  calls: number;
  dollars: number;
}

/**
 * An hour of a connection, which a message rings twice, by the shards of its row and of its conversation; each ring is published and received. Of
 * several pages of a company each has its own price of the publication here: an upper bound.
 */
const doorbellHour = (messagesAMinute: number): number => 60 * (prices.doorbellMinute + 4 * messagesAMinute * prices.doorbellMessage);

/**
 * What an hour of an open console calls and costs; throws where it was never measured. Hours with the doorbell are left out until they are.
 *
 * @param perMillion what a million of such calls cost, without the site
 */
export const consoleHours = (
  baseline: Baseline,
  results: Results,
  perMillion: (usage: ReturnType<typeof callOf>) => number,
): ConsoleHour[] =>
  (Object.keys(consoleHour) as Pace[]).flatMap((pace) => {
    const calls = results['console-hour']?.figures.find(({ name }) => name === consoleHour[pace])?.value;
    const isRung = pace.endsWith('Rung');
    if (calls === undefined && isRung) return [];
    if (calls === undefined) throw new Error(`Nothing measured "${consoleHour[pace]}": npm run bench -- console-hour --pages.`);
    const rung = isRung ? doorbellHour(messages[pace]) : 0;
    return { pace, calls, dollars: calls * (perMillion(callOf(pace, calls, baseline)) / 1e6 + prices.siteRequest) + rung };
  });

interface Company {
  name: string;
  companies: number;
  agents: number;
  /** A month, of one company. */
  campaignMessages: number;
  sent: number;
  received: number;
  /** What the consoles of its agents see. */
  pace: Pace;
  gb: number;
}

/** Those of the review. An agent's month is 22 days of eight hours, and the console is seen for all of it. */
const agentHours = 22 * 8;
const companies: readonly Company[] = [
  { name: 'nothing happens', companies: 0, agents: 0, campaignMessages: 0, sent: 0, received: 0, pace: 'quiet', gb: 0 },
  {
    name: 'small: 5 agents, 2,000 messages a day',
    companies: 1,
    agents: 5,
    campaignMessages: 0,
    sent: 22_000,
    received: 22_000,
    pace: 'one',
    gb: 0.2,
  },
  {
    name: 'medium: 50 agents, a million campaign messages, 660,000 others',
    companies: 1,
    agents: 50,
    campaignMessages: 1_000_000,
    sent: 330_000,
    received: 330_000,
    pace: 'twenty',
    gb: 11,
  },
  {
    name: 'a thousand small ones on one deployment',
    companies: 1_000,
    agents: 5,
    campaignMessages: 0,
    sent: 22_000,
    received: 22_000,
    pace: 'one',
    gb: 0.5,
  },
];

export interface CompanyMonth {
  name: string;
  calls: number;
  consoles: number;
  messages: number;
  traces: number;
  storage: number;
  standing: number;
}

/** Dollars a month; `perMillion` of a campaign's recipient, a text sent and a message received, `idle` of what stands. */
export const companyMonths = (
  hours: readonly ConsoleHour[],
  perMillion: Readonly<Record<'recipient' | 'sent' | 'received', number>>,
  idle: number,
): CompanyMonth[] =>
  companies.map(({ name, companies: count, agents, campaignMessages, sent, received, pace, gb }) => {
    const hour = hours.find((each) => each.pace === pace) ?? { calls: 0, dollars: 0 };
    const open = count * agents * agentHours;
    const calls = open * hour.calls;
    const dollarsOfMessages = campaignMessages * perMillion.recipient + sent * perMillion.sent + received * perMillion.received;
    return {
      name,
      calls,
      consoles: open * hour.dollars - Math.max(0, calls - prices.apiFirstRequests) * (prices.apiRequest - prices.apiRequestMore),
      messages: (count * dollarsOfMessages) / 1e6,
      traces: tracesOf(calls) * prices.trace,
      storage: count * gb * (prices.tableGbMonth + prices.recoveryGbMonth),
      standing: idle,
    };
  });

/** X-Ray takes the first request of each second and one in twenty of the others. */
const tracesOf = (calls: number): number => {
  const first = Math.min(calls, agentHours * 3_600);
  return first + (calls - first) / 20;
};
