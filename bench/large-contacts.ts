import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { contactReactions } from '../functions/contacts/reactions/contact.ts';
import { storedContact, toItem } from '../functions/contacts/contract/stored.ts';
import { newContact } from '../functions/contacts/domain/contact.ts';
import { countryOfPhone } from '../functions/contacts/contract/phone.ts';
import { projections } from '../functions/contacts/projections.ts';
import { contactEntity, identityEntity } from '../functions/contacts/store/contact.ts';
import { awsCall, dynamodb } from '../lib/local/aws-call.ts';
import { setting } from '../shared/runtime/env.ts';
import { dynamo, tableName } from '../shared/table/client.ts';
import { counterEntity } from '../shared/table/counter.ts';
import { newCompany } from '../test/support/company.ts';
import { type Random, seeded } from '../test/support/random.ts';
import type { TestApp } from '../test/support/test-app.ts';
import type { DirectWriter } from './direct-writes.ts';
import { expectOk } from './scenario.ts';

/**
 * A company with many contacts, made by a seeded generator: each tenth in a group. They are written as the store writes them, with the rows
 * that the change stream would have projected; `likeTheProduct` holds a sample of both against what the product itself writes.
 */
export const loadContacts = async (companyId: number, size: number, options: LoadOptions = {}): Promise<void> => {
  if (base + size > Date.now()) throw new Error('Contacts would be made in the future.');
  await streaming(false);
  const people = generatedContacts(options);
  const groupNames = options.hasEverybody ? [groupName, everybody] : [groupName];
  const rows = new Map<string, ProjectedRow>(
    groupNames.map((name, nth) => [`group ${nth + 1}`, { entity: projectable('group'), row: groupRow(companyId, nth + 1, name) }]),
  );
  const writer = writerBeside();
  for (let first = 1; first <= size; first += 1_000) {
    const items: Record<string, unknown>[] = [];
    for (let id = first; id < first + 1_000 && id <= size; id++) items.push(...written({ companyId, id, options }, people(), rows));
    await writer.write(items);
  }
  await writer.end();
  // checkpoints as the change stream leaves them
  const projected = { rev: 1, checkpoints: { '1795000000000-abcdef12': '111122223333444455556@498000' } };
  await write([...rows.values()].map(({ entity, row }) => entity.stored({ ...row, ...projected })));
  await counterEntity.put({ companyId, of: 'contact', lastId: size, total: size, ...projected });
  await counterEntity.put({ companyId, of: 'group', lastId: groupNames.length, total: groupNames.length, ...projected });
  await streaming(true);
};

/** When contact `id` was made, epoch milliseconds. */
export const madeAt = (id: number): number => base + id;

/** Throws unless the first contacts, made through the product, lie in the table as the loader writes them. */
export const likeTheProduct = async (testApp: TestApp, options: LoadOptions = {}): Promise<void> => {
  const sample = 40;
  const [product, loader] = [await newCompany(), await newCompany()];
  const call = (path: string, body: Record<string, unknown>) =>
    expectOk(testApp.call({ method: 'POST', path: `/api/v1/${path}`, token: product.tokens.owner, body }));
  await call('groups', { name: groupName });
  if (options.hasEverybody) await call('groups', { name: everybody });
  const people = generatedContacts();
  for (let id = 1; id <= sample; id++) {
    const { phone, name, city } = people();
    const groups = groupIdsOf(id, options);
    await call('contacts', { phone, name, city, ...(groups.length > 0 ? { groups } : {}) });
  }
  await testApp.drain();
  await loadContacts(loader.id, sample, options);
  const items = await testApp.dump();
  const [made, loaded] = [product, loader].map(({ id }) => comparable(items, id));
  if (made === '' || made !== loaded) throw new Error(`The loader does not write what the product writes:\n${made}\n${loaded}`);
};

/** What is drawn of a contact. */
export interface Contact {
  phone: string;
  name: string;
  city: string;
}

const base = Date.parse('2026-01-01T00:00:00Z');
const groupName = 'Every tenth';
const isGrouped = (id: number): boolean => id % 10 === 0;
const everybody = 'Everybody';
const groupIdsOf = (id: number, { hasEverybody }: LoadOptions): number[] => [...(isGrouped(id) ? [1] : []), ...(hasEverybody ? [2] : [])];

