import { awsCall, AwsProblem, dynamodb } from './aws-call.ts';
import type { TableEmulator } from './emulators.ts';
import { type JsonObject, listOf, objectOf } from './json.ts';

/** Time to live: which items the table has dropped by itself, for the stream to say so as AWS does. */
export interface Expiry {
  /** Drops what has expired. `moved`: the product's time is ahead of the emulator's, whose own sweep knows only the real one. */
  sweep(moved: boolean): Promise<void>;
  /** Whether a removal of the item with these keys (JSON as in the stream) was a sweep; called once per removal. */
  wasSwept(keys: JsonObject): boolean;
}

export interface ExpiringTable {
  name: string;
  ttlAttribute: string;
  keyNames: string[];
}

export const tableExpiry = (emulator: TableEmulator, tables: readonly ExpiringTable[]): Expiry => {
  const swept = new Set<string>();
  const sweepMoved = async (table: ExpiringTable): Promise<void> => {
    const names = Object.fromEntries([['#ttl', table.ttlAttribute], ...table.keyNames.map((name, i) => [`#k${i}`, name])]);
    const values: JsonObject = { ':now': { N: String(Math.floor(Date.now() / 1000)) } };
    let from: JsonObject | undefined;
    do {
      const page = await awsCall(emulator.url, dynamodb('Scan'), {
        TableName: table.name,
        FilterExpression: '#ttl < :now',
        ProjectionExpression: table.keyNames.map((_, i) => `#k${i}`).join(', '),
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: values,
        ...(from ? { ExclusiveStartKey: from } : {}),
      });
      for (const item of listOf(page.Items)) {
        const key = objectOf(item);
        swept.add(nameOf(key));
        await awsCall(emulator.url, dynamodb('DeleteItem'), {
          TableName: table.name,
          Key: key,
          ConditionExpression: '#ttl < :now',
          ExpressionAttributeNames: { '#ttl': table.ttlAttribute },
          ExpressionAttributeValues: values,
        }).catch((error: unknown) => {
          swept.delete(nameOf(key));
          // it was renewed meanwhile
          if (!(error instanceof AwsProblem && error.code === 'ConditionalCheckFailedException')) throw error;
        });
      }
      from = page.LastEvaluatedKey ? objectOf(page.LastEvaluatedKey) : undefined;
    } while (from);
  };
  return {
    sweep: async (moved) => {
      await sweepReal(emulator);
      if (moved) for (const table of tables) await sweepMoved(table);
    },
    wasSwept: (keys) => swept.delete(nameOf(keys)),
  };
};

const nameOf = (keys: JsonObject): string => JSON.stringify(Object.entries(keys).sort(([a], [b]) => (a < b ? -1 : 1)));

/** The emulator's own sweep, by its tool port: it deletes and writes stream records marked as the service's. */
const sweepReal = async ({ mcpPort, mcpToken }: Pick<TableEmulator, 'mcpPort' | 'mcpToken'>): Promise<void> => {
  let session: string | undefined;
  const call = async (message: JsonObject): Promise<void> => {
    const answer = await fetch(`http://127.0.0.1:${mcpPort}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${mcpToken}`,
        ...(session ? { 'mcp-session-id': session } : {}),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
    session = answer.headers.get('mcp-session-id') ?? session;
    const text = await answer.text();
    if (answer.status >= 400) throw new Error(`The emulator's tool port answered ${answer.status}: ${text.slice(0, 200)}`);
  };
  await call({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'local', version: '1' } },
  });
  await call({ method: 'notifications/initialized' });
  await call({ id: 2, method: 'tools/call', params: { name: 'sweep_ttl', arguments: {} } });
};
