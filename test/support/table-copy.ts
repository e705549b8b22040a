import { awsCall, dynamodb } from '../../lib/local/aws-call.ts';
import { type JsonObject, listOf, objectOf } from '../../lib/local/json.ts';
import { setting } from '../../shared/runtime/env.ts';
import { tableName } from '../../shared/table/client.ts';

/** Every item of a table at a moment, in the wire form: what a backup holds. */
export type TableCopy = readonly JsonObject[];

/** Of the table of the test app that runs. */
export const copyTable = (): Promise<TableCopy> => itemsOf(setting('AWS_ENDPOINT_URL_DYNAMODB'), tableName());

/** The table holds what the copy holds and nothing else. */
export const putTableBack = async (endpoint: string, table: string, copy: TableCopy): Promise<void> => {
  const keyOf = ({ pk, sk }: JsonObject): JsonObject => ({ pk: pk ?? null, sk: sk ?? null });
  const textOf = (item: JsonObject): string => JSON.stringify(keyOf(item));
  const held = new Set(copy.map(textOf));
  const gone = (await itemsOf(endpoint, table)).filter((item) => !held.has(textOf(item)));
  const requests: JsonObject[] = [
    ...gone.map((item) => ({ DeleteRequest: { Key: keyOf(item) } })),
    ...copy.map((item) => ({ PutRequest: { Item: item } })),
  ];
  for (let at = 0; at < requests.length; at += 25)
    await awsCall(endpoint, dynamodb('BatchWriteItem'), { RequestItems: { [table]: requests.slice(at, at + 25) } });
};

async function itemsOf(endpoint: string, table: string): Promise<JsonObject[]> {
  const items: JsonObject[] = [];
  let after: JsonObject | undefined;
  for (;;) {
    const page = await awsCall(endpoint, dynamodb('Scan'), { TableName: table, ...(after ? { ExclusiveStartKey: after } : {}) });
    items.push(...listOf(page['Items']).map(objectOf));
    if (page['LastEvaluatedKey'] === undefined) return items;
    after = objectOf(page['LastEvaluatedKey']);
  }
}
