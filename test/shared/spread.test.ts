import { describe, expect, test } from 'vitest';
import { contactEntity } from '../../functions/contacts/store/contact.ts';
import { updatedShards } from '../../functions/contacts/store/updated-key.ts';
import { shardOf } from '../../shared/table/schema.ts';
import { seeded } from '../support/random.ts';

/** A partition takes 1,000 WRU a second: what many writes move at once is spread over several, and evenly, whatever the ids are. */
const most = (keys: readonly unknown[]): number => {
  const counts = [...Map.groupBy(keys, (key) => key).values()].map(({ length }) => length);
  return Math.max(...counts) / keys.length;
};
const count = 16_000;
const random = seeded(11);
const series: readonly (readonly [string, (index: number) => number])[] = [
  ['ids one after another', (index) => 1 + index],
  ['every second id', (index) => 1 + 2 * index],
  ['every thousandth id', (index) => 1_000 * (1 + index)],
  ['ids at random', () => Math.floor(random() * 1e8)],
];

describe.each(series)('of %s', (_name, idOf) => {
  test.each([2, 4, 8, 16])('no one of %i partitions gets more than a fifth beyond its share', (shards) => {
    expect(most(Array.from({ length: count }, (_, index) => shardOf(idOf(index), shards))) * shards).toBeLessThan(1.2);
  });

  test('no partition of the contacts by last change gets more than a fifth beyond its share: an import of 2,000 a second stays below the limit of each', () => {
    const partitions = Array.from({ length: count }, (_, index) => {
      const stored: Readonly<Record<string, unknown>> = contactEntity.stored({ c: 1, i: idOf(index), at: 1_764_000_000_000 } as never);
      return stored['list_pk'];
    });
    expect(new Set(partitions).size).toBe(updatedShards);
    expect(most(partitions) * updatedShards).toBeLessThan(1.2);
  });
});
