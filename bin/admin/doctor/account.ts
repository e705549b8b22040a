import * as z from 'zod';
import { app } from '../../../functions/app.ts';
import type { Finding } from '../../../functions/messaging/contract/finding.ts';
import { declarationsOf } from '../../../lib/aws/declared.ts';
import { settingsParameter } from '../../../lib/aws/naming.ts';
import { dayMs, now } from '../../../shared/runtime/clock.ts';

/** Answers one call of the aws command; throws what the operator is to read. */
export type ReadAws = (args: readonly string[], what: string) => unknown;

/**
 * Checks what a deployed stack needs of its account and what only AWS knows: quotas, the sender of emails, who receives the alarms, and what is
 * late now. Changes nothing.
 */
export const inspectAccount = (stack: string, alarmTopic: string | undefined, read: ReadAws): Finding[] => {
  const settings = (): z.output<typeof deployedSettings> => readSettings(stack, read);
  return [
    ...check('The Lambda quota', 'lambda:GetAccountSettings', () => inspectConcurrency(settings(), read)),
    ...check('The email quota', 'ses:GetAccount', () => inspectEmailAccount(read)),
    ...check('The sender of emails', 'ses:GetEmailIdentity and ssm:GetParameter', () => inspectSender(settings().emailFrom, read)),
    ...check('Bounce handling', 'ses:GetConfigurationSet', () => inspectBounces(stack, read)),
    ...check('The subscriptions of the alarm topic', 'sns:ListSubscriptionsByTopic', () => inspectSubscriptions(alarmTopic, read)),
    ...check('The alarms', 'cloudwatch:DescribeAlarms', () => inspectAlarms(alarmTopic, read)),
    ...check('The copies of the table', 'backup:ListCopyJobs', () => inspectCopies(settings().backupVaultArn, read)),
    ...check('The age of queues and stream', 'cloudwatch:GetMetricData', () => inspectAges(stack, read)),
  ];
};

/** What cannot be read is not known to be wrong. */
function check(what: string, permission: string, inspect: () => Finding[]): Finding[] {
  try {
    return inspect();
  } catch (error) {
    const detail = error instanceof Error ? error.message.replace(/\.$/, '') : '';
    return [{ level: 'doubtful', message: `${what} could not be checked: ${detail}.`, remedy: `Allow yourself ${permission}.` }];
  }
}

const parameter = z.object({ Parameter: z.object({ Value: z.string() }) });
/** What of the stage's file the account must fit; what is not stored is at its default. */
const deployedSettings = z.object({
  emailFrom: z.string().default('no-reply@example.com'),
  accountConcurrency: z.number().default(1_000),
  workers: z.record(z.string(), z.number()).default({}),
  backupVaultArn: z.string().optional(),
});

function readSettings(stack: string, read: ReadAws): z.output<typeof deployedSettings> {
  const { Parameter } = parameter.parse(read(['ssm', 'get-parameter', '--name', settingsParameter(stack)], 'The settings of the stack'));
  return deployedSettings.parse(JSON.parse(Parameter.Value));
}

/** What the queue workers take at once at most, beside the API. */
const workersTogether = (chosen: Readonly<Record<string, number>>): number =>
  declarationsOf(app).workers.reduce((sum, { name, maxConcurrency }) => sum + (chosen[name] ?? maxConcurrency), 0);
const accountSettings = z.object({ AccountLimit: z.object({ ConcurrentExecutions: z.number() }) });

function inspectConcurrency({ accountConcurrency: assumed, workers }: z.output<typeof deployedSettings>, read: ReadAws): Finding[] {
  const { AccountLimit } = accountSettings.parse(read(['lambda', 'get-account-settings'], 'The account settings of Lambda'));
  const quota = AccountLimit.ConcurrentExecutions;
  const together = workersTogether(workers);
  const remedy = 'Service Quotas, AWS Lambda, Concurrent executions: request 1,000; then accountConcurrency in the stage’s file.';
  if (quota < together)
    return [wrong(`Lambda runs ${quota} functions at once in this account, and the queue workers alone take ${together}.`, remedy)];
  if (quota < assumed) return [wrong(`Lambda’s quota is ${quota}, and accountConcurrency says ${assumed}.`, remedy)];
  return [ok(`Lambda runs ${quota} functions at once in this account.`)];
}

