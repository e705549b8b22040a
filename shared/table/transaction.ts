import { randomUUID } from 'node:crypto';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { dynamo, tableName } from './client.ts';
import { type ChangeNode, type ConditionNode, Placeholders, placeholderFields } from './condition.ts';
import { itemFromWire } from './wire.ts';

/** A write or check of one item, made by an entity's `putting`, `changing`, `updating`, `deleting` or `checking`. */
export interface TransactionPart<Item = unknown> {
  act: 'put' | 'change' | 'delete' | 'check';
  item?: Record<string, unknown>;
  key?: { pk: string; sk: string };
  change?: ChangeNode;
  condition?: ConditionNode | undefined;
  /** Reads the item of a refusal. */
  parse: (raw: Record<string, unknown> | undefined) => Item | undefined;
}

/** The parts of a transaction by name. A list keeps the order of its parts; an undefined part is left out. */
export type Parts = Readonly<Record<string, TransactionPart | readonly TransactionPart[] | undefined>>;

/** A part whose condition refused the transaction, with the item as it is; none: it does not exist. */
export interface RefusedPart<Item> {
  current: Item | undefined;
}

/** By name of the part; a list of parts has its refusals with their place in the list. */
export type Refusals<P extends Parts> = {
  readonly [K in keyof P]?: NonNullable<P[K]> extends TransactionPart<infer Item>
    ? RefusedPart<Item>
    : NonNullable<P[K]> extends readonly TransactionPart<infer Item>[]
      ? readonly (RefusedPart<Item> & { place: number })[]
      : never;
};

export type Committed<P extends Parts> = { done: true } | { done: false; refused: Refusals<P> };

/** The result of parts in a list without names. */
export type CommittedList =
  | { done: true }
  | { done: false; refused: readonly { index: number; current: Record<string, unknown> | undefined }[] };

/**
 * Writes all parts or none. Returns which conditions refused and throws on anything else. A clash with another transaction is repeated up
 * to three times.
 */
export async function commit(parts: readonly TransactionPart[], token?: string): Promise<CommittedList>;
export async function commit<const P extends Parts>(parts: P, token?: string): Promise<Committed<P>>;
export async function commit(given: Parts | readonly TransactionPart[], token?: string): Promise<CommittedList | Committed<Parts>> {
  if (isList(given)) {
    const refused = await write(given, token);
    return refused ? { done: false, refused } : { done: true };
  }
  const named = Object.entries(given).flatMap(([name, part]) => placed(name, part));
  const refused = await write(
    named.map(({ part }) => part),
    token,
  );
  if (!refused) return { done: true };
  const byName: Record<string, unknown> = {};
  for (const { index, current: raw } of refused) {
    const { name, part, place } = named[index] as Placed;
    const current = part.parse(raw);
    byName[name] = place === undefined ? { current } : [...((byName[name] as unknown[] | undefined) ?? []), { place, current }];
  }
  return { done: false, refused: byName as Refusals<Parts> };
}

interface Placed {
  name: string;
  part: TransactionPart;
  /** In a list of parts. */
  place?: number;
}

function placed(name: string, part: Parts[string]): Placed[] {
  if (part === undefined) return [];
  return isList(part) ? part.map((each, place) => ({ name, part: each, place })) : [{ name, part }];
}

const isList = (given: Parts | TransactionPart | readonly TransactionPart[]): given is readonly TransactionPart[] => Array.isArray(given);

/** The refused parts; undefined when all were written. */
async function write(
  parts: readonly TransactionPart[],
  // one for all attempts: an attempt after one that was done, whose answer was lost, is not refused by its own items
  token: string = randomUUID(),
): Promise<{ index: number; current: Record<string, unknown> | undefined }[] | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      await dynamo.send(new TransactWriteCommand({ TransactItems: parts.map(transactItem), ClientRequestToken: token }));
      return undefined;
    } catch (error) {
      const reasons = cancellationReasons(error);
      if (!reasons) throw error;
      const refused = reasons.flatMap((reason, index) =>
        reason.Code === 'ConditionalCheckFailed' ? [{ index, current: reason.Item }] : [],
      );
      if (refused.length > 0) return refused;
      if (attempt >= maxAttempts) throw error;
      await pause(attempt);
    }
  }
}

function transactItem(part: TransactionPart): Record<string, unknown> {
  const p = new Placeholders();
  const update = part.change ? p.change(part.change) : undefined;
  const condition = part.condition ? p.condition(part.condition) : undefined;
  const common = {
    TableName: tableName(),
    ...(condition ? { ConditionExpression: condition, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } : {}),
    ...placeholderFields(p),
  };
  switch (part.act) {
    case 'put':
      return { Put: { ...common, Item: part.item } };
    case 'change':
      return { Update: { ...common, Key: part.key, UpdateExpression: update } };
    case 'delete':
      return { Delete: { ...common, Key: part.key } };
    case 'check':
      return { ConditionCheck: { ...common, Key: part.key } };
  }
}

function cancellationReasons(error: unknown): { Code?: string; Item: Record<string, unknown> | undefined }[] | undefined {
  if (!(error instanceof Error) || error.name !== 'TransactionCanceledException') return undefined;
  const reasons =
    (error as Error & { CancellationReasons?: { Code?: string; Item?: Record<string, unknown> }[] }).CancellationReasons ?? [];
  return reasons.map((reason) => ({
    ...(reason.Code ? { Code: reason.Code } : {}),
    Item: reason.Item && itemFromWire(reason.Item),
  }));
}

/**
 * A single write of an item that is in a transaction at this moment is refused, and the SDK does not repeat it:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling
 */
export const beyondTransactions = async <T>(write: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'TransactionConflictException' || attempt >= maxAttempts) throw error;
      await pause(attempt);
    }
  }
};

const maxAttempts = 4;

const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, 20 * 2 ** attempt * (0.5 + Math.random() / 2)));
