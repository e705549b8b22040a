import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, GetQueueUrlCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inspectAccount } from '../../bin/admin/doctor/account.ts';
import { inspectBacklog, inspectDeployment } from '../../bin/admin/doctor/deployment.ts';
import type { Finding } from '../../functions/messaging/contract/finding.ts';
import { dynamo } from '../../shared/table/client.ts';
import { tableSchema } from '../../shared/table/schema.ts';
import { startAwsStub } from '../support/aws-stub.ts';
import { freePort } from '../support/emulators.ts';

const aws = await startAwsStub(await freePort());
Object.assign(process.env, {
  AWS_ENDPOINT_URL_SECRETS_MANAGER: aws.endpoint,
  AWS_ACCESS_KEY_ID: 'of this test',
  AWS_SECRET_ACCESS_KEY: 'alone',
});
afterAll(() => aws.stop());

/** What the aws command answers for a stack in order, by its first two words. */
const healthy: Record<string, unknown> = {
  'ssm get-parameter': { Parameter: { Value: JSON.stringify({ emailFrom: 'codes@acme.example', accountConcurrency: 1_000 }) } },
  'lambda get-account-settings': { AccountLimit: { ConcurrentExecutions: 1_000 } },
  'sesv2 get-account': { ProductionAccessEnabled: true, SendingEnabled: true, EnforcementStatus: 'HEALTHY' },
  'sesv2 get-email-identity': { VerifiedForSendingStatus: true },
  'sesv2 get-configuration-set': {
    SuppressionOptions: { SuppressedReasons: ['BOUNCE', 'COMPLAINT'] },
    ReputationOptions: { ReputationMetricsEnabled: true },
  },
  'sns list-subscriptions-by-topic': { Subscriptions: [{ SubscriptionArn: 'arn:aws:sns:eu-central-1:1:alarms:2' }] },
  'cloudwatch describe-alarms': { MetricAlarms: [] },
  'cloudwatch get-metric-data': { MetricDataResults: [] },
};
type Answers = Record<string, unknown>;
const answering =
  (answers: Answers) =>
  (args: readonly string[]): unknown => {
    const answer = { ...healthy, ...answers }[args.slice(0, 2).join(' ')];
    if (typeof answer === 'function') return (answer as (given: readonly string[]) => unknown)(args);
    return answer;
  };
const inspect = (answers: Answers = {}, topic: string | undefined = 'arn:aws:sns:eu-central-1:1:switchboard-alarms') =>
  inspectAccount('switchboard', topic, answering(answers));

/** The age of the stream's records, or of the queue with this name, as CloudWatch answers. */
const agedBy = (name: string, value: number) => (args: readonly string[]) => {
  const queries = JSON.parse(args[args.indexOf('--metric-data-queries') + 1] ?? '') as {
    Id: string;
    MetricStat: { Metric: { Dimensions: { Value: string }[] } };
  }[];
  const found = queries.find(({ MetricStat }) => MetricStat.Metric.Dimensions[0]?.Value === `switchboard-${name}`);
  return { MetricDataResults: [{ Id: found?.Id ?? 'none', Values: [0, value, 1] }] };
};
const missing = (): never => {
  throw new Error('An error occurred (NotFoundException) when calling the GetEmailIdentity operation');
};

