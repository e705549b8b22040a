import { Duration, NestedStack, type Stack } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { tableSchema } from '../../shared/table/schema.ts';
import { makeDashboard } from './dashboard.ts';
import type { MonitoredResources } from './monitored-resources.ts';
import { idOf } from './naming.ts';
import type { Settings } from './settings.ts';
import type { TableWithStream } from './table.ts';

/** One topic for all alarms. */
export const makeTopic = (stack: Stack, settings: Settings): Topic => {
  const topic = new Topic(stack, 'Alarm', { topicName: `${settings.stackName}-alarms`, enforceSSL: true });
  if (settings.alarmEmail) topic.addSubscription(new EmailSubscription(settings.alarmEmail));
  return topic;
};

/**
 * Alarms on everything that customers would notice, derived from the resources. They are a nested stack, because CloudFormation allows 500
 * resources in one stack.
 */
export const addAlarms = (parent: Stack, settings: Settings, topic: Topic, resources: Omit<MonitoredResources, 'tableThrottles'>): void => {
  const stack = new NestedStack(parent, 'Alarms');
  const monitored: MonitoredResources = { ...resources, tableThrottles: tableThrottles(resources.table) };
  const alarms: Alarm[] = [];
  const raise = (id: string, description: string, metric: IMetric, limit: number, minutes = 1, more: Partial<AlarmProps> = {}): void => {
    const alarm = new Alarm(stack, id, {
      alarmName: `${settings.stackName}-${kebab(id)}`,
      alarmDescription: description,
      metric,
      threshold: limit,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: minutes,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...more,
    });
    alarms.push(alarm);
    alarm.addAlarmAction(new SnsAction(topic));
    alarm.addOkAction(new SnsAction(topic));
  };

  for (const [name, queue] of monitored.queues) {
    const age = queue.metricApproximateAgeOfOldestMessage({ period: minute, statistic: Stats.MAXIMUM });
    raise(idOf(name, 'queue', 'age'), `Messages of ${name} wait longer than five minutes.`, age, 300, 3);
  }
  for (const [name, queue] of monitored.deadLetterQueues) {
    const waiting = queue.metricApproximateNumberOfMessagesVisible({ period: minute, statistic: Stats.MAXIMUM });
    raise(
      idOf(name, 'dead', 'letters'),
      `A message of ${name} is in the dead-letter queue: see "Dead letters" in docs/operate.md.`,
      waiting,
      0,
    );
  }
  for (const [name, each] of monitored.functions) {
    raise(idOf(name, 'errors'), `${name} fails: see its log.`, each.metricErrors({ period: minute }), 0, 3);
    raise(idOf(name, 'throttles'), `${name} is throttled: no concurrency is free.`, each.metricThrottles({ period: minute }), 0, 3);
  }
  if (monitored.stream) {
    const age = monitored.stream.metric('IteratorAge', { period: minute, statistic: Stats.MAXIMUM });
    raise('StreamAge', 'The change stream is more than a minute behind.', age, 60_000, 3);
  }
  raise('ApiServerErrors', 'The API answers 5xx.', monitored.api.metricServerError({ period: minute, statistic: Stats.SUM }), 5, 2);
  const slow = monitored.api.metricLatency({ period: minute, statistic: 'p99' });
  raise('ApiSlow', 'One request in a hundred takes longer than five seconds.', slow, 5_000, 5);
  for (const [name, each] of monitored.receivers) {
    const failed = each.metric('Url5xxCount', { period: minute, statistic: Stats.SUM });
    raise(idOf(name, 'server', 'errors'), `${name} answers webhooks with 5xx: the senders repeat them later.`, failed, 5, 2);
  }
  for (const [name, everyMinutes] of monitored.scheduled) {
    const period = Duration.minutes(5 * everyMinutes);
    const invocations = monitored.functions.get(name)?.metricInvocations({ period, statistic: Stats.SUM });
    const silence = { comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD, treatMissingData: TreatMissingData.BREACHING };
    if (invocations) raise(idOf(name, 'silent'), `${name} is not invoked any more: due work waits.`, invocations, 1, 1, silence);
  }
  raise('SendsLate', 'Scheduled messages are sent more than thirty seconds late.', ofProduct('SendLateness', 'p99'), 30_000, 3);
  raise('SendsAmbiguous', 'The outcome of many sends is unknown: the provider times out.', ofProduct('AmbiguousSends', Stats.SUM), 20, 3);
  raise('TableThrottles', 'The table throttles reads or writes.', monitored.tableThrottles, 0, 3);
  makeDashboard(stack, settings, monitored, alarms);
};

const minute = Duration.minutes(1);

/** A metric that the functions write into their logs. */
function ofProduct(metricName: string, statistic: string): Metric {
  return new Metric({ namespace: 'Switchboard', metricName, statistic, period: minute });
}

/** Throttled reads and writes of the table and of each index, which are separate metrics. */
function tableThrottles(table: TableWithStream): MathExpression {
  const places = [undefined, ...Object.keys(tableSchema.indexes)];
  const metrics = places.flatMap((index) =>
    ['ReadThrottleEvents', 'WriteThrottleEvents'].map(
      (metricName) =>
        new Metric({
          namespace: 'AWS/DynamoDB',
          metricName,
          statistic: Stats.SUM,
          dimensionsMap: { TableName: table.tableName, ...(index ? { GlobalSecondaryIndexName: index } : {}) },
        }),
    ),
  );
  return new MathExpression({
    label: 'Throttled requests',
    expression: `SUM([${metrics.map((_, i) => `FILL(m${i}, 0)`).join(', ')}])`,
    usingMetrics: Object.fromEntries(metrics.map((metric, i) => [`m${i}`, metric])),
    period: minute,
  });
}

function kebab(id: string): string {
  return id.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();
}
