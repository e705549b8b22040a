import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { tableVariable } from '../contract/resource.ts';
import { setting } from '../runtime/env.ts';

/** One client an environment; throttled and failed calls are repeated by the SDK, five tries in all. */
export const dynamo = DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: 5 }), {
  marshallOptions: { removeUndefinedValues: true },
});

/**
 * Left out of every call, a sixth of its CPU time (measured in the decision of 2026-11-22): the log that nobody keeps, for which the SDK
 * takes each input and answer apart all the same, and the header that tells the SDK's version.
 */
for (const middleware of ['loggerMiddleware', 'getUserAgentMiddleware']) dynamo.middlewareStack.remove(middleware);

export const tableName = (): string => setting(tableVariable);