describe('doctor on an account', () => {
  test('in order says so, line by line', () => {
    expect(inspect().map(({ level }) => level)).toEqual(Array.from({ length: 7 }, () => 'ok'));
  });

  test.each([
    [
      'a new account’s quota of Lambda',
      { 'lambda get-account-settings': { AccountLimit: { ConcurrentExecutions: 10 } } },
      /runs 10 functions/,
    ],
    ['a quota below the stage’s', { 'lambda get-account-settings': { AccountLimit: { ConcurrentExecutions: 900 } } }, /quota is 900/],
    ['the sandbox of SES', { 'sesv2 get-account': { SendingEnabled: true } }, /in its sandbox/],
    ['a paused sender', { 'sesv2 get-account': { ...(healthy['sesv2 get-account'] as object), SendingEnabled: false } }, /sending is off/],
    ['an account on probation', { 'sesv2 get-account': { SendingEnabled: true, EnforcementStatus: 'PROBATION' } }, /state PROBATION/],
    ['a sender without identity', { 'sesv2 get-email-identity': missing }, /codes@acme\.example is not verified/],
    ['an identity that waits', { 'sesv2 get-email-identity': { VerifiedForSendingStatus: false } }, /is not verified/],
    ['bounces without handling', { 'sesv2 get-configuration-set': {} }, /Bounces and complaints are not handled/],
    ['a topic without subscription', { 'sns list-subscriptions-by-topic': { Subscriptions: [] } }, /No alarm reaches you/],
    [
      'a subscription that waits',
      { 'sns list-subscriptions-by-topic': { Subscriptions: [{ SubscriptionArn: 'PendingConfirmation' }] } },
      /No alarm reaches you[^]*1 waits for confirmation/,
    ],
    ['an alarm that rings', { 'cloudwatch describe-alarms': { MetricAlarms: [{ AlarmName: 'switchboard-api-slow' }] } }, /api-slow rings/],
    ['a queue that is late', { 'cloudwatch get-metric-data': agedBy('provider-updates', 301) }, /provider-updates is 301 seconds behind/],
    ['a stream that is behind', { 'cloudwatch get-metric-data': agedBy('changes', 90_000) }, /change stream is 90 seconds behind/],
  ])('with %s is wrong, with a remedy', (_state, answers, sentence) => {
    const found = inspect(answers).filter(({ level }) => level !== 'ok');
    expect(found).toMatchObject([{ level: 'wrong', message: expect.stringMatching(sentence) as string }]);
    expect(found[0]?.remedy?.length).toBeGreaterThan(10);
  });

  test('whose table is to be copied to another vault, says whether it was within two days', () => {
    const vault = 'arn:aws:backup:eu-west-1:2:backup-vault:copies';
    const copied = (CopyJobs: unknown[]): Finding[] =>
      inspect({
        'ssm get-parameter': { Parameter: { Value: JSON.stringify({ emailFrom: 'codes@acme.example', backupVaultArn: vault }) } },
        'backup list-copy-jobs': (args: readonly string[]) => ({ CopyJobs: args.includes(vault) ? CopyJobs : [] }),
      });
    expect(copied([{ State: 'COMPLETED' }]).map(({ level }) => level)).toEqual(Array.from({ length: 8 }, () => 'ok'));
    expect(copied([]).filter(({ level }) => level !== 'ok')).toMatchObject([
      { level: 'wrong', message: expect.stringContaining(vault) as string },
    ]);
  });

  test('counts the workers that the stage chose', () => {
    const Value = JSON.stringify({ emailFrom: 'codes@acme.example', workers: { 'campaign-blocks': 900 } });
    expect(inspect({ 'ssm get-parameter': { Parameter: { Value } } }).filter(({ level }) => level !== 'ok')).toMatchObject([
      { level: 'wrong', message: expect.stringMatching(/queue workers alone take 1[01]\d\d/) as string },
    ]);
  });

  test('one of two subscriptions unconfirmed is doubtful', () => {
    const Subscriptions = [{ SubscriptionArn: 'arn:aws:sns:x' }, { SubscriptionArn: 'PendingConfirmation' }];
    expect(inspect({ 'sns list-subscriptions-by-topic': { Subscriptions } }).filter(({ level }) => level !== 'ok')).toMatchObject([
      { level: 'doubtful', message: expect.stringContaining('1 waits') as string },
    ]);
  });

  test('reads the alarms that ring its own topic: another stage has a name that begins alike', () => {
    const called: string[] = [];
    inspect({ 'cloudwatch describe-alarms': (args: readonly string[]) => (called.push(args.join(' ')), { MetricAlarms: [] }) });
    expect(called).toEqual([expect.stringMatching(/--action-prefix arn:aws:sns:\S+ --state-value ALARM/)]);
  });

  test('without an alarm topic is wrong', () => {
    expect(inspectAccount('switchboard', undefined, answering({})).filter(({ level }) => level === 'wrong')).toHaveLength(1);
  });

  test.each(Object.keys(healthy))('where %s is not allowed, is doubtful about that alone, and names the permission', (call) => {
    const denied = (): never => {
      throw new Error('AccessDenied');
    };
    const found = inspect({ [call]: denied }).filter(({ level }) => level !== 'ok');
    expect(new Set(found.map(({ level }) => level))).toEqual(new Set(['doubtful']));
    expect(found.every(({ message, remedy }) => message.includes('AccessDenied') && /Allow yourself [a-z]+:/.test(remedy ?? ''))).toBe(
      true,
    );
  });
});

