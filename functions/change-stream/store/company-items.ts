import { ScanCommand, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import { dynamo, tableName } from '../../../shared/table/client.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';

/** Every item of a company as stored, expired ones included; reads the whole table, for the operator alone. */
export const listCompanyItems = pattern(
  { question: 'everything of a company', entity: 'any', by: 'Scan', units: '0.5 RRU per 4 KB of the whole table: 16 dollars a terabyte' },
  (companyId: number): AsyncGenerator<Record<string, unknown>> =>
    scan({
      FilterExpression: 'pk = :company OR begins_with(pk, :inside)',
      ExpressionAttributeValues: { ':company': tenant(companyId), ':inside': `${tenant(companyId)}#` },
    }),
);

/** Every item as stored, expired ones included; for the operator alone. */
export const listItems = pattern(
  { question: 'everything', entity: 'any', by: 'Scan', units: '0.5 RRU per 4 KB of the whole table: 16 dollars a terabyte' },
  (): AsyncGenerator<Record<string, unknown>> => scan({}),
);

async function* scan(
  filter: Pick<ScanCommandInput, 'FilterExpression' | 'ExpressionAttributeValues'>,
): AsyncGenerator<Record<string, unknown>> {
  let after: Record<string, unknown> | undefined;
  for (;;) {
    const page = await dynamo.send(
      new ScanCommand({ TableName: tableName(), ConsistentRead: true, ...filter, ...(after ? { ExclusiveStartKey: after } : {}) }),
    );
    yield* page.Items ?? [];
    after = page.LastEvaluatedKey;
    if (!after) return;
  }
}
