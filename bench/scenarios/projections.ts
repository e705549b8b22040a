import { maxCheckpoints } from '../../shared/events/checkpoints.ts';
import type { StoredRecipientBatch } from '../../functions/campaigns/contract/stored.ts';
import { recipientBatchEntity } from '../../functions/campaigns/store/recipient-batch.ts';
import { statsEntity } from '../../functions/campaigns/store/stats.ts';
import { type BenchFixture, type Figure, type Scenario, withFixture } from '../scenario.ts';

const shardCounts = [1, 4, 16, 64];
/** In `npm run test:product` fewer: the figures are the same. */
const generations = process.env['VITEST'] && process.env['RUN_SIZE'] !== 'full' ? 2 : 8;
/** Into which each batch is applied: a batch of a hundred records falls into as many, or more. */
const rowsPerBatch = 12;

export const scenario: Scenario = {
  name: 'projections',
  description: 'Counters of campaigns by the number of shards of the stream, each replaced eight times: every shard writes to every row',
  deterministic: true,
  measure: () =>
    withFixture(async (fixture) => {
      const measured: Measured[] = [];
      for (const shards of shardCounts) measured.push(await applyFrom(fixture, shards));
      const [single] = measured;
      return measured.flatMap((each) => figuresOf(each, single));
    }),
};

interface Measured {
  shards: number;
  wruPerApply: number;
  mostCheckpoints: number;
  rowBytes: number;
}

const figuresOf = ({ shards, wruPerApply, mostCheckpoints, rowBytes }: Measured, single: Measured | undefined): Figure[] => [
  { name: `${shards} shards: writes a row`, unit: 'WRU', value: wruPerApply, atMost: (single?.wruPerApply ?? 1) * 1.1 },
  { name: `${shards} shards: checkpoints in a row, at most`, unit: 'calls', value: mostCheckpoints, atMost: 2 * maxCheckpoints },
  {
    name: `${shards} shards: largest row`,
    unit: 'bytes',
    value: rowBytes,
    atMost: mostRowBytes,
  },
];

/** The counters, and twice the checkpoints that a row may hold: the same for any number of shards. */
const mostRowBytes = 740;

/** Shards take turns; a shard that ends has its window ended. */
async function applyFrom({ testApp, company }: BenchFixture, shards: number): Promise<Measured> {
  let [wru, applied, mostCheckpoints, rowBytes, batches] = [0, 0, 0, 0, 0];
  const campaignIds = Array.from({ length: rowsPerBatch }, (_, index) => shards * 1_000 + index);
  for (let generation = 0; generation < generations; generation++) {
    const ids = Array.from({ length: shards }, (_, nth) => `shardId-${String(1_700_000_000_000 + generation * 100 + nth)}-${shards}`);
    const states = new Map<string, unknown>();
    for (const shardId of ids) {
      const records = campaignIds.map((campaignId) => record(sending(company.id, campaignId, ++batches), shards * 1_000_000 + batches));
      const used = await testApp.meter(async () => {
        const answer = await testApp.invokeFunction('changes', { Records: records, shardId, state: {} });
        states.set(shardId, (answer as { state: unknown }).state);
      });
      // the first batch of all creates the rows
      if (generation > 0 || shardId !== ids[0]) [wru, applied] = [wru + used.wru, applied + rowsPerBatch];
    }
    const rows = await statsEntity.getMany(campaignIds.map((campaignId) => ({ companyId: company.id, campaignId })));
    for (const row of rows) {
      mostCheckpoints = Math.max(mostCheckpoints, Object.keys(row.checkpoints).length);
      rowBytes = Math.max(rowBytes, JSON.stringify(row).length);
    }
    for (const [shardId, state] of states)
      await testApp.invokeFunction('changes', { Records: [], shardId, state, isFinalInvokeForWindow: true });
  }
  return { shards, wruPerApply: Math.round((wru / applied) * 100) / 100, mostCheckpoints, rowBytes };
}

const sending = (companyId: number, campaignId: number, batch: number): StoredRecipientBatch => ({
  companyId,
  campaignId,
  batch,
  rev: 1,
  builtAtRev: 1,
  contactIds: [1],
  processed: 0,
  waiting: [],
  done: false,
  skipped: [],
});

const record = (batch: StoredRecipientBatch, sequence: number) => ({
  eventID: `event-${sequence}`,
  eventName: 'MODIFY',
  dynamodb: {
    SequenceNumber: `1000000000000${sequence}`,
    ApproximateCreationDateTime: Math.floor(Date.now() / 1_000),
    OldImage: toWire(recipientBatchEntity.stored(batch)),
    NewImage: toWire(recipientBatchEntity.stored({ ...batch, skipped: [[1, 'opted_out']] })),
  },
});

const toWire = (item: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(item)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, wireValue(value)]),
  );

function wireValue(value: unknown): unknown {
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (Array.isArray(value)) return { L: value.map(wireValue) };
  return typeof value === 'object' && value !== null ? { M: toWire(value as Record<string, unknown>) } : { S: String(value) };
}