interface LoadOptions {
  /** A second group has all contacts. */
  hasEverybody?: boolean;
  /** Of thirty countries, in place of a few. */
  isWide?: boolean;
}

export function generatedContacts({ isWide = false }: LoadOptions = {}): () => Contact {
  const random = seeded(7);
  let nth = 0;
  return () => {
    const [prefix, digits] = pick(random, isWide ? widePrefixes : prefixes);
    const number = String(2 * 10 ** (digits - 1) + ++nth);
    return { phone: prefix + number, name: `${pick(random, firstNames)} ${pick(random, lastNames)}`, city: pick(random, cities) };
  };
}

/** The contact that the loader stores under an id. */
export const loadedContact = (companyId: number, id: number, { phone, name, city }: Contact, options: LoadOptions = {}) => {
  const groupIds = groupIdsOf(id, options);
  const given = { phone, phoneCountry: countryOf(phone), name, city, ...(groupIds.length > 0 ? { groupIds } : {}) };
  return newContact(companyId, id, given, madeAt(id), []);
};

/** One contact's own items; what the change stream would project of it goes into `rows`. */
function written(
  { companyId, id, options }: { companyId: number; id: number; options: LoadOptions },
  drawn: Contact,
  rows: Map<string, ProjectedRow>,
): Record<string, unknown>[] {
  const { phone } = drawn;
  const item = toItem(loadedContact(companyId, id, drawn, options));
  for (const consequence of contactReactions[0]?.react({
    before: undefined,
    after: storedContact.parse(item) as never,
    writtenAt: base,
    changeId: String(id),
  }) ?? []) {
    if (consequence.kind !== 'projection' || consequence.into === counterEntity.name) continue;
    const entity = projectable(consequence.into);
    const key =
      consequence.into === 'group'
        ? `group ${String((consequence.id as { id: number }).id)}`
        : Object.values(entity.key(consequence.id)).join('|');
    const held = rows.get(key) ?? { entity, row: undefined };
    held.row = consequence.apply(held.row);
    rows.set(key, held);
  }
  return [contactEntity.stored(item), identityEntity.stored({ companyId, by: 'phone', value: phone, contactId: id })];
}

const countries = new Map<string, string | undefined>();

/** Of the prefix: all numbers of one are alike. */
function countryOf(phone: string): string | undefined {
  const prefix = phone.slice(0, 4);
  if (!countries.has(prefix)) countries.set(prefix, countryOfPhone(phone));
  return countries.get(prefix);
}

interface Projectable {
  key: (id: unknown) => { pk: string; sk: string };
  stored: (row: Record<string, unknown>) => Record<string, unknown>;
}

interface ProjectedRow {
  entity: Projectable;
  row: Record<string, unknown> | undefined;
}

function projectable(name: string): Projectable {
  const entity = projections.find((each) => each.name === name);
  if (!entity) throw new Error(`Nothing folds into ${name}.`);
  return entity as unknown as Projectable;
}

const groupRow = (companyId: number, id: number, name: string) => ({
  companyId,
  id,
  name,
  contactsCount: 0,
  rev: 0,
  checkpoints: {},
  createdAt: base,
  updatedAt: base,
});

/** Records of the load are of no use to anybody, and a million of them would be in everybody's way. */
export const streaming = (on: boolean) =>
  awsCall(setting('AWS_ENDPOINT_URL_DYNAMODB'), dynamodb('UpdateTable'), {
    TableName: tableName(),
    StreamSpecification: on ? { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } : { StreamEnabled: false },
  });

let direct: DirectWriter | undefined;

/** While the work goes on, `write` puts into the emulator's own file. */
export const writingDirectly = async <T>(writer: DirectWriter, work: () => Promise<T>): Promise<T> => {
  direct = writer;
  try {
    return await work();
  } finally {
    direct = undefined;
  }
};

