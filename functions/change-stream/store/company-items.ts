import { ScanCommand, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import { dynamo, tableName } from '../../../shared/table/client.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';

/**
 * Every item of a company as stored, expired ones included; reads the whole table, for the operator alone. `segments`: how many parts of the
 * table are read side by side; between items of different parts there is no order.
 */
export const listCompanyItems = pattern(
  { question: 'everything of a company', entity: 'any', by: 'Scan', units: '1 RRU per 4 KB of the whole table: 32 dollars a terabyte' },
  (companyId: number, segments?: number): AsyncGenerator<Record<string, unknown>> =>
    scan(
      {
        FilterExpression: 'pk = :company OR begins_with(pk, :inside)',
        ExpressionAttributeValues: { ':company': tenant(companyId), ':inside': `${tenant(companyId)}#` },
      },
      segments,
    ),
);

/** Every item as stored, expired ones included; for the operator alone. */
export const listItems = pattern(
  { question: 'everything', entity: 'any', by: 'Scan', units: '1 RRU per 4 KB of the whole table: 32 dollars a terabyte' },
  (): AsyncGenerator<Record<string, unknown>> => scan({}),
);

type ScanFilter = Pick<ScanCommandInput, 'FilterExpression' | 'ExpressionAttributeValues'>;

/** The pages of all segments as they come. Of each segment one is read at a time, and the next when this one was taken: no more are held. */
async function* scan(filter: ScanFilter, segments = 1): AsyncGenerator<Record<string, unknown>> {
  const read = (segment: number, after?: Record<string, unknown>) =>
    readPage({ ...filter, ...(segments > 1 ? { Segment: segment, TotalSegments: segments } : {}) }, segment, after);
  const reads = new Map(Array.from({ length: segments }, (_, segment) => [segment, read(segment)] as const));
  while (reads.size > 0) {
    const { segment, items, after } = await Promise.race(reads.values());
    yield* items;
    // at the end of those that are read, so that no segment has to wait for the pages of another
    reads.delete(segment);
    if (after) reads.set(segment, read(segment, after));
  }
}

async function readPage(
  part: ScanFilter & Pick<ScanCommandInput, 'Segment' | 'TotalSegments'>,
  segment: number,
  after: Record<string, unknown> | undefined,
): Promise<{ segment: number; items: Record<string, unknown>[]; after: Record<string, unknown> | undefined }> {
  const page = await dynamo.send(
    new ScanCommand({ TableName: tableName(), ConsistentRead: true, ...part, ...(after ? { ExclusiveStartKey: after } : {}) }),
  );
  return { segment, items: page.Items ?? [], after: page.LastEvaluatedKey };
}
