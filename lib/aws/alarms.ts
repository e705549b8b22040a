import { Duration, NestedStack, type Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, MathExpression, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { CfnConfigurationSet } from 'aws-cdk-lib/aws-ses';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { tableSchema } from '../../shared/table/schema.ts';
import { makeDashboard } from './dashboard.ts';
import { crashes, minute, productMetric } from './metrics.ts';
import type { MonitoredResources } from './monitored-resources.ts';
import { idOf } from './naming.ts';
import type { Settings } from './settings.ts';
import type { TableWithStream } from './table.ts';

/**
 * One topic for all alarms. A policy of its own replaces the default one, which lets CloudWatch publish, so the policy must say it:
 * https://repost.aws/knowledge-center/cloudwatch-receive-sns-for-alarm-trigger
 */
export const makeTopic = (stack: Stack, settings: Settings): Topic => {
  const topic = new Topic(stack, 'Alarm', { topicName: `${settings.stackName}-alarms`, enforceSSL: true });
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid: 'AlarmsPublish',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': stack.account } },
    }),
  );
  if (settings.alarmEmail) topic.addSubscription(new EmailSubscription(settings.alarmEmail));
  return topic;
};

/** What is watched, and when it rings. */
interface Watch {
  about: string;
  metric: IMetric;
  /** It rings above this value. */
  over: number;
  /** In so many periods in a row. */
  periods?: number;
  /** It rings when there is nothing, instead. */
  whenSilent?: boolean;
  /** It takes back a release that is on its way (docs/decisions/releases.md). */
  takesReleasesBack?: boolean;
}

/**
 * One alarm for each thing that hurts a customer; each has its entry under "Alarms" in docs/operate.md (test/wiring/alarms.test.ts). They are a
 * nested stack, because CloudFormation allows 500 resources in one stack; those that take a release back are not, because functions wait for them, and
 * they may not wait for functions. Gives the latter.
 */
export const addAlarms = (
  parent: Stack,
  settings: Settings,
  topic: Topic,
  resources: Omit<MonitoredResources, 'tableThrottles'>,
): Alarm[] => {
  const stack = new NestedStack(parent, 'Alarms');
  const monitored: MonitoredResources = { ...resources, tableThrottles: tableThrottles(resources.table) };
  const made = Object.entries(watched(settings, monitored)).map(([name, watch]) => {
    const { about, metric, over, periods = 1, whenSilent, takesReleasesBack = false } = watch;
    const alarm = new Alarm(takesReleasesBack ? parent : stack, idOf(name, 'alarm'), {
      alarmName: `${settings.stackName}-${name}`,
      alarmDescription: `${about} docs/operate.md, "Alarms".`,
      metric,
      threshold: over,
      evaluationPeriods: periods,
      comparisonOperator: whenSilent ? ComparisonOperator.LESS_THAN_THRESHOLD : ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: whenSilent ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(topic));
    alarm.addOkAction(new SnsAction(topic));
    return { alarm, takesReleasesBack };
  });
  const alarms = made.map(({ alarm }) => alarm);
  if (settings.dashboard) makeDashboard(stack, settings, monitored, alarms);
  return made.flatMap(({ alarm, takesReleasesBack }) => (takesReleasesBack ? [alarm] : []));
};

/** All of them in one order, in which the template and the dashboard have them. */
const watched = (settings: Settings, monitored: MonitoredResources): Record<string, Watch> => {
  const ofProduct: OfProduct = (name, statistic, period = minute) => productMetric(settings, name, statistic, period);
  return {
    ...ofApi(settings, monitored, ofProduct),
    ...ofQueues(monitored, ofProduct),
    ...ofChangesAndSchedules(monitored, ofProduct),
    ...ofSends(monitored, ofProduct),
    ...ofAbuse(ofProduct),
    'table-throttles': { about: 'The table throttles reads or writes.', metric: monitored.tableThrottles, over: 0, periods: 3 },
  };
};

/** A metric that the functions write themselves. */
type OfProduct = (name: string, statistic: string, period?: Duration) => IMetric;

const ofApi = (settings: Settings, { api, receivers }: MonitoredResources, ofProduct: OfProduct): Record<string, Watch> => ({
  'api-server-errors': {
    about: 'The API answers 5xx.',
    metric: api.metricServerError({ period: minute, statistic: Stats.SUM }),
    over: 5,
    periods: 2,
    takesReleasesBack: true,
  },
  'api-slow': {
    about: 'One request in a hundred takes longer than five seconds.',
    metric: api.metricLatency({ period: minute, statistic: 'p99' }),
    over: 5_000,
    periods: 5,
  },
  'server-errors': {
    about: 'Functions answer 5xx, receivers of webhooks among them: their senders repeat the posts later.',
    metric: ofProduct('ServerErrors', Stats.SUM),
    over: 5,
    periods: 2,
    takesReleasesBack: true,
  },
  ...(receivers.size > 0 && {
    'receiver-throttles': {
      about: 'Webhooks are refused because as many run as the receiver may: their senders repeat the posts later.',
      metric: together([...receivers.values()].map((receiver) => receiver.metricThrottles({ period: minute, statistic: Stats.SUM }))),
      over: 0,
      periods: 3,
    },
  }),
  'account-concurrency': {
    about: 'Four in five of the executions that the account may run at once are in use, by all stacks in it.',
    metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'ConcurrentExecutions', statistic: Stats.MAXIMUM, period: minute }),
    over: 0.8 * settings.accountConcurrency,
    periods: 3,
  },
});

