import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { dynamo, tableName } from '../../shared/table/client.ts';

type Request = { PutRequest: { Item: Record<string, unknown> } } | { DeleteRequest: { Key: Record<string, unknown> } };

/** Writes or deletes many rows as stored, in batches of 25, a few at once: what a test of a large table begins with. */
export const writeInBatches = async (requests: Iterable<Request>): Promise<void> => {
  const left = requests[Symbol.iterator]();
  const turn = async (): Promise<void> => {
    for (let batch = nextOf(left); batch.length > 0; batch = nextOf(left))
      while (batch.length > 0) {
        const answer = await dynamo.send(new BatchWriteCommand({ RequestItems: { [tableName()]: batch } }));
        batch = (answer.UnprocessedItems?.[tableName()] ?? []) as Request[];
      }
  };
  await Promise.all(Array.from({ length: 6 }, turn));
};

export const putInBatches = (items: Iterable<Record<string, unknown>>): Promise<void> => writeInBatches(putsOf(items));

function* putsOf(items: Iterable<Record<string, unknown>>): Generator<Request> {
  for (const Item of items) yield { PutRequest: { Item } };
}

function nextOf(requests: Iterator<Request>): Request[] {
  const batch: Request[] = [];
  while (batch.length < 25) {
    const { done, value } = requests.next();
    if (done) break;
    batch.push(value);
  }
  return batch;
}
