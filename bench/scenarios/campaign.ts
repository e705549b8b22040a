import { chainCountFor } from '../../functions/campaigns/domain/recipient-batch.ts';
import { type Life, liveThrough } from '../campaign-life.ts';
import type { Figure, Scenario } from '../scenario.ts';

/** `CAMPAIGN_SIZES=1000,10000,100000 npm run bench -- campaign` shows that the cost of a recipient does not grow with the campaign. */
const sizes = (process.env['CAMPAIGN_SIZES'] ?? '500').split(',').map(Number);
/** Other sizes are not in the baseline; then times may be given too. */
const isTimed = process.env['CAMPAIGN_SIZES'] !== undefined;

/** In `npm run test:product` no second campaign to the same contacts: it costs as much again, and the bench and `npm run test:all` have it. */
const isQuick = process.env['VITEST'] !== undefined && process.env['RUN_SIZE'] !== 'full';

export const scenario: Scenario = {
  name: 'campaign',
  description:
    'A recipient over its whole life: chosen, claimed, sent, settled, delivered, read, with everything that follows from the change stream',
  deterministic: !isTimed,
  measure: async () => {
    const lives: Life[] = [];
    const again: Life[] = [];
    for (const [nth, size] of sizes.entries()) {
      const [first, second] = await liveThrough(size, nth === 0 && !isQuick ? 2 : 1);
      if (first) lives.push(first);
      if (second) again.push(second);
    }
    const [wide] = isQuick || isTimed ? [] : await liveThrough(500, 1, { isWide: true });
    const [limited] = isTimed ? [] : await liveThrough(500, 1, { hasCeilings: true });
    return [
      ...lives.flatMap(figuresOf),
      ...(limited ? underCeilings(limited) : []),
      ...(wide ? inManyCountries(wide) : []),
      ...again.flatMap(toKnown),
      ...flat(lives),
      ...(isTimed ? lives.flatMap(times) : []),
      ...(isTimed ? await besideNone(sizes.at(-1) ?? 500) : []),
      ...[80, 1_000].flatMap((rate) => capacity(rate, lives.at(-1))),
    ];
  },
};

function figuresOf({ size, wru, rru, queueRequests, logWrites, parts }: Life): Figure[] {
  const of = `of ${size.toLocaleString('en')}`;
  return [
    { name: `${of}: writes a recipient`, unit: 'WRU', value: round(wru / size), atMost: 6.1 },
    { name: `${of}: reads a recipient`, unit: 'RRU', value: round(rru / size), atMost: 1.5 },
    { name: `${of}: queue requests a recipient`, unit: 'requests', value: Math.ceil((queueRequests / size) * 100) / 100, atMost: 0.6 },
    // one a second, so as many as the machine takes seconds: in fifties
    { name: `${of}: lines of the event log, all recipients together`, unit: 'WRU', value: Math.ceil(logWrites / 50) * 50, atMost: 50 },
    ...parts.flatMap((part): Figure[] => [
      { name: `${of}: ${part.name}, writes`, unit: 'WRU', value: round(part.wru / size) },
      { name: `${of}: ${part.name}, reads`, unit: 'RRU', value: round(part.rru / size) },
    ]),
  ];
}

/** Counts by country are in the parts that are written anyway, as long as those are under 1 KB. */
const inManyCountries = ({ size, wru }: Life): Figure[] => [
  { name: `of ${size.toLocaleString('en')} in 30 countries: writes`, unit: 'WRU', value: round(wru / size), atMost: 6.2 },
];

/**
 * What a recipient costs is taken in the write of its send slot. A grant is 4 units, for thirty seconds of sending or a hundredth of the day's ceiling;
 * the campaign's ceiling moves to its number and back, 13 units once.
 */
const underCeilings = ({ size, wru, rru }: Life): Figure[] => [
  { name: `of ${size.toLocaleString('en')} under three ceilings: writes`, unit: 'WRU', value: round(wru / size), atMost: 6.2 },
  { name: `of ${size.toLocaleString('en')} under three ceilings: reads`, unit: 'RRU', value: round(rru / size), atMost: 1.5 },
];

