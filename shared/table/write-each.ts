import { BatchExecuteStatementCommand } from '@aws-sdk/lib-dynamodb';
import { log } from '../runtime/log.ts';
import { keyText } from './batch-get.ts';
import { dynamo, tableName } from './client.ts';
import { tableSchema } from './schema.ts';
import type { Written } from './written.ts';

/** A conditional write of one item by itself, made by an entity's `inserting` or `replacing`; give many of them to `writeEach`. */
export interface SingleWrite<Item = unknown> {
  key: { pk: string; sk: string };
  /** The write as a PartiQL statement; undefined where it cannot be one. */
  statement: Statement | undefined;
  /** The item once it is written. */
  item: Item;
  /** The same write in a request of its own, with the same token: it also recognizes what the statement has written already. */
  alone: () => Promise<Written<Item>>;
}

interface Statement {
  Statement: string;
  Parameters: unknown[];
}

/**
 * Writes each item if its own condition holds, 25 in a request: an eighth of the CPU time of a request each, and the same write units. Not
 * a transaction: each write has a result of its own, as if it had been made alone. One that its condition refuses, or that fails for any
 * other reason, is made alone once more, which shows the one from the other and also knows a write whose answer was lost.
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchExecuteStatement.html
 */
export const writeEach = async <Item>(writes: readonly SingleWrite<Item>[]): Promise<PromiseSettledResult<Written<Item>>[]> =>
  Promise.allSettled(await beginEach(writes));

/** As `writeEach`; the result of each write by itself, because one that is made alone may take far longer than the others. */
export const beginEach = async <Item>(writes: readonly SingleWrite<Item>[]): Promise<readonly Promise<Written<Item>>[]> => {
  const together = withoutRepeatedKeys(writes.filter(({ statement }) => statement !== undefined));
  const slices = Array.from({ length: Math.ceil(together.length / atOnce) }, (_, i) => together.slice(i * atOnce, i * atOnce + atOnce));
  const written = new Set((await Promise.all(slices.map(writtenTogether))).flat());
  return writes.map(async (write) => (written.has(write) ? { done: true as const, item: write.item } : write.alone()));
};

/** Of a request. */
const atOnce = 25;

/** Statements of the two forms whose syntax AWS documents for batches. Names with other characters would need quotes of their own. */
export const insertion = (attributes: Readonly<Record<string, unknown>>): Statement | undefined => {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined);
  if (!given.every(([name]) => isPlain(name))) return undefined;
  return {
    Statement: `INSERT INTO "${tableName()}" VALUE {${given.map(([name]) => `'${name}':?`).join(',')}}`,
    Parameters: given.map(([, value]) => value),
  };
};

/** If the item has these values, its revision among them. Undefined where an attribute is removed: that is for a write alone. */
export const replacement = (
  key: { pk: string; sk: string },
  set: Readonly<Record<string, unknown>>,
  where: Readonly<Record<string, unknown>>,
): Statement | undefined => {
  const changed = Object.entries(set);
  const { partitionKey, sortKey } = tableSchema;
  const tests = Object.entries({ [partitionKey]: key.pk, [sortKey]: key.sk, ...where });
  if ([...changed, ...tests].some(([name, value]) => value === undefined || !isPlain(name))) return undefined;
  return {
    Statement: `UPDATE "${tableName()}" SET ${changed.map(([name]) => `"${name}"=?`).join(',')} WHERE ${tests.map(([name]) => `"${name}"=?`).join(' AND ')}`,
    Parameters: [...changed, ...tests].map(([, value]) => value),
  };
};

/** The attributes in which two items differ; a removed one is undefined. */
export const changedAttributes = (
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(
    [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .filter((field) => before[field] !== after[field] && JSON.stringify(before[field]) !== JSON.stringify(after[field]))
      .map((field) => [field, after[field]]),
  );

const isPlain = (name: string): boolean => /^\w+$/.test(name);

/** A request with two statements for one item is refused as a whole. */
function withoutRepeatedKeys<W extends SingleWrite>(writes: readonly W[]): W[] {
  const first = new Map<string, W>();
  for (const write of writes) if (!first.has(keyText(write.key))) first.set(keyText(write.key), write);
  return [...first.values()];
}

/** Those that are certain to be written. */
async function writtenTogether<W extends SingleWrite>(writes: readonly W[]): Promise<W[]> {
  if (writes.length < 2) return [];
  try {
    const { Responses = [] } = await dynamo.send(
      new BatchExecuteStatementCommand({ Statements: writes.flatMap(({ statement }) => statement ?? []) }),
    );
    const unexpected = Responses.find(({ Error: error }) => error?.Code !== undefined && !expected.has(error.Code));
    if (unexpected) log.warn('A statement of a batch failed, and is written alone', { code: unexpected.Error?.Code ?? 'unknown' });
    return writes.filter((_, index) => Responses[index] !== undefined && Responses[index].Error === undefined);
  } catch (error) {
    log.warn('A batch of statements failed, and each is written alone', { code: error instanceof Error ? error.name : 'unknown' });
    return [];
  }
}

const expected: ReadonlySet<string> = new Set([
  'ConditionalCheckFailed',
  'DuplicateItem',
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
]);