const emailAccount = z.object({
  ProductionAccessEnabled: z.boolean().default(false),
  SendingEnabled: z.boolean().default(false),
  EnforcementStatus: z.string().default('HEALTHY'),
});

function inspectEmailAccount(read: ReadAws): Finding[] {
  const account = emailAccount.parse(read(['sesv2', 'get-account'], 'The SES account'));
  if (account.EnforcementStatus !== 'HEALTHY' || !account.SendingEnabled)
    return [
      wrong(
        `SES has this account in the state ${account.EnforcementStatus}, sending is ${account.SendingEnabled ? 'on' : 'off'}.`,
        'Answer the case that AWS opened; look at bounces and complaints (docs/operate.md, Alarms).',
      ),
    ];
  return account.ProductionAccessEnabled
    ? [ok('SES sends to any address.')]
    : [
        wrong(
          'SES is in its sandbox: emails go to verified addresses alone, 200 a day.',
          'SES console, Account dashboard, Request production access.',
        ),
      ];
}

const identity = z.object({ VerifiedForSendingStatus: z.boolean().default(false) });

/** SES takes a sender whose address or whose domain is verified. */
function inspectSender(sender: string, read: ReadAws): Finding[] {
  const isVerified = (name: string): boolean => {
    try {
      return identity.parse(read(['sesv2', 'get-email-identity', '--email-identity', name], `The identity ${name}`))
        .VerifiedForSendingStatus;
    } catch (error) {
      if (error instanceof Error && error.message.includes('NotFoundException')) return false;
      throw error;
    }
  };
  return isVerified(sender.slice(sender.indexOf('@') + 1)) || isVerified(sender)
    ? [ok(`The sender ${sender} is verified.`)]
    : [wrong(`The sender ${sender} is not verified in SES: no email goes out.`, 'Create its domain as an identity in SES, with DKIM.')];
}

const configurationSet = z.object({
  SuppressionOptions: z.object({ SuppressedReasons: z.array(z.string()).default([]) }).optional(),
  ReputationOptions: z.object({ ReputationMetricsEnabled: z.boolean().default(false) }).optional(),
});

function inspectBounces(stack: string, read: ReadAws): Finding[] {
  const args = ['sesv2', 'get-configuration-set', '--configuration-set-name', stack];
  const { SuppressionOptions, ReputationOptions } = configurationSet.parse(read(args, `The configuration set ${stack}`));
  const reasons = SuppressionOptions?.SuppressedReasons ?? [];
  return reasons.includes('BOUNCE') && reasons.includes('COMPLAINT') && ReputationOptions?.ReputationMetricsEnabled
    ? [ok('Addresses that bounce or complain get no more emails, and both are measured.')]
    : [wrong('Bounces and complaints are not handled: SES stops a sender of too many.', 'Deploy again.')];
}

const topicSubscriptions = z.object({ Subscriptions: z.array(z.object({ SubscriptionArn: z.string() })).default([]) });

function inspectSubscriptions(topic: string | undefined, read: ReadAws): Finding[] {
  if (!topic) return [wrong('The stack has no alarm topic.', 'Deploy again.')];
  const answer = read(['sns', 'list-subscriptions-by-topic', '--topic-arn', topic], 'The alarm topic');
  const { Subscriptions } = topicSubscriptions.parse(answer);
  const pending = Subscriptions.filter(({ SubscriptionArn }) => !SubscriptionArn.startsWith('arn:')).length;
  const confirmed = Subscriptions.length - pending;
  const waiting = pending === 0 ? '' : ` ${pending} ${pending === 1 ? 'waits' : 'wait'} for confirmation.`;
  if (confirmed === 0)
    return [wrong(`No alarm reaches you: the topic has no confirmed subscription.${waiting}`, 'Set alarmEmail and confirm its mail.')];
  return pending === 0
    ? [ok('The alarms have a confirmed subscription.')]
    : [{ level: 'doubtful', message: `Not every subscription to the alarms is confirmed.${waiting}`, remedy: 'Confirm the mail.' }];
}

const copyJobs = z.object({ CopyJobs: z.array(z.unknown()).default([]) });

