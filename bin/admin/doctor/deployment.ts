import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { getWatermark } from '../../../functions/due-work/service.ts';
import type { Finding } from '../../../functions/messaging/contract/finding.ts';
import { declarationsOf } from '../../../lib/aws/declared.ts';
import { siteBuildOutput } from '../../../lib/aws/naming.ts';
import { buildOfPage } from '../../../lib/aws/site-build.ts';
import { app } from '../../../functions/app.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { optionalSetting } from '../../../shared/runtime/env.ts';
import { seal, unseal } from '../../../shared/runtime/seal.ts';
import { tableName } from '../../../shared/table/client.ts';
import { closedMessage, ownCopy, restoreState } from '../../../shared/table/restored-copy.ts';
import { tableSchema } from '../../../shared/table/schema.ts';
import { aws } from '../aws-command.ts';
import { queueUrl } from '../queues.ts';
import { stackOutput } from '../target.ts';
import { inspectAccount, type ReadAws } from './account.ts';

/** Checks the table, the sealing key, the dispatcher and the queues. `stack`: name of the deployed stack, if any. */
export const inspectDeployment = async (stack: string | undefined, read: ReadAws = aws): Promise<Finding[]> => {
  const [table, others] = await Promise.all([
    inspectTable(),
    Promise.all([inspectRestoredCopy(), inspectSealing(), inspectDispatcher(), inspectQueues(stack)]),
  ]);
  const behind = isLaptop() ? await inspectBacklog() : [];
  return [
    ...table,
    ...others.flat(),
    ...behind,
    ...(stack ? [...inspectAccount(stack, stackOutput('AlarmTopic'), read), ...(await inspectSites())] : []),
  ];
};

/** The pages that CloudFront serves are of the build that the stack was deployed with; one that was deployed without them keeps the pages of its first day. */
async function inspectSites(): Promise<Finding[]> {
  const siteUrl = stackOutput('SiteUrl');
  if (siteUrl === undefined) return [];
  const { sites } = declarationsOf(app);
  const findings = await Promise.all(
    sites.map((site) =>
      inspectPages(`${siteUrl}${site.path}/`, stackOutput(siteBuildOutput(site.name)), async (url) => (await fetch(url)).text()),
    ),
  );
  return findings.flat();
}

/** `read` gets the page that is served at an address. */
export const inspectPages = async (
  address: string,
  build: string | undefined,
  read: (url: string) => Promise<string>,
): Promise<Finding[]> => {
  try {
    const served = buildOfPage(await read(address));
    return served === build
      ? [{ level: 'ok', message: `The pages at ${address} are of the build of this deployment.` }]
      : [wrong(`The pages at ${address} are of the build ${served}, and the stack of ${build ?? 'none'}.`, 'npm run deploy uploads them.')];
  } catch (error) {
    return [
      wrong(
        `The pages at ${address} are not served: ${error instanceof Error ? error.message : 'unknown'}.`,
        'npm run deploy uploads them.',
      ),
    ];
  }
};

const isLaptop = (): boolean => optionalSetting('SWITCHBOARD_LOCAL') === '1';

async function inspectTable(): Promise<Finding[]> {
  const client = new DynamoDBClient({});
  const { Table: table } = await client.send(new DescribeTableCommand({ TableName: tableName() }));
  const { TimeToLiveDescription: ttl } = await client.send(new DescribeTimeToLiveCommand({ TableName: tableName() }));
  const indexes = (table?.GlobalSecondaryIndexes ?? []).filter(({ IndexStatus }) => IndexStatus === undefined || IndexStatus === 'ACTIVE');
  const missing = Object.keys(tableSchema.indexes).filter((name) => !indexes.some(({ IndexName }) => IndexName === name));
  const isStreaming =
    table?.StreamSpecification?.StreamEnabled === true && table.StreamSpecification.StreamViewType === 'NEW_AND_OLD_IMAGES';
  return [
    table?.TableStatus === 'ACTIVE'
      ? { level: 'ok', message: `The table ${tableName()} is active.` }
      : {
          level: 'wrong',
          message: `The table is ${table?.TableStatus ?? 'missing'}.`,
          remedy: 'Wait until it is active; after a restore, see docs/operate.md.',
        },
    ...(missing.length === 0
      ? []
      : [wrong(`The table lacks the index ${missing.join(' and ')}.`, 'Deploy again; a restore must keep the indexes.')]),
    ...(isStreaming
      ? []
      : [wrong('The table has no change stream with both images: reactions and projections do not run.', 'Deploy again.')]),
    ...(ttl?.TimeToLiveStatus === 'ENABLED' && ttl.AttributeName === tableSchema.ttl
      ? []
      : [wrong('Time to live is off: expired items are not deleted.', 'Deploy again; a restored table does not have it.')]),
    ...(isLaptop() ? [] : await inspectBackups(client)),
  ];
}

async function inspectBackups(client: DynamoDBClient): Promise<Finding[]> {
  const { ContinuousBackupsDescription: backups } = await client.send(new DescribeContinuousBackupsCommand({ TableName: tableName() }));
  return backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED'
    ? [{ level: 'ok', message: 'Point-in-time recovery is on.' }]
    : [wrong('Point-in-time recovery is off: there is no backup.', 'Deploy again; a restored table does not have it.')];
}

