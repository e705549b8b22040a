import { ScanCommand, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import { dynamo, tableName } from '../../../shared/table/client.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';

/** Where a reading of the table stands: of each segment that is not at its end the key after which it goes on, undefined at its beginning. */
export interface Places {
  segments: number;
  after: ReadonlyMap<number, Record<string, unknown> | undefined>;
}

/** A page of items as stored, and where its reading stands after it. */
export interface ItemPage {
  items: readonly Record<string, unknown>[];
  places: Places;
}

/** A reading of the table in so many parts, side by side, that has not begun. */
export const atBeginning = (segments = 1): Places => ({
  segments,
  after: new Map(Array.from({ length: segments }, (_, segment) => [segment, undefined])),
});

/**
 * Every item of a company as stored, expired ones included; reads the whole table from these places on, for the operator alone. Between items of
 * different segments there is no order.
 */
export const listCompanyPages = pattern(
  { question: 'everything of a company', entity: 'any', by: 'Scan', units: '1 RRU per 4 KB of the whole table: 32 dollars a terabyte' },
  (companyId: number, places: Places = atBeginning()): AsyncGenerator<ItemPage> =>
    scan(
      {
        FilterExpression: 'pk = :company OR begins_with(pk, :inside)',
        ExpressionAttributeValues: { ':company': tenant(companyId), ':inside': `${tenant(companyId)}#` },
      },
      places,
    ),
);

/** Every item as stored, expired ones included; for the operator alone. */
export const listPages = pattern(
  { question: 'everything', entity: 'any', by: 'Scan', units: '1 RRU per 4 KB of the whole table: 32 dollars a terabyte' },
  (): AsyncGenerator<ItemPage> => scan({}, atBeginning()),
);

type ScanFilter = Pick<ScanCommandInput, 'FilterExpression' | 'ExpressionAttributeValues'>;

/** The pages of all segments as they come. Of each segment one is read at a time, and the next when this one was taken: no more are held. */
async function* scan(filter: ScanFilter, { segments, after: begun }: Places): AsyncGenerator<ItemPage> {
  const read = (segment: number, after?: Record<string, unknown>) =>
    readPage({ ...filter, ...(segments > 1 ? { Segment: segment, TotalSegments: segments } : {}) }, segment, after);
  const after = new Map(begun);
  const reads = new Map([...after].map(([segment, key]) => [segment, read(segment, key)] as const));
  while (reads.size > 0) {
    const page = await Promise.race(reads.values());
    const { segment } = page;
    if (page.after) after.set(segment, page.after);
    else after.delete(segment);
    yield { items: page.items, places: { segments, after: new Map(after) } };
    // at the end of those that are read, so that no segment has to wait for the pages of another
    reads.delete(segment);
    if (page.after) reads.set(segment, read(segment, page.after));
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