/** Without the account's consent to full management of DynamoDB, AWS Backup copies nothing, without a word. */
function inspectCopies(vault: string | undefined, read: ReadAws): Finding[] {
  if (vault === undefined) return [];
  const since = new Date(now() - 2 * dayMs).toISOString();
  const args = ['backup', 'list-copy-jobs', '--by-destination-vault-arn', vault, '--by-state', 'COMPLETED', '--by-created-after', since];
  return copyJobs.parse(read(args, 'The copy jobs')).CopyJobs.length > 0
    ? [ok('The table was copied to the other vault within two days.')]
    : [wrong(`No copy of the table has reached ${vault} for two days.`, 'docs/operate.md, Copies in another region or account.')];
}

const alarmList = z.object({ MetricAlarms: z.array(z.object({ AlarmName: z.string() })).default([]) });

/** Those that ring this stack's topic: by name, another stage's are among them (`switchboard-test`). */
function inspectAlarms(topic: string | undefined, read: ReadAws): Finding[] {
  if (topic === undefined) return [];
  const args = ['cloudwatch', 'describe-alarms', '--action-prefix', topic, '--state-value', 'ALARM'];
  const { MetricAlarms } = alarmList.parse(read(args, 'The alarms'));
  return MetricAlarms.length === 0
    ? [ok('No alarm rings.')]
    : MetricAlarms.map(({ AlarmName }) => wrong(`The alarm ${AlarmName} rings.`, 'docs/operate.md, Alarms.'));
}

const metricData = z.object({ MetricDataResults: z.array(z.object({ Id: z.string(), Values: z.array(z.number()).default([]) })) });
/** The stream's records are late for lists, totals and events from a minute on. */
const streamLateSeconds = 60;

/** The oldest message of each queue in which customers wait, and the oldest record of the change stream, over five minutes. */
function inspectAges(stack: string, read: ReadAws): Finding[] {
  const { queues, stream } = declarationsOf(app);
  const watched = [
    ...queues.flatMap(({ name, lateAfterSeconds }) => (lateAfterSeconds === undefined ? [] : [queueAge(stack, name, lateAfterSeconds)])),
    ...(stream ? [streamAge(stack, stream.name)] : []),
  ];
  const queries = watched.map(({ metric }, index) => ({
    Id: `age${index}`,
    MetricStat: { Metric: metric, Period: 60, Stat: 'Maximum' },
  }));
  const times = ['--start-time', new Date(now() - 300_000).toISOString(), '--end-time', new Date(now()).toISOString()];
  const args = ['cloudwatch', 'get-metric-data', '--metric-data-queries', JSON.stringify(queries), ...times];
  const { MetricDataResults } = metricData.parse(read(args, 'The metrics'));
  const late = watched.flatMap(({ what, log, limitSeconds, secondsOf }, index) => {
    const values = MetricDataResults.find(({ Id }) => Id === `age${index}`)?.Values ?? [];
    const seconds = Math.round(secondsOf(Math.max(0, ...values)));
    return seconds > limitSeconds ? [wrong(`${what} ${seconds} seconds behind.`, `The log of ${log}; docs/operate.md, Alarms.`)] : [];
  });
  return late.length > 0 ? late : [ok('No queue and no shard of the stream is behind.')];
}

interface Age {
  what: string;
  log: string;
  metric: unknown;
  limitSeconds: number;
  secondsOf: (value: number) => number;
}

const queueAge = (stack: string, name: string, limitSeconds: number): Age => ({
  what: `The queue ${name} is`,
  log: declarationsOf(app).workers.find(({ queue }) => queue.name === name)?.name ?? name,
  metric: {
    Namespace: 'AWS/SQS',
    MetricName: 'ApproximateAgeOfOldestMessage',
    Dimensions: [{ Name: 'QueueName', Value: `${stack}-${name}` }],
  },
  limitSeconds,
  secondsOf: (value) => value,
});

const streamAge = (stack: string, name: string): Age => ({
  what: 'The change stream is',
  log: name,
  metric: { Namespace: 'AWS/Lambda', MetricName: 'IteratorAge', Dimensions: [{ Name: 'FunctionName', Value: `${stack}-${name}` }] },
  limitSeconds: streamLateSeconds,
  secondsOf: (value) => value / 1_000,
});

const ok = (message: string): Finding => ({ level: 'ok', message });
const wrong = (message: string, remedy: string): Finding => ({ level: 'wrong', message, remedy });
