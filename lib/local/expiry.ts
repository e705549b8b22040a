import { awsCall, AwsProblem, dynamodb } from './aws-call.ts';
import { type JsonObject } from './json.ts';
import type { ExpiringTable, TableFile } from './table-file.ts';

/** Time to live: which items the table has dropped by itself, for the stream to say so as AWS does. */
export interface Expiry {
  /** Drops what has expired by the product's time, at most so many items. */
  sweep(atMost: number): Promise<void>;
  /** Whether a removal of the item with these keys (JSON as in the stream) was a sweep; called once per removal. */
  wasSwept(keys: JsonObject): boolean;
}

/**
 * Items are found in the emulator's file, by an index, and deleted by calls, one after the other, between which it answers others. It has a
 * sweep of its own, which knows only the real time and reads the whole table.
 */
export const tableExpiry = (url: string, file: Pick<TableFile, 'expiredKeys'>, tables: readonly ExpiringTable[]): Expiry => {
  const swept = new Set<string>();
  const drop = async ({ name, ttlAttribute }: ExpiringTable, key: JsonObject, now: number): Promise<void> => {
    swept.add(nameOf(key));
    await awsCall(url, dynamodb('DeleteItem'), {
      TableName: name,
      Key: key,
      ConditionExpression: '#ttl < :now',
      ExpressionAttributeNames: { '#ttl': ttlAttribute },
      ExpressionAttributeValues: { ':now': { N: String(now) } },
    }).catch((error: unknown) => {
      swept.delete(nameOf(key));
      // it was renewed meanwhile
      if (!(error instanceof AwsProblem && error.code === 'ConditionalCheckFailedException')) throw error;
    });
  };
  const sweep = async (atMost: number): Promise<void> => {
    const now = Math.floor(Date.now() / 1000);
    for (const table of tables) {
      for (let left = atMost; left > 0; ) {
        const keys = file.expiredKeys(table.name, now, Math.min(left, pageSize));
        for (const key of keys) await drop(table, key, now);
        left = keys.length < pageSize ? 0 : left - keys.length;
      }
    }
  };
  let running: Promise<void> | undefined;
  return {
    sweep: async (atMost) => {
      await running?.catch(() => {}); // its caller has the error
      running = sweep(atMost);
      await running;
    },
    wasSwept: (keys) => swept.delete(nameOf(keys)),
  };
};

const pageSize = 100;

const nameOf = (keys: JsonObject): string => JSON.stringify(Object.entries(keys).sort(([a], [b]) => (a < b ? -1 : 1)));
