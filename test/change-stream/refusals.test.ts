import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, describe, expect, test } from 'vitest';
import { shardPartOf } from '../../functions/change-stream/domain.ts';
import { projections, reactions } from '../../functions/change-stream/registry.generated.ts';
import { processChanges } from '../../functions/change-stream/service/process-changes.ts';
import { listSetAsideChanges, retrySetAsideChanges } from '../../functions/change-stream/service/set-aside.ts';
import { messageStatuses } from '../../functions/messaging/contract/stored.ts';
import type { ProjectedEntity } from '../../shared/events/projection.ts';
import type { Consequence, Projection } from '../../shared/events/react.ts';
import { dynamo, tableName } from '../../shared/table/client.ts';
import { counterEntity } from '../../shared/table/counter.ts';
import { companyOfKey } from '../../shared/table/schema.ts';
import { readGolden } from '../support/golden.ts';
import { tableError } from '../support/sdk-hooks.ts';
import { startTestApp } from '../support/test-app.ts';

const testApp = await startTestApp();
afterAll(() => testApp.stop());

type Item = Record<string, unknown>;

/** Items of each kind, as suites of all contexts left them. */
const items: readonly Item[] = Object.values(readGolden('0.2', 'items')).flat();
const entities: readonly ProjectedEntity[] = [counterEntity as ProjectedEntity, ...projections];
const shardId = 'shardId-refused';

/** A change, and what stands in the table before it. */
interface Change {
  before?: Item;
  after: Item;
  beside?: readonly Item[];
}

const itemOf = (kind: string, more: Item = {}): Item => ({ ...items.find((item) => item['kind'] === kind), ...more });

const ofCampaign = { campaign: { id: 1, batch: 2 }, inbound: false };
const pending = { status: 'pending', prefix: 'P491510001', country: 'DE', endedAt: undefined };

const [spendAccount] = readGolden('0.3', 'items')['spend-account'] ?? [];

/** What the creation of no golden item leads to. */
const furtherChanges: readonly Change[] = [
  { after: itemOf('contact', { g: [4], t: [5] }), beside: [itemOf('group')] },
  {
    before: itemOf('contact', { cs: 'import', ca: 1_795_520_000_000 }),
    after: itemOf('contact', { un: true, cs: 'api', ca: 1_795_520_600_000 }),
  },
  { after: itemOf('message', { ...ofCampaign, status: messageStatuses.failed, error: { code: 131_026, title: 'Undeliverable' } }) },
  { after: itemOf('shop-product', { categoryId: 1 }), beside: [itemOf('shop-category', { id: 1, sk: '0000000000000001' })] },
  { before: itemOf('conversation'), after: itemOf('conversation', { answered: { at: 1_795_844_828_551, afterMs: 60_000 } }) },
  { before: itemOf('conversation'), after: itemOf('conversation', { answeredCampaign: { id: 1, at: 1_795_844_828_551, messageId: 5 } }) },
  { before: { ...spendAccount, dayLeft: spendAccount?.['dayLimit'] }, after: { ...spendAccount, dayLeft: 0 } },
  { after: itemOf('verification-request', pending) },
  { before: itemOf('verification-request', pending), after: itemOf('verification-request', { ...pending, status: 'verified' }) },
];
const changes: readonly Change[] = [...items.map((after) => ({ after })), ...furtherChanges];

/** The same item of another company. */
const ofCompany = (item: Item, offset: number): Item =>
  Object.fromEntries(
    Object.entries(item).flatMap(([name, value]) => (name.startsWith('due_') ? [] : [[name, moved(name, value, offset)]])),
  );