/** Of AWS the emulators have neither backups nor the states in which a deployment is broken. */
describe('doctor on a deployed stack', () => {
  const table = mockClient(DynamoDBClient);
  const documents = mockClient(dynamo);
  const queues = mockClient(SQSClient);
  const mocks = [table, documents, queues];
  const description: TableDescription = {
    TableStatus: 'ACTIVE',
    GlobalSecondaryIndexes: Object.keys(tableSchema.indexes).map((IndexName) => ({ IndexName })),
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  };
  const env = { TABLE_NAME: 'switchboard', SEALING_SECRET_ID: 'sealing', AWS_REGION: 'eu-central-1' };

  beforeAll(() => void Object.assign(process.env, env));
  beforeEach(() => {
    for (const mock of mocks) mock.reset();
    table.on(DescribeTableCommand).resolves({ Table: description });
    table.on(DescribeTimeToLiveCommand).resolves({ TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED', AttributeName: 'ttl' } });
    table.on(DescribeContinuousBackupsCommand).resolves(backups('ENABLED'));
    documents.on(GetCommand).resolves({ Item: watermark(Date.now() + 60_000) });
    queues.on(GetQueueUrlCommand).callsFake(({ QueueName }: { QueueName: string }) => ({ QueueUrl: `https://sqs/${QueueName}` }));
    queues.on(GetQueueAttributesCommand).resolves({ Attributes: { ApproximateNumberOfMessages: '0' } });
    queues
      .on(ReceiveMessageCommand)
      .resolves({ Messages: [{ Attributes: { DeadLetterQueueSourceArn: 'arn:aws:sqs:x:1:switchboard-sends' } }] });
    aws.secrets.set('sealing', JSON.stringify({ id: 'k1', key: 'a key of this test alone' }));
  });
  afterAll(() => {
    for (const mock of mocks) mock.restore();
  });

  const backups = (state: 'ENABLED' | 'DISABLED') => ({
    ContinuousBackupsDescription: { ContinuousBackupsStatus: state, PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: state } },
  });
  const watermark = (placedToMs: number) => ({ pk: 'DUE', sk: 'WATERMARK', kind: 'due-watermark', placedToMs });
  const ill = async (): Promise<Finding[]> =>
    (await inspectDeployment('switchboard', answering({}))).filter(
      ({ level, message }) => level !== 'ok' && !message.includes('alarm topic'),
    );

  test('in order finds nothing', async () => {
    expect(await ill()).toEqual([]);
  });

  test.each<[string, () => unknown, RegExp]>([
    [
      'a table that is being restored',
      () => table.on(DescribeTableCommand).resolves({ Table: { ...description, TableStatus: 'CREATING' } }),
      /table is CREATING/,
    ],
    [
      'a table without an index',
      () =>
        table
          .on(DescribeTableCommand)
          .resolves({ Table: { ...description, GlobalSecondaryIndexes: [{ IndexName: 'list' }, { IndexName: 'assignee' }] } }),
      /lacks the index due/,
    ],
    [
      'a table without stream',
      () => table.on(DescribeTableCommand).resolves({ Table: { ...description, StreamSpecification: { StreamEnabled: false } } }),
      /no change stream/,
    ],
    ['a table that expires nothing', () => table.on(DescribeTimeToLiveCommand).resolves({}), /Time to live is off/],
    [
      'a table without backups',
      () => table.on(DescribeContinuousBackupsCommand).resolves(backups('DISABLED')),
      /Point-in-time recovery is off/,
    ],
    ['a dispatcher that never ran', () => documents.on(GetCommand).resolves({}), /It never ran/],
    [
      'a dispatcher that stands',
      () => documents.on(GetCommand).resolves({ Item: watermark(Date.now() - 600_000) }),
      /enqueued nothing for 6\d\d seconds/,
    ],
    [
      'dead letters',
      () =>
        queues
          .on(GetQueueAttributesCommand, { QueueUrl: 'https://sqs/switchboard-dead-letters' })
          .resolves({ Attributes: { ApproximateNumberOfMessages: '2' } }),
      /2 messages are in the dead-letter queue dead-letters, the first is of switchboard-sends/,
    ],
    [
      'records of the stream that were given up',
      () =>
        queues
          .on(GetQueueAttributesCommand, { QueueUrl: 'https://sqs/switchboard-changes-dead' })
          .resolves({ Attributes: { ApproximateNumberOfMessages: '1' } }),
      /queue changes-dead/,
    ],
    [
      'a queue that is missing',
      () =>
        queues
          .on(GetQueueUrlCommand, { QueueName: 'switchboard-dead-letters' })
          .rejects(Object.assign(new Error(), { name: 'QueueDoesNotExist' })),
      /dead-letters/,
    ],
    [
      'queues that it may not read',
      () =>
        queues
          .on(GetQueueUrlCommand, { QueueName: 'switchboard-dead-letters' })
          .rejects(Object.assign(new Error(), { name: 'AccessDenied' })),
      /cannot be read: AccessDenied/,
    ],
  ])('with %s is wrong, with a remedy', async (_state, breakIt, sentence) => {
    breakIt();
    expect(await ill()).toMatchObject([
      { level: 'wrong', message: expect.stringMatching(sentence) as string, remedy: expect.any(String) as string },
    ]);
  });
});

describe('doctor on a laptop', () => {
  test('says how much work waits on queues and stream, once it is minutes of work', async () => {
    const left = { 'queue provider-updates': 10_000, 'stream changes': 250_000, deliveries: 3 };
    expect(await inspectBacklog(() => Promise.resolve({ status: 'error', details: { left } }))).toMatchObject([
      { level: 'doubtful', message: expect.stringContaining('10000 pieces of work wait: queue provider-updates') as string },
      { level: 'doubtful', message: expect.stringContaining('250000 pieces of work wait: stream changes') as string },
    ]);
    expect(await inspectBacklog(() => Promise.resolve({ data: { idle: true } }))).toEqual([]);
    expect(await inspectBacklog(() => Promise.reject(new Error('no answer')))).toMatchObject([
      { level: 'doubtful', message: 'What waits could not be read: no answer.' },
    ]);
  });
});

describe('doctor on a sealing secret', () => {
  test.each<[string, string | undefined]>([
    ['that is not JSON of a ring', '{}'],
    ['that is missing', undefined],
  ])('%s is wrong', async (_state, SecretString) => {
    Object.assign(process.env, { TABLE_NAME: 'switchboard', SEALING_SECRET_ID: `broken ${_state}`, AWS_REGION: 'eu-central-1' });
    const table = mockClient(DynamoDBClient);
    const documents = mockClient(dynamo);
    table.on(DescribeTableCommand).resolves({}).on(DescribeTimeToLiveCommand).resolves({});
    table.on(DescribeContinuousBackupsCommand).resolves({});
    documents.on(GetCommand).resolves({});
    if (SecretString !== undefined) aws.secrets.set(`broken ${_state}`, SecretString);
    const found = await inspectDeployment(undefined);
    expect(found.filter(({ message }) => message.includes('sealing'))).toMatchObject([{ level: 'wrong' }]);
    // of a table alone, the queues are not known
    expect(found).toContainEqual({ level: 'doubtful', message: 'The queues were not checked.', remedy: 'Use --stack instead of --table.' });
    for (const mock of [table, documents]) mock.restore();
  });
});