const ofQueues = ({ deadLetterQueues, queues }: MonitoredResources, ofProduct: OfProduct): Record<string, Watch> => ({
  crashes: {
    about: 'Functions end without an answer: a timeout, memory, an error.',
    metric: ofProduct(crashes, Stats.SUM, five),
    over: 2,
    takesReleasesBack: true,
  },
  'message-failures': {
    about: 'Messages of queues fail and are delivered again.',
    metric: ofProduct('MessageFailures', Stats.SUM, five),
    over: 10,
    takesReleasesBack: true,
  },
  ...forEach(deadLetterQueues, (name, queue) => ({
    [name]: {
      about: 'A message failed each time it was delivered, and waits for the operator.',
      metric: queue.metricApproximateNumberOfMessagesVisible({ period: minute, statistic: Stats.MAXIMUM }),
      over: 0,
    },
  })),
  ...forEach(queues, (name, { queue, lateAfterSeconds }) =>
    lateAfterSeconds === undefined
      ? {}
      : {
          [`${name}-late`]: {
            about: `Messages of ${name} wait longer than ${lateAfterSeconds} seconds.`,
            metric: queue.metricApproximateAgeOfOldestMessage({ period: minute, statistic: Stats.MAXIMUM }),
            over: lateAfterSeconds,
            periods: 3,
          },
        },
  ),
});

const ofChangesAndSchedules = ({ stream, scheduled, functions }: MonitoredResources, ofProduct: OfProduct): Record<string, Watch> => ({
  'foreign-updates': {
    about: 'The provider posts updates about numbers that are not of the company whose URL they reach.',
    metric: ofProduct('ForeignUpdates', Stats.SUM, five),
    over: 0,
  },
  'changes-set-aside': {
    about: 'A stored change could not be carried out and was set aside.',
    metric: ofProduct('ChangesSetAside', Stats.SUM),
    over: 0,
  },
  ...(stream && {
    'stream-late': {
      about: 'The change stream is more than a minute behind: lists, totals and events come late.',
      metric: stream.metric('IteratorAge', { period: minute, statistic: Stats.MAXIMUM }),
      over: 60_000,
      periods: 3,
    },
  }),
  ...forEach(scheduled, (name, everyMinutes) => {
    const metric = functions.get(name)?.metricInvocations({ period: Duration.minutes(5 * everyMinutes), statistic: Stats.SUM });
    return metric ? { [`${name}-silent`]: { about: `${name} is not invoked: due work waits.`, metric, over: 1, whenSilent: true } } : {};
  }),
});

const ofSends = ({ email }: MonitoredResources, ofProduct: OfProduct): Record<string, Watch> => ({
  'scheduled-sends-late': {
    about: 'Scheduled messages are sent more than thirty seconds late.',
    metric: ofProduct('SendLateness', 'p99'),
    over: 30_000,
    periods: 3,
  },
  'sends-ambiguous': {
    about: 'The outcome of many sends is unknown: the provider times out.',
    metric: ofProduct('AmbiguousSends', Stats.SUM),
    over: 20,
    periods: 3,
  },
  ...(email && {
    'email-bounces': {
      about: 'One email in twenty bounces: SES stops such senders.',
      metric: reputation(email, 'BounceRate'),
      over: 0.05,
    },
    'email-complaints': {
      about: 'One email in a thousand is reported as spam: SES stops such senders.',
      metric: reputation(email, 'ComplaintRate'),
      over: 0.001,
    },
  }),
});

const ofAbuse = (ofProduct: OfProduct): Record<string, Watch> => ({
  'refused-calls': {
    about:
      'Many calls have a token or key that is not valid, or are beyond a limit: an attacker tries some, or an integration lost its own or runs in a circle.',
    metric: ofProduct('RefusedCalls', Stats.SUM, five),
    over: 1_000,
  },
  'failed-signatures': {
    about: 'Posts to receivers, or signed calls, have a wrong signature: forged, or a secret was rotated on one side.',
    metric: ofProduct('FailedSignatures', Stats.SUM, five),
    over: 50,
  },
  'code-abuse': {
    about:
      'Codes are stopped, are at their ceiling or are tried in numbers: an attacker has them sent for money, or looks for identifiers that they open.',
    metric: ofProduct('CodeAbuse', Stats.SUM, five),
    over: 0,
  },
});

const five = Duration.minutes(5);

const reputation = (email: CfnConfigurationSet, rate: string): Metric =>
  new Metric({
    namespace: 'AWS/SES',
    metricName: `Reputation.${rate}`,
    dimensionsMap: { 'ses:configuration-set': email.ref },
    statistic: Stats.AVERAGE,
    period: Duration.hours(1),
  });

function forEach<T>(things: ReadonlyMap<string, T>, watch: (name: string, thing: T) => Record<string, Watch>): Record<string, Watch> {
  return Object.assign({}, ...[...things].map(([name, thing]) => watch(name, thing))) as Record<string, Watch>;
}

/** Throttled reads and writes of the table and writes of each index, which are separate metrics. */
function tableThrottles(table: TableWithStream): MathExpression {
  const throttles = (metricName: string, index?: string): Metric =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      statistic: Stats.SUM,
      dimensionsMap: { TableName: table.tableName, ...(index ? { GlobalSecondaryIndexName: index } : {}) },
    });
  const metrics = [
    throttles('ReadThrottleEvents'),
    throttles('WriteThrottleEvents'),
    ...Object.keys(tableSchema.indexes).map((index) => throttles('WriteThrottleEvents', index)),
  ];
  return together(metrics, 'Throttled requests');
}

/** The sum of several metrics; each costs what an alarm costs. */
function together(metrics: readonly IMetric[], label?: string): MathExpression {
  return new MathExpression({
    ...(label === undefined ? {} : { label }),
    expression: `SUM([${metrics.map((_, i) => `FILL(m${i}, 0)`).join(', ')}])`,
    usingMetrics: Object.fromEntries(metrics.map((metric, i) => [`m${i}`, metric])),
    period: minute,
  });
}