export async function write(items: readonly Record<string, unknown>[]): Promise<void> {
  if (direct) return direct.put(items);
  const slices = Array.from({ length: Math.ceil(items.length / 25) }, (_, i) => items.slice(i * 25, i * 25 + 25)).values();
  const insertBatches = async (): Promise<void> => {
    for (const slice of slices) {
      const requests = slice.map((Item) => ({ PutRequest: { Item } }));
      const answer = await dynamo.send(new BatchWriteCommand({ RequestItems: { [tableName()]: requests } }));
      if (Object.keys(answer.UnprocessedItems ?? {}).length > 0) throw new Error('The emulator left items unwritten.');
    }
  };
  await Promise.all(Array.from({ length: 16 }, insertBatches));
}

/** Writes one slice while the next is made. */
export const writerBeside = (): { write: (items: readonly Record<string, unknown>[]) => Promise<void>; end: () => Promise<void> } => {
  let writing = Promise.resolve();
  return {
    write: async (items) => {
      await writing;
      writing = write(items);
    },
    end: () => writing,
  };
};

/** Puts item by item, in slices of a thousand. */
export const batches = (): { put: (item: Record<string, unknown>) => Promise<void>; end: () => Promise<void> } => {
  let held: Record<string, unknown>[] = [];
  const writer = writerBeside();
  const send = async (): Promise<void> => {
    const items = held;
    held = [];
    await writer.write(items);
  };
  return {
    put: async (item: Record<string, unknown>): Promise<void> => {
      held.push(item);
      if (held.length === 1_000) await send();
    },
    end: async (): Promise<void> => {
      await send();
      await writer.end();
    },
  };
};

/** A company's contacts and what is projected of them, without what differs by company and by time. */
function comparable(items: readonly Record<string, unknown>[], companyId: number): string {
  const own = items.filter((item) => String(item['pk']).startsWith(`C#${companyId}#`));
  const kinds = ['contact', 'contact-identity', 'contact-digest', 'contact-counts', 'contact-members', 'group'];
  const plain = (item: Record<string, unknown>) =>
    Object.entries(item)
      .filter(([name]) => !['rev', 'w', 'checkpoints'].includes(name))
      .map(([name, value]): [string, unknown] => {
        if (['c', 'companyId'].includes(name)) return [name, 0];
        if (['at', 'createdAt', 'updatedAt', 'list_sk'].includes(name)) return [name, typeof value];
        if (value instanceof Uint8Array) return [name, [...value]];
        return [name, typeof value === 'string' ? value.replace(`C#${companyId}#`, 'C#0#') : value];
      })
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return own
    .filter((item) => kinds.includes(String(item['kind'])))
    .map((item) => JSON.stringify(plain(item)))
    .toSorted()
    .join('\n');
}

function pick<T>(random: Random, from: readonly T[]): T {
  const picked = from[Math.floor(random() * from.length)];
  if (picked === undefined) throw new Error('There is nothing to pick from.');
  return picked;
}

/** Calling code and area, and how many digits follow. */
const prefixes: readonly (readonly [prefix: string, digits: number])[] = [
  ['49151', 8],
  ['9198', 8],
  ['5511', 8],
  ['1202', 7],
];
/** Prefix and digits behind it: numbers of thirty countries. */
const widePrefixes =
  '49151:8 9198:8 5511:8 1202:7 336:8 4474:8 346:8 3933:8 316:8 3247:7 43664:7 4179:7 4670:7 474:7 452:7 4850:7 35191:7 35386:7 42060:7 3069:8 4072:7 3630:7 5255:8 573:9 54911:8 569:8 62812:8 23480:8 2782:7 2547:8'
    .split(' ')
    .map((each) => {
      const [prefix = '', digits = ''] = each.split(':');
      return [prefix, Number(digits)] as const;
    });
const firstNames = ['Ana', 'Priya', 'Zoë', 'Mohammed', 'João', 'Wei', 'Fatima', 'Søren', 'Olga', 'Chidi'] as const;
const lastNames = ['Sharma', 'Ångström', 'García', 'Müller', 'Okafor', 'Nguyen', 'Ivanova', 'da Silva', 'Kim', 'Fernandes'] as const;
const cities = ['Pune', 'Köln', 'Recife'] as const;