/** A contact who has a conversation costs a unit more: with a newer message it moves in the list (A47), which is an entry less and one more. */
const toKnown = ({ size, wru }: Life): Figure[] => [
  { name: `of ${size.toLocaleString('en')} with conversations: writes`, unit: 'WRU', value: round(wru / size), atMost: 7.1 },
];

/** Of the harness's one process, in which product, provider's stub and harness share a core; the emulators have their own. */
function times({ size, cpuSeconds, constructionSeconds, sendingSeconds, parts: [sending] }: Life): Figure[] {
  const of = `of ${size.toLocaleString('en')}`;
  return [
    // writes of one moment share a request: on a slow machine fewer do
    { name: `${of}: table calls a recipient while sending`, unit: 'calls', value: round((sending?.calls ?? 0) / size), atMost: 0.6 },
    { name: `${of}: own CPU a recipient, whole life`, unit: 'ms', value: (cpuSeconds / size) * 1_000 },
    { name: `${of}: construction until all are queued`, unit: 'ms', value: Math.round(constructionSeconds * 1_000), atMost: 120_000 },
    { name: `${of}: sends a second`, unit: 'per second', value: Math.round(size / sendingSeconds) },
  ];
}

/** Campaigns with and without ceilings in turn, in one run: what else the machine does then slows both. Of each the fastest counts. */
async function besideNone(size: number): Promise<Figure[]> {
  const lives: Record<'with' | 'without', Life[]> = { with: [], without: [] };
  for (let round = 0; round < 5; round++)
    for (const hasCeilings of [false, true]) lives[hasCeilings ? 'with' : 'without'].push(...(await liveThrough(size, 1, { hasCeilings })));
  const least = (of: 'with' | 'without', value: (life: Life) => number): number => Math.min(...lives[of].map(value));
  const beside = (value: (life: Life) => number): number => least('with', value) / least('without', value);
  const of = `of ${size.toLocaleString('en')} under three ceilings, beside none`;
  return [
    { name: `${of}: own CPU a recipient`, unit: 'x', value: beside(({ cpuSeconds }) => cpuSeconds), atMost: 1.02 },
    { name: `${of}: time of sending`, unit: 'x', value: beside(({ sendingSeconds }) => sendingSeconds), atMost: 1.02 },
  ];
}

/** What a pace needs on AWS, from the units of the largest campaign measured: on-demand tables and standard queues take it as it comes. */
function capacity(ratePerSecond: number, life: Life | undefined): Figure[] {
  if (!life) return [];
  const at = `at ${ratePerSecond.toLocaleString('en')}/s`;
  const each = (sum: number): number => Math.ceil(round(sum / life.size) * ratePerSecond);
  return [
    { name: `${at}: table writes a second`, unit: 'WRU', value: each(life.wru) },
    { name: `${at}: table reads a second`, unit: 'RRU', value: each(life.rru) },
    {
      name: `${at}: queue requests a second`,
      unit: 'requests',
      value: Math.ceil((Math.ceil((life.queueRequests / life.size) * 100) / 100) * ratePerSecond),
    },
    { name: `${at}: workers of blocks`, unit: 'calls', value: chainCountFor(ratePerSecond, 1_000) },
    { name: `${at}: statuses a second to be worked`, unit: 'requests', value: 3 * ratePerSecond },
  ];
}

/** The dearest campaign against the cheapest, by recipient. */
function flat(lives: readonly Life[]): Figure[] {
  if (lives.length < 2) return [];
  return (['wru', 'rru'] as const).map((unit) => {
    const costs = lives.map((life) => life[unit] / life.size);
    return {
      name: `${unit.toUpperCase()} a recipient, dearest size to cheapest`,
      unit: 'x',
      value: round(Math.max(...costs) / Math.min(...costs)),
      atMost: 1.05,
    };
  });
}

/** To a tenth: where the records of one recipient fall into batches of the stream moves the second digit. */
const round = (value: number): number => Math.round(value * 10) / 10;