function moved(name: string, value: unknown, offset: number): unknown {
  if (typeof value === 'number') return name === 'companyId' || name === 'c' ? value + offset : value;
  if (typeof value === 'string') return value.replace(/^C#(\d+)/, (_, id) => `C#${Number(id) + offset}`);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([inner, each]) => [inner, moved(inner, each, offset)]));
}

/** The same change in another company. */
const changeOf = ({ before, after, beside = [] }: Change, offset: number): Change => ({
  ...(before ? { before: ofCompany(before, offset) } : {}),
  after: ofCompany(after, offset),
  beside: beside.map((each) => ofCompany(each, offset)),
});

function consequencesOf({ before, after }: Change, { eventID: changeId = '', dynamodb }: Partial<DynamoDBRecord> = {}): Consequence[] {
  const writtenAt = Number(dynamodb?.ApproximateCreationDateTime ?? 0) * 1_000;
  return reactions
    .filter(({ to }) => to === after['kind'])
    .flatMap((reaction) => reaction.react({ before: before && reaction.parse(before), after: reaction.parse(after), writtenAt, changeId }));
}

/** What follows from a change into a kind of row. */
const projectionsInto = (kind: string, change: Change, record?: DynamoDBRecord): Projection[] =>
  consequencesOf(change, record)
    .filter((each) => each.kind === 'projection')
    .filter(({ into }) => into === kind);

const keyOf = (entity: ProjectedEntity, { id, partOf: sum }: Projection): string => {
  const { pk, sk } = entity.key(sum === undefined ? id : { ...(id as object), part: shardPartOf(shardId) });
  return `${pk}|${sk}`;
};

let sequence = 0;
const recordOf = ({ before, after }: Change): DynamoDBRecord => {
  const number = String(++sequence * 1_000);
  return {
    // entries of the audit stand in the order of these ids
    eventID: `refused-${number.padStart(12, '0')}`,
    eventName: before ? 'MODIFY' : 'INSERT',
    dynamodb: {
      SequenceNumber: number,
      ApproximateCreationDateTime: Math.floor(testApp.clock.now() / 1_000),
      ...(before ? { OldImage: imageOf(before) } : {}),
      NewImage: imageOf(after),
    },
  };
};

const imageOf = (item: Item) => marshall(item, { removeUndefinedValues: true }) as never;

const store = async (stored: readonly Item[]): Promise<void> => {
  for (const Item of stored) await dynamo.send(new PutCommand({ TableName: tableName(), Item }));
};

/** Refuses each write of these rows, alone or as one of the statements of a request, as the table does one that is too large. */
const refuseWrites = (keys: ReadonlySet<string>): Disposable => {
  const isRefused = ({ pk, sk }: Item): boolean => keys.has(`${String(pk)}|${String(sk)}`);
  return testApp.onTable(({ command, input, when }) => {
    if (when === 'after') return;
    if (command === 'BatchExecuteStatement' && keysIn(input['Statements']).some(isRefused)) throw tableError('ValidationException');
    if (['PutItem', 'UpdateItem'].includes(command) && isRefused((input['Item'] ?? input['Key']) as Item))
      throw tableError('ValidationException');
  });
};

/** Of an INSERT the names stand beside the parameters, in their order; of an UPDATE the key comes behind what is set. */
const keysIn = (statements: unknown): Item[] =>
  (statements as { Statement: string; Parameters: unknown[] }[]).map(({ Statement: text, Parameters: parameters }) => {
    const names = [...text.matchAll(/['"](\w+)['"](?::\?|=\?)/g)].map(([, name]) => name);
    return { pk: parameters[names.lastIndexOf('pk')], sk: parameters[names.lastIndexOf('sk')] };
  });

/** The rows of a company without what says when, how often and by which shard they were written. */
const rowsOf = async (offset: number): Promise<Item[]> => {
  const names = new Set(entities.map(({ name }) => name));
  const isOwn = ({ pk }: Item): boolean => Math.floor(Number(/^C#(\d+)/.exec(String(pk))?.[1] ?? 0) / 1_000) * 1_000 === offset;
  return (
    (await testApp.dump())
      .filter((item) => names.has(String(item['kind'])) && isOwn(item))
      .map(({ rev: _r, checkpoints: _c, w: _w, part: _p, place: _l, until: _u, ttl: _t, ...row }) => ofCompany(row, -offset))
      // the key of an entry of the audit names its change and its time, that of a part the shard
      .map(({ sk, at, id, ...row }) => (/^(audit-entry|.*-part)$/.test(String(row['kind'])) ? row : { sk, at, id, ...row }))
  );
};

const idsOfAside = async (): Promise<string[]> => (await listSetAsideChanges()).map(({ eventId }) => eventId).toSorted();

/** Our changes and those of another company, of which nothing is refused; each with what stands before them. */
async function bothOf(leading: readonly Change[], offset: number): Promise<{ ours: readonly Change[]; reference: readonly Change[] }> {
  const [ours, reference] = [offset, offset + 1_000].map((each) => leading.map((change) => changeOf(change, each)));
  if (!ours || !reference) throw new Error('There are no changes.');
  await store([...ours, ...reference].flatMap(({ beside = [] }) => beside));
  return { ours, reference };
}

/** Our changes while their write is refused, with one of another company behind them: these are named, and that one is done. */
async function whileRefused(records: readonly DynamoDBRecord[], offset: number): Promise<void> {
  const other = recordOf({ after: ofCompany(itemOf('message'), offset + 2_000) });
  await processChanges([...records, other], shardId, { reactions, projections });
  expect(await idsOfAside()).toEqual(records.map(({ eventID }) => eventID ?? '').toSorted());
  expect((await rowsOf(offset + 2_000)).filter(({ kind }) => kind === 'conversation')).toHaveLength(1);
  // delivered again nothing is done twice
  await processChanges([...records, other], shardId, { reactions, projections });
}

async function carryOutAgain(): Promise<void> {
  for (let times = 0; times < 2; times++) {
    await retrySetAsideChanges();
    await testApp.drain({ only: 'changes' });
  }
  expect(await idsOfAside()).toEqual([]);
}

describe('a row whose write the table refuses at each attempt', () => {
  for (const [nth, entity] of entities.entries()) {
    test(`of kind ${entity.name} stops nothing: its changes are named, and carried out again they leave what they would have left`, async () => {
      const offset = (nth + 1) * 3_000;
      const leading = changes.filter((change) => projectionsInto(entity.name, change).length > 0);
      expect(leading.length, `changes that lead to ${entity.name}: add one to furtherChanges`).toBeGreaterThan(0);
      const { ours, reference } = await bothOf(leading, offset);
      await processChanges(reference.map(recordOf), shardId, { reactions, projections });
      const before = await rowsOf(offset);
      const records = ours.map(recordOf);
      {
        const keys = new Set(
          ours.flatMap((change, index) => projectionsInto(entity.name, change, records[index]).map((each) => keyOf(entity, each))),
        );
        using _refused = refuseWrites(keys);
        await whileRefused(records, offset);
        const isRefused = ({ kind }: Item): boolean => kind === entity.name;
        expect((await rowsOf(offset)).filter(isRefused)).toEqual(before.filter(isRefused));
      }
      await carryOutAgain();
      expect(await rowsOf(offset)).toEqual(await rowsOf(offset + 1_000));
    });
  }
});

describe('what else follows from a change', () => {
  const eventsOf = async (offset: number): Promise<unknown[]> =>
    (await testApp.dump({ kind: 'events' }))
      .filter(({ pk }) => Math.floor(Number(/^C#(\d+)/.exec(String(pk))?.[1] ?? 0) / 1_000) * 1_000 === offset)
      .flatMap((item) => item['events'] as unknown[]);
  const logged = changes.filter((change) => consequencesOf(change).some(({ kind }) => kind === 'log'));

  test('a line of the event log that is refused at each attempt stops nothing, and stands there once after a retry', async () => {
    const offset = 200_000;
    const { ours, reference } = await bothOf(logged, offset);
    await processChanges(reference.map(recordOf), shardId, { reactions, projections });
    const wanted = (await eventsOf(offset + 1_000)).length;
    expect(wanted).toBeGreaterThan(0);
    const records = ours.map(recordOf);
    {
      using _refused = testApp.onTable(({ command, input, when }) => {
        const { pk } = (input['Item'] ?? {}) as Item;
        const companyId = Number(/^C#(\d+)#EVENTS$/.exec(String(pk))?.[1] ?? 0);
        if (when === 'before' && command === 'PutItem' && companyId >= offset && companyId < offset + 1_000)
          throw tableError('ValidationException');
      });
      await whileRefused(records, offset);
      expect(await eventsOf(offset)).toEqual([]);
    }
    await carryOutAgain();
    expect(await eventsOf(offset)).toHaveLength(wanted);
    expect(await rowsOf(offset)).toEqual(await rowsOf(offset + 1_000));
  });
});

test('what changes in a company leads to rows of that company alone: while its changes wait, no neighbour’s row goes on without them', () => {
  const byName = new Map(entities.map((entity) => [entity.name, entity]));
  const rows = changes.flatMap((change) =>
    consequencesOf(change, recordOf(change)).flatMap((each) => {
      const into = each.kind === 'projection' ? byName.get(each.into) : undefined;
      const company = companyOfKey(String(change.after['pk']));
      if (each.kind !== 'projection' || !into || company === undefined) return [];
      return [{ of: String(change.after['kind']), company, row: companyOfKey(keyOf(into, each)) }];
    }),
  );
  expect(new Set(rows.map(({ of }) => of)).size).toBeGreaterThan(15);
  expect(rows.filter(({ company, row }) => row !== company)).toEqual([]);
});
