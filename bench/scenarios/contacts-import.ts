import { type BenchFixture, type Figure, withFixture, type Scenario, expectOk } from '../scenario.ts';

/**
 * An import at 2,000 contacts a second, as the table would see it: a quarter of a second's contacts, then one reading of each shard of the
 * change stream, which Lambda does four times a second. A table that takes 10,000 WRU a second has ten partitions or more.
 */
const perSecond = 2_000;
const readingsPerSecond = 4;
const seconds = 4;
const shards = 16;

export const scenario: Scenario = {
  name: 'contacts-import',
  description: `An import at ${perSecond.toLocaleString('en')} contacts a second: what it asks of each partition key`,
  deterministic: false,
  measure: () => withFixture(measured, { shards }),
};

async function measured({ testApp, token }: BenchFixture): Promise<Figure[]> {
  await expectOk(testApp.call({ method: 'POST', path: '/api/v1/groups', token, body: { name: 'Imported' } }));
  await testApp.drain();
  const writes: Write[] = [];
  using _watch = testApp.onTable(({ command, input, when }) => {
    if (when === 'after') writes.push(...writesOf(command, input));
  });
  const step = perSecond / readingsPerSecond;
  const cost = await testApp.meter(async () => {
    for (let first = 0; first < seconds * perSecond; first += step) {
      const contacts = Array.from({ length: step }, (_, i) => ({ phone: `+4917${7_000_000_000 + first + i}`, name: `Imported ${i}` }));
      await expectOk(testApp.call({ method: 'POST', path: '/api/v1/contacts/bulk-sync', token, body: { contacts, group_id: 1 } }));
      await testApp.drain();
    }
  });
  const units = perKey(writes, await testApp.dump());
  const [hottest] = [...units].toSorted((a, b) => b[1] - a[1]);
  if (!hottest) throw new Error('Nothing was written.');
  return [
    { name: 'writes each, stream included', unit: 'WRU', value: cost.wru / (seconds * perSecond) },
    { name: 'reads each, stream included', unit: 'RRU', value: cost.rru / (seconds * perSecond) },
    { name: 'partition keys written to', unit: 'x', value: units.size },
    {
      name: `WRU on the hottest key, ${hottest[0].replace(/^C#\d+#/, '')}`,
      unit: 'per second',
      value: hottest[1] / seconds,
      atMost: 1_000,
    },
  ];
}

/** One item's write: what it is billed times, and the item where the call has it whole. */
interface Write {
  key: string;
  pk: string;
  times: number;
  item: Record<string, unknown> | undefined;
}

function writesOf(command: string, input: Record<string, unknown>): Write[] {
  const write = (keyed: Record<string, unknown>, item: Record<string, unknown> | undefined, times: number): Write => ({
    key: keyOf(keyed),
    pk: String(keyed['pk']),
    times,
    item,
  });
  const put = (item: Record<string, unknown>, times: number): Write[] => [
    write(item, item, times),
    ...(typeof item['list_pk'] === 'string' ? [{ ...write(item, item, 1), pk: item['list_pk'] }] : []),
  ];
  const record = (value: unknown) => value as Record<string, unknown>;
  if (command === 'PutItem') return put(record(input['Item']), 1);
  if (command === 'UpdateItem') return [write(record(input['Key']), undefined, 1)];
  if (command !== 'TransactWriteItems') return [];
  return (input['TransactItems'] as Record<string, Record<string, unknown>>[]).flatMap(({ Put, Update }) =>
    Put ? put(record(Put['Item']), 2) : Update ? [write(record(Update['Key']), undefined, 2)] : [],
  );
}

/** Units by partition key; an update is billed by the item's size, taken from how it is at the end, when it is largest. */
function perKey(writes: readonly Write[], items: readonly Record<string, unknown>[]): Map<string, number> {
  const byKey = new Map(items.map((item) => [keyOf(item), item]));
  const units = new Map<string, number>();
  for (const { key, pk, times, item } of writes) {
    const kilobytes = Math.ceil(JSON.stringify(item ?? byKey.get(key) ?? {}).length / 1_024);
    units.set(pk, (units.get(pk) ?? 0) + times * kilobytes);
  }
  return units;
}

const keyOf = (item: Record<string, unknown>): string => `${String(item['pk'])}|${String(item['sk'])}`;
