import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { tableVariable } from '../contract/resource.ts';
import { withTimeouts } from '../runtime/aws-client.ts';
import { setting } from '../runtime/env.ts';

const client = new DynamoDBClient({ maxAttempts: 5, ...withTimeouts() });

/** One client per Lambda environment. The SDK repeats throttled and failed requests, five attempts in all. */
export const dynamo = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });

/**
 * Removed from every request, a sixth of its CPU time: the logger middleware, which walks through each input and output although no logger
 * is set, the user agent header, and the trace header, by which services that invoke functions recognize loops.
 */
for (const middleware of ['loggerMiddleware', 'getUserAgentMiddleware', 'recursionDetectionMiddleware'])
  dynamo.middlewareStack.remove(middleware);

export const tableName = (): string => setting(tableVariable);
