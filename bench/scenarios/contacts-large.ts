import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { contactReactions } from '../../functions/contacts/reactions.ts';
import { toContact, toItem } from '../../functions/contacts/contract/stored.ts';
import { newContact } from '../../functions/contacts/domain/contact.ts';
import { foldedText } from '../../functions/contacts/domain/search.ts';
import { contactFoldables } from '../../functions/contacts/service/foldable.ts';
import { contactEntity, identityEntity } from '../../functions/contacts/store/contact.ts';
import { seeded } from '../../test/support/random.ts';
import { now } from '../../shared/runtime/clock.ts';
import { dynamo, tableName } from '../../shared/table/client.ts';
import { headEntity } from '../../shared/table/head.ts';
import { type BenchStage, type Figure, onStage, type Scenario, well } from '../scenario.ts';

/**
 * A company with 100,000 contacts (CONTACTS=1000000 for a million): made by a seeded generator, written as the store writes them, with the
 * rows that the change stream would have folded.
 */
const size = Number(process.env['CONTACTS'] ?? 100_000);
const isMillion = size > 100_000;

export const scenario: Scenario = {
  name: 'contacts-large',
  what: `A company with ${size.toLocaleString('en')} contacts: pages, search, filters, an import`,
  deterministic: false,
  measure: () => onStage(measured, { manyWrites: true }),
};

async function measured({ world, company, token }: BenchStage): Promise<Figure[]> {
  await load(company.id);
  const figures: Figure[] = [];
  const ask = async (name: string, query: string, rruAtMost: number, roundsAtMost?: number): Promise<void> => {
    const call = () => well(world.call({ method: 'GET', path: `/api/v1/contacts?${query}`, token }));
    await call();
    const cost = await world.meter(call);
    const began = performance.now();
    await call();
    figures.push(
      { name: `${name}, reads`, unit: 'RRU', value: cost.rru, atMost: rruAtMost },
      {
        name: `${name}, sequential rounds`,
        unit: 'rounds',
        value: cost.rounds,
        ...(roundsAtMost === undefined ? {} : { atMost: roundsAtMost }),
      },
      { name: `${name}, latency`, unit: 'ms', value: Math.round(performance.now() - began) },
    );
  };
  const searchAtMost = isMillion ? 12_500 : 1_300;
  await ask('first page', '', 2.5);
  await ask('page 2', 'page=2', 12);
  for (const part of [4, 2, 1.25]) await ask(`page ${Math.floor(size / 20 / part)}`, `page=${Math.floor(size / 20 / part)}`, 12);
  await ask('last page', `page=${size / 20}`, 12);
  await ask('page 300 of 100', 'page=300&limit=100', 20);
  await ask('search of a name', 'search=ngstrom', searchAtMost, 4);
  await ask('search of a phone', 'search=%2B49%20151%20200', searchAtMost, 4);
  await ask('search of nobody', 'search=qqqqqq', searchAtMost, 4);
  await ask('a group of every tenth', 'group_id=1', 60, 4);
  await ask('update_from of the last thousandth', `update_from=${encodeURIComponent(wire(base + size - size / 1_000))}&limit=100`, 200);
  if (size <= 20_000)
    await ask(
      'rules over all contacts',
      `filter_condition=${encodeURIComponent('{"match":"all","rules":[{"field":"city","op":"eq","value":"Pune"}]}')}`,
      8_000,
    );
  figures.push(...(await imported({ world, company, token })));
  return figures;
}

/** 10,000 new contacts by ten calls of bulk-sync; and what 2,000 a second of them would ask of each partition key. */
async function imported({ world, token }: Pick<BenchStage, 'world' | 'company' | 'token'>): Promise<Figure[]> {
  const writes = new Map<string, number>();
  using _watch = world.onTable(({ command, input, when }) => {
    if (when === 'before') for (const [key, units] of writtenKeys(command, input)) writes.set(key, (writes.get(key) ?? 0) + units);
  });
  const began = performance.now();
  const cost = await world.meter(async () => {
    for (let call = 0; call < 10; call++) {
      const contacts = Array.from({ length: 1_000 }, (_, i) => ({
        phone: `+4917${7_000_000_000 + call * 1_000 + i}`,
        name: `Imported ${i}`,
      }));
      await well(world.call({ method: 'POST', path: '/api/v1/contacts/bulk-sync', token, body: { contacts, group_id: 1 } }));
    }
  });
  const seconds = (performance.now() - began) / 1_000;
  const folded = await world.meter(() => world.drain());
  // 10,000 contacts are 5 seconds of an import at 2,000 a second
  const hottest = [...writes].reduce((most, each) => (each[1] > most[1] ? each : most), ['', 0] as [string, number]);
  return [
    { name: 'bulk-sync of 10,000 new in 10 calls', unit: 'ms', value: Math.round(seconds * 1_000), atMost: 12_000 },
    { name: 'new in bulk, writes each, stream included', unit: 'WRU', value: (cost.wru + folded.wru) / 10_000, atMost: 5.2 },
    { name: 'new in bulk, reads each, stream included', unit: 'RRU', value: (cost.rru + folded.rru) / 10_000, atMost: 0.6 },
    { name: `WRU/s at 2,000/s, hottest key ${hottest[0].replace(/^C#\d+#/, '')}`, unit: 'per second', value: hottest[1] / 5 },
    { name: 'hottest key within 1,000 WRU/s', unit: 'x', value: hottest[1] / 5 / 1_000, atMost: 1 },
  ];
}

