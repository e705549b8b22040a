import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';

/** The least a function with a table can be: one client, one conditional write. What the product's start is measured against. */
const dynamo = DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: 5 }));

export const handler = async (): Promise<{ statusCode: number }> => {
  try {
    await dynamo.send(
      new UpdateCommand({
        TableName: process.env['TABLE_NAME'],
        Key: { pk: 'KEY#bare', sk: 'KEY' },
        UpdateExpression: 'ADD n :one',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':one': 1 },
      }),
    );
    return { statusCode: 200 };
  } catch {
    return { statusCode: 401 };
  }
};