/** A table that was restored is closed until its journal is applied and it is opened. */
async function inspectRestoredCopy(): Promise<Finding[]> {
  if (ownCopy() === undefined) return [];
  const state = await restoreState();
  if (state === 'open') return [{ level: 'ok', message: `The table is a restored copy, ${ownCopy()}, and is open.` }];
  return [wrong(closedMessage(state), `Run admin restore ${state === 'closed' ? 'apply' : 'open'}: docs/operate.md, Restore.`)];
}

async function inspectSealing(): Promise<Finding[]> {
  try {
    const isWhole = (await unseal(await seal('doctor', 'doctor'), 'doctor')) === 'doctor';
    if (isWhole) return [{ level: 'ok', message: 'The sealing key can be read, and sealing works.' }];
  } catch (error) {
    return [wrong(`The sealing key cannot be used: ${error instanceof Error ? error.name : 'unknown'}.`, sealingRemedy)];
  }
  return [wrong('The sealing key does not unseal what it sealed.', sealingRemedy)];
}

const sealingRemedy = 'Its secret must be JSON {"id","key","previous"?} (docs/operate.md, Secrets), and readable by you.';

/** The dispatcher runs every minute and enqueues what is due in the next two minutes. */
async function inspectDispatcher(): Promise<Finding[]> {
  const placed = await getWatermark();
  const lateSeconds = Math.round((now() - (placed ?? 0)) / 1_000);
  if (placed !== undefined && lateSeconds <= 0) return [{ level: 'ok', message: 'The dispatcher runs: due work is enqueued in time.' }];
  const since = placed === undefined ? 'It never ran' : `It enqueued nothing for ${lateSeconds} seconds`;
  return [
    wrong(
      `The dispatcher does not run: scheduled messages and retries wait. ${since}.`,
      'Check its schedule and the log of dispatch-tick.',
    ),
  ];
}

async function inspectQueues(stack: string | undefined): Promise<Finding[]> {
  const names = [
    'dead-letters',
    ...declarationsOf(app).functions.flatMap(({ name, trigger }) => (trigger === 'stream' ? [`${name}-dead`] : [])),
  ];
  if (!stack && !isLaptop()) return [doubtful('The queues were not checked.', 'Use --stack instead of --table.')];
  const client = new SQSClient({});
  const findings = (await Promise.all(names.map((name) => inspectDeadLetters(client, stack, name)))).flat();
  return findings.length > 0 ? findings : [{ level: 'ok', message: 'The dead-letter queues are empty.' }];
}

const pendingWork = z.object({ details: z.object({ left: z.record(z.string(), z.number()) }) });

/** What waits on the laptop's queues and change stream; of a deployed stack CloudWatch knows the ages. `read`: POST /_local/idle. */
export async function inspectBacklog(read: () => Promise<unknown> = readPendingWork): Promise<Finding[]> {
  try {
    const left = Object.entries(pendingWork.safeParse(await read()).data?.details.left ?? {});
    return left.flatMap(([place, count]) =>
      count <= backlogLimit
        ? []
        : [
            doubtful(
              `${count} pieces of work wait: ${place}. What follows from them is not to be seen yet.`,
              'Wait, or see functions.log.',
            ),
          ],
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    return [doubtful(`What waits could not be read: ${reason}.`, 'Start the product again with npm run dev.')];
  }
}

async function readPendingWork(): Promise<unknown> {
  const answer = await fetch(`${optionalSetting('PUBLIC_BASE_URL') ?? ''}/_local/idle`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"timeout_seconds":0}',
  });
  return answer.json();
}

/** A campaign of some thousands keeps it busy for seconds; more than this is minutes. */
const backlogLimit = 2_000;

async function inspectDeadLetters(client: SQSClient, stack: string | undefined, name: string): Promise<Finding[]> {
  try {
    const QueueUrl = await queueUrl(client, stack, name);
    const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] }));
    const count = Number(Attributes?.['ApproximateNumberOfMessages'] ?? 0);
    if (count === 0) return [];
    const from = stack ? await sourcesOf(client, QueueUrl) : [];
    const named = from.length > 0 ? `, the first ${from.length === 1 ? 'is' : 'are'} of ${from.join(', ')}` : '';
    return [
      wrong(
        `${count} ${count === 1 ? 'message is' : 'messages are'} in the dead-letter queue ${name}${named}.`,
        'admin dead-letters list; docs/operate.md, Dead letters.',
      ),
    ];
  } catch (error) {
    const failure = error instanceof Error ? error.name : '';
    return /NonExistent|NotExist/.test(failure)
      ? [wrong(`The dead-letter queue ${name} is missing.`, 'Deploy again.')]
      : [
          wrong(
            `The dead-letter queue ${name} cannot be read: ${failure}.`,
            'Allow sqs:GetQueueUrl, sqs:GetQueueAttributes and sqs:ReceiveMessage.',
          ),
        ];
  }
}

/** The queues that its first messages came from; they stay visible to others. */
async function sourcesOf(client: SQSClient, QueueUrl: string | undefined): Promise<string[]> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: 10,
      VisibilityTimeout: 0,
      MessageSystemAttributeNames: ['DeadLetterQueueSourceArn'],
    }),
  );
  const sources = Messages.flatMap(({ Attributes }) => Attributes?.['DeadLetterQueueSourceArn']?.split(':').at(-1) ?? []);
  return [...new Set(sources)];
}

function doubtful(message: string, remedy: string): Finding {
  return { level: 'doubtful', message, remedy };
}

function wrong(message: string, remedy: string): Finding {
  return { level: 'wrong', message, remedy };
}
