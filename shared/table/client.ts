import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { tableVariable } from '../contract/resource.ts';
import { setting } from '../runtime/env.ts';

/** One client an environment; throttled and failed calls are repeated by the SDK, five tries in all. */
export const dynamo = DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: 5 }), {
  marshallOptions: { removeUndefinedValues: true },
});

export const tableName = (): string => setting(tableVariable);
