import { awsCall, AwsProblem, dynamodb, sqs } from './aws-call.ts';
import { StartProblem } from './data-folder.ts';
import type { QueueEmulator } from './emulators.ts';
import { queueArn } from './identity.ts';
import { asText, type Json, type JsonObject, listOf, numberOf, objectOf, parseJson, textOf } from './json.ts';
import { account, type Resource, resourcesOf, type Template } from './template.ts';

export interface TableResource {
  name: string;
  keyNames: string[];
  ttlAttribute: string | undefined;
  /** The sort key of the index named `due`, if it has one: what time travel looks at. */
  dueSortKey: string | undefined;
}

export interface QueueResource {
  name: string;
  visibilitySeconds: number;
  /** Deliveries before a message goes to the dead-letter queue; infinite without one. */
  maxReceives: number;
}

/** Creates the tables of the template, or adds to existing ones the indexes they lack. */
export const createTables = async (template: Template, resolveValue: (value: Json) => Json, url: string): Promise<TableResource[]> =>
  Promise.all(
    resourcesOf(template, 'AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table').map(async (resource) => {
      const properties = objectOf(resolveValue(resource.properties));
      const name = textOf(properties.TableName) ?? resource.id;
      const indexes = listOf(properties.GlobalSecondaryIndexes).map((index) => {
        const { IndexName = '', KeySchema = [], Projection = {} } = objectOf(index);
        return { IndexName, KeySchema, Projection };
      });
      const stream = objectOf(properties.StreamSpecification);
      const { AttributeDefinitions = [], KeySchema = [] } = properties;
      const request: JsonObject = {
        TableName: name,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions,
        KeySchema,
        ...(indexes.length > 0 ? { GlobalSecondaryIndexes: indexes } : {}),
        ...(stream.StreamViewType ? { StreamSpecification: { ...stream, StreamEnabled: true } } : {}),
      };
      try {
        await awsCall(url, dynamodb('CreateTable'), request);
      } catch (error) {
        if (!(error instanceof AwsProblem && error.code === 'ResourceInUseException')) throw error;
        await reconcileTable(url, request, indexes);
      }
      const ttlAttribute = textOf(objectOf(properties.TimeToLiveSpecification).AttributeName);
      if (ttlAttribute !== undefined) await enableTtl(url, name, ttlAttribute);
      const due = indexes.find(({ IndexName }) => IndexName === 'due');
      return { name, keyNames: keyNames(KeySchema), ttlAttribute, dueSortKey: due && keyNames(due.KeySchema)[1] };
    }),
  );

/** Creates the queues of the template; those that exist keep their messages and take the template's settings. */
export const createQueues = async (
  template: Template,
  resolveValue: (value: Json) => Json,
  emulator: QueueEmulator,
): Promise<QueueResource[]> => {
  const declared = resourcesOf(template, 'AWS::SQS::Queue').map((resource) => queueSettings(resource, resolveValue));
  // dead-letter queues first: the others name them
  declared.sort((a, b) => Number('RedrivePolicy' in a.attributes) - Number('RedrivePolicy' in b.attributes));
  for (const { name, attributes } of declared) await createQueue(emulator, name, attributes);
  return declared.map(({ name, attributes }) => ({
    name,
    visibilitySeconds: numberOf(attributes.VisibilityTimeout) ?? 30,
    maxReceives: attributes.RedrivePolicy
      ? (numberOf(objectOf(parseJson(attributes.RedrivePolicy)).maxReceiveCount) ?? Infinity)
      : Infinity,
  }));
};

/** Creates one queue, or gives an existing one these settings. */
export const createQueue = async (emulator: QueueEmulator, name: string, attributes: Record<string, string>): Promise<void> => {
  if (emulator.server.inspectQueue(name)) {
    await awsCall(emulator.url, sqs('SetQueueAttributes'), { QueueUrl: queueUrl(emulator, name), Attributes: attributes });
  } else {
    emulator.server.createQueue(name, { attributes });
  }
};

export const queueUrl = (emulator: QueueEmulator, name: string): string => `${emulator.url}/${account}/${name}`;

/** Creates the buckets that do not exist yet. */
export const createBuckets = async (template: Template, nameOf: (resource: Resource) => string, emulator: QueueEmulator): Promise<void> => {
  for (const resource of resourcesOf(template, 'AWS::S3::Bucket')) {
    const name = nameOf(resource);
    const exists = (await fetch(`${emulator.url}/${name}`, { method: 'HEAD' })).ok;
    if (!exists) emulator.server.createBucket(name);
  }
};

const keyNames = (keySchema: Json): string[] =>
  [...listOf(keySchema)]
    .sort((a, b) => (objectOf(a).KeyType === 'HASH' ? -1 : 1) - (objectOf(b).KeyType === 'HASH' ? -1 : 1))
    .map((key) => textOf(objectOf(key).AttributeName) ?? '');

const reconcileTable = async (url: string, wanted: JsonObject, indexes: readonly { IndexName: Json; KeySchema: Json }[]): Promise<void> => {
  const TableName = wanted.TableName ?? '';
  const existing = objectOf((await awsCall(url, dynamodb('DescribeTable'), { TableName })).Table);
  const known = new Map(
    listOf(existing.GlobalSecondaryIndexes).map((index) => [objectOf(index).IndexName, keyNames(objectOf(index).KeySchema ?? [])]),
  );
  const changed =
    keyNames(existing.KeySchema ?? []).join() !== keyNames(wanted.KeySchema ?? []).join() ||
    indexes.some(({ IndexName, KeySchema }) => known.has(IndexName) && known.get(IndexName)?.join() !== keyNames(KeySchema).join());
  if (changed)
    throw new StartProblem(`The keys of table ${asText(TableName)} have changed since its data was written. Start once with --fresh.`);
  for (const index of indexes.filter(({ IndexName }) => !known.has(IndexName))) {
    await awsCall(url, dynamodb('UpdateTable'), {
      TableName,
      AttributeDefinitions: wanted.AttributeDefinitions ?? [],
      GlobalSecondaryIndexUpdates: [{ Create: index }],
    });
  }
};

const enableTtl = async (url: string, TableName: string, AttributeName: string): Promise<void> => {
  const specification = { TableName, TimeToLiveSpecification: { Enabled: true, AttributeName } };
  await awsCall(url, dynamodb('UpdateTimeToLive'), specification).catch((error: unknown) => {
    // "already enabled", after a restart
    if (!(error instanceof AwsProblem && error.code === 'ValidationException')) throw error;
  });
};

const notAttributes = new Set(['QueueName', 'Tags', 'SqsManagedSseEnabled']);

const queueSettings = (resource: Resource, resolveValue: (value: Json) => Json): { name: string; attributes: Record<string, string> } => {
  const properties = objectOf(resolveValue(resource.properties));
  const settings = Object.entries(properties).filter(([key]) => !notAttributes.has(key));
  return {
    name: textOf(properties.QueueName) ?? resource.id,
    attributes: Object.fromEntries(
      settings.map(([key, value]) => [key, typeof value === 'object' ? JSON.stringify(value) : String(value)]),
    ),
  };
};

/** For queues of the runner's own: where their messages go after so many failures. */
export const redrivePolicy = (deadLetterQueue: string, maxReceiveCount: number): string =>
  JSON.stringify({ deadLetterTargetArn: queueArn(deadLetterQueue), maxReceiveCount });