/** Partition keys, of the table and of the `list` index, that a write goes to, with its units. */
function writtenKeys(command: string, input: Record<string, unknown>): [string, number][] {
  const of = (item: Record<string, unknown> | undefined, units: number): [string, number][] =>
    item === undefined
      ? []
      : [[String(item['pk']), units], ...(typeof item['list_pk'] === 'string' ? [[item['list_pk'], 1] as [string, number]] : [])];
  if (command === 'PutItem') return of(input['Item'] as Record<string, unknown>, 1);
  if (command === 'UpdateItem') return of(input['Key'] as Record<string, unknown>, 1);
  if (command !== 'TransactWriteItems') return [];
  return (input['TransactItems'] as { Put?: { Item: Record<string, unknown> } }[]).flatMap(({ Put }) => of(Put?.Item, 2));
}

const base = Date.parse('2026-01-01T00:00:00Z');
const wire = (at: number): string => new Date(at).toISOString().replace('T', ' ').slice(0, 19);

async function load(companyId: number): Promise<void> {
  const random = seeded(7);
  const pick = (from: readonly string[]): string => from[Math.floor(random() * from.length)] ?? '';
  const rows = new Map<string, { entity: Foldable; row: Record<string, unknown> | undefined }>();
  const group = { companyId, id: 1, name: 'Every tenth', contactsCount: 0, rev: 0, marks: {}, createdAt: base, updatedAt: base };
  rows.set('group 1', { entity: contactFoldables[3] as unknown as Foldable, row: group });
  let batch: Record<string, unknown>[] = [];
  for (let id = 1; id <= size; id++) {
    const phone = `${pick(['49151', '9198', '5511', '1202'])}${20_000_000 + id}`;
    const name = `${pick(firstNames)} ${pick(lastNames)}`;
    const made = newContact(
      companyId,
      id,
      { phone, phoneCountry: 'DE', name, city: pick(['Pune', 'Köln', 'Recife']), ...(id % 10 === 0 ? { groupIds: [1] } : {}) },
      base + id,
    );
    const contact = toContact(toItem(made));
    batch.push(contactEntity.stored(toItem(made)), identityEntity.stored({ companyId, by: 'phone', value: phone, contactId: id }));
    for (const consequence of contactReactions[0]?.react({ before: undefined, after: contact as never, writtenAt: base }) ?? []) {
      if (consequence.kind !== 'fold' || consequence.into === headEntity.name) continue;
      const entity = contactFoldables.find((each) => each.name === consequence.into) as unknown as Foldable;
      const key = consequence.into === 'group' ? 'group 1' : Object.values(entity.key(consequence.id)).join('|');
      const held = rows.get(key) ?? { entity, row: undefined };
      held.row = consequence.apply(held.row);
      rows.set(key, held);
    }
    if (batch.length >= 400 || id === size) {
      await write(batch);
      batch = [];
    }
  }
  // a mark as the change stream leaves it
  const folded = { rev: 1, marks: { '1795000000000-abcdef12': '111122223333444455556@498000' } };
  const all = [...rows.values()].map(({ entity, row }) => entity.stored({ ...row, ...folded }));
  for (let i = 0; i < all.length; i += 400) await write(all.slice(i, i + 400));
  await headEntity.put({ companyId, of: 'contact', lastId: size, total: size, ...folded });
  await headEntity.put({ companyId, of: 'group', lastId: 1, total: 1, ...folded });
  if (foldedText('Ångström') !== 'angstrom' || base + size > now()) throw new Error('The data is not what the figures are about.');
}

interface Foldable {
  name: string;
  key: (id: unknown) => { pk: string; sk: string };
  stored: (row: Record<string, unknown>) => Record<string, unknown>;
}

async function write(items: readonly Record<string, unknown>[]): Promise<void> {
  const slices = Array.from({ length: Math.ceil(items.length / 25) }, (_, i) => items.slice(i * 25, i * 25 + 25));
  await Promise.all(
    slices.map(async (slice) => {
      const answer = await dynamo.send(
        new BatchWriteCommand({ RequestItems: { [tableName()]: slice.map((Item) => ({ PutRequest: { Item } })) } }),
      );
      if (Object.keys(answer.UnprocessedItems ?? {}).length > 0) throw new Error('The emulator left items unwritten.');
    }),
  );
}

const firstNames = ['Ana', 'Priya', 'Zoë', 'Mohammed', 'João', 'Wei', 'Fatima', 'Søren', 'Olga', 'Chidi'];
const lastNames = ['Sharma', 'Ångström', 'García', 'Müller', 'Okafor', 'Nguyen', 'Ivanova', 'da Silva', 'Kim', 'Fernandes'];
