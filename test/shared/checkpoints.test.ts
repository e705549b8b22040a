import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { type CheckpointRules, logCheckpoints, maxCheckpoints, rowCheckpoints, shardName } from '../../shared/events/checkpoints.ts';
import { hourMs } from '../../shared/runtime/clock.ts';

const record = (shardId: string, sequence: number | bigint, hour = 0) => ({
  shardId,
  sequence: String(sequence),
  writtenAt: hour * hourMs,
});
const upTo = (shardId: string, sequence: bigint) => new Map([[shardName(shardId), sequence]]);

/** The same of every kind of item, whatever form it stores its checkpoints in. */
const guarantee = <Stored>(
  what: string,
  { isNew, needsConfirmation, surplusShards, withCheckpoint, withoutConfirmed }: CheckpointRules<Stored>,
) =>
  describe(`checkpoints of ${what}`, () => {
    type Checkpoints = Readonly<Record<string, Stored>>;
    const none: Checkpoints = {};
    const after = (...records: ReturnType<typeof record>[]) => records.reduce<Checkpoints>(withCheckpoint, none);

    test('a record is new once, in its shard, in any order of shards', () => {
      fc.assert(
        fc.property(
          fc.array(fc.tuple(fc.constantFrom('shardId-1', 'shardId-2', 'shardId-3'), fc.bigInt({ min: 1n, max: 10n ** 38n }))),
          (records) => {
            let checkpoints = none;
            const greatest = new Map<string, bigint>();
            for (const [shardId, sequence] of records) {
              const position = record(shardId, sequence);
              expect(isNew(checkpoints, position)).toBe(sequence > (greatest.get(shardId) ?? 0n));
              if (!isNew(checkpoints, position)) continue;
              checkpoints = withCheckpoint(checkpoints, position);
              greatest.set(shardId, sequence);
            }
          },
        ),
        { seed: 8 },
      );
    });

    test('of the last 30 hours are kept, however many; older ones go, so that the item stays small', () => {
      let checkpoints = none;
      for (let hour = 0; hour < 24 * 30; hour += 4)
        checkpoints = withCheckpoint(checkpoints, record(`shardId-0000000141457657${hour}-f55eea83`, 10n ** 20n + BigInt(hour), hour));
      expect(Object.keys(checkpoints)).toHaveLength(8);
      for (let shard = 0; shard < 50; shard++) checkpoints = withCheckpoint(checkpoints, record(`shardId-x${shard}`, 5, 24 * 30));
      expect(Object.keys(checkpoints).length).toBeGreaterThanOrEqual(50);
    });

    test('an item has surplus shards once others fill its checkpoints', () => {
      const others = Array.from({ length: maxCheckpoints }, (_, nth) => `shardId-${nth}`);
      const full = after(...others.map((shardId) => record(shardId, 1)));
      expect(surplusShards(full, 'shardId-new').toSorted()).toEqual(others.map(shardName).toSorted());
      expect(surplusShards(full, 'shardId-0')).toEqual([]);
      expect(surplusShards(after(record('shardId-1', 1)), 'shardId-new')).toEqual([]);
    });

    test('a checkpoint goes once its shard has confirmed as much, and only then', () => {
      const checkpoints = after(record('shardId-1', 7), record('shardId-2', 9));
      expect(withoutConfirmed(checkpoints, upTo('shardId-1', 6n))).toBe(checkpoints);
      const left = withoutConfirmed(checkpoints, upTo('shardId-1', 7n));
      expect(Object.keys(left).toSorted()).toEqual(['*', shardName('shardId-2')].toSorted());
      expect(Object.keys(withCheckpoint(left, record('shardId-2', 10, 1_000)))).toContain('*');
    });

    test('where checkpoints were dropped, a shard without one asks what it has confirmed; before that, all is new', () => {
      const whole = after(record('shardId-1', 7), record('shardId-2', 9));
      expect(needsConfirmation(whole, 'shardId-3')).toBe(false);
      expect(isNew(whole, record('shardId-3', 1), 5n)).toBe(true);
      const dropped = withoutConfirmed(whole, upTo('shardId-1', 7n));
      expect([1, 2, 3].map((shard) => needsConfirmation(dropped, `shardId-${shard}`))).toEqual([true, false, true]);
      expect([7, 8].map((sequence) => isNew(dropped, record('shardId-1', sequence), 7n))).toEqual([false, true]);
      expect(isNew(dropped, record('shardId-2', 9), undefined)).toBe(false);
      expect(isNew(dropped, record('shardId-3', 1), undefined)).toBe(true);
    });
  });

guarantee('rows', rowCheckpoints);
guarantee('the event log', logCheckpoints);

describe('stored checkpoints', () => {
  const position = record('shardId-1', 10n ** 20n, 495_000);

  test('of rows are a short text, of the event log an object', () => {
    expect(rowCheckpoints.withCheckpoint({}, position)).toEqual({ [shardName('shardId-1')]: `${(10n ** 20n).toString(36)}@495000` });
    expect(logCheckpoints.withCheckpoint({}, position)).toEqual({
      [shardName('shardId-1')]: { sequence: '100000000000000000000', hour: 495_000 },
    });
    const confirmed = upTo('shardId-1', 10n ** 20n);
    expect(rowCheckpoints.withoutConfirmed(rowCheckpoints.withCheckpoint({}, position), confirmed)).toEqual({ '*': '' });
    expect(logCheckpoints.withoutConfirmed(logCheckpoints.withCheckpoint({}, position), confirmed)).toEqual({
      '*': { sequence: '0', hour: 0 },
    });
  });

  test('of rows of before shards confirmed are read in decimal by the id of the shard, and replaced by its next record', () => {
    const earlier = { '1': '120@495000', '2': '5@495000' };
    expect([120, 121].map((sequence) => rowCheckpoints.isNew(earlier, record('shardId-00001', sequence)))).toEqual([false, true]);
    expect(Object.keys(rowCheckpoints.withCheckpoint(earlier, position)).toSorted()).toEqual(['2', shardName('shardId-1')].toSorted());
    expect(rowCheckpoints.surplusShards({ ...earlier, '3': '1@1', '4': '1@1', '5': '1@1' }, 'shardId-9')).toEqual([]);
  });
});
