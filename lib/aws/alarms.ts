import { Duration, NestedStack, type Stack } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
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
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { tableSchema } from '../../shared/table/schema.ts';
import { makeDashboard } from './dashboard.ts';
import { idOf } from './naming.ts';
import type { Settings } from './settings.ts';
import type { TableWithStream } from './table.ts';

export interface MonitoredResources {
  api: HttpApi;
  table: TableWithStream;
  /** By declared name. */
  functions: ReadonlyMap<string, Lambda>;
  /** Those that answer at an address of their own: webhooks of the provider and of shops. */
  receivers: ReadonlyMap<string, Lambda>;
  /** Woken by a schedule: how often, minutes. */
  scheduled: ReadonlyMap<string, number>;
  tableThrottles: IMetric;
  /** The stream's reader, if there is one. */
  stream: Lambda | undefined;
  /** Queues that somebody works off, and the dead-letter queues of everything, by declared name. */
  queues: ReadonlyMap<string, Queue>;
  dead: ReadonlyMap<string, Queue>;
}

/** One topic for all alarms. */
export const makeTopic = (stack: Stack, settings: Settings): Topic => {
  const topic = new Topic(stack, 'Alarm', { topicName: `${settings.stackName}-alarms`, enforceSSL: true });
  if (settings.alarmEmail) topic.addSubscription(new EmailSubscription(settings.alarmEmail));
  return topic;
};

/**
 * An alarm for whatever hurts a customer, derived from what there is. They are a nested stack, because with every function's and every
 * queue's own they would bring the product near the 500 resources that CloudFormation allows in one.
 */
export const addAlarms = (parent: Stack, settings: Settings, topic: Topic, seen: Omit<MonitoredResources, 'tableThrottles'>): void => {
  const stack = new NestedStack(parent, 'Alarms');
  const watched: MonitoredResources = { ...seen, tableThrottles: tableThrottles(seen.table) };
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

  for (const [name, queue] of watched.queues) {
    const age = queue.metricApproximateAgeOfOldestMessage({ period: minute, statistic: Stats.MAXIMUM });
    raise(idOf(name, 'queue', 'age'), `Work on ${name} waits longer than five minutes.`, age, 300, 3);
  }
  for (const [name, queue] of watched.dead) {
    const waiting = queue.metricApproximateNumberOfMessagesVisible({ period: minute, statistic: Stats.MAXIMUM });
    raise(idOf(name, 'dead', 'letters'), `Work of ${name} was given up: see "Dead letters" in docs/operate.md.`, waiting, 0);
  }
  for (const [name, each] of watched.functions) {
    raise(idOf(name, 'errors'), `${name} fails: its log says why.`, each.metricErrors({ period: minute }), 0, 3);
    raise(idOf(name, 'throttles'), `${name} finds no free concurrency.`, each.metricThrottles({ period: minute }), 0, 3);
  }
  if (watched.stream) {
    const age = watched.stream.metric('IteratorAge', { period: minute, statistic: Stats.MAXIMUM });
    raise('StreamAge', 'The consequences of changes come more than a minute late.', age, 60_000, 3);
  }
  raise('ApiServerErrors', 'The API answers 5xx.', watched.api.metricServerError({ period: minute, statistic: Stats.SUM }), 5, 2);
  const slow = watched.api.metricLatency({ period: minute, statistic: 'p99' });
  raise('ApiSlow', 'One call in a hundred takes longer than five seconds.', slow, 5_000, 5);
  for (const [name, each] of watched.receivers) {
    const failed = each.metric('Url5xxCount', { period: minute, statistic: Stats.SUM });
    raise(idOf(name, 'server', 'errors'), `${name} answers webhooks with 5xx: they come again, later.`, failed, 5, 2);
  }
  for (const [name, everyMinutes] of watched.scheduled) {
    const period = Duration.minutes(5 * everyMinutes);
    const woken = watched.functions.get(name)?.metricInvocations({ period, statistic: Stats.SUM });
    const silence = { comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD, treatMissingData: TreatMissingData.BREACHING };
    if (woken) raise(idOf(name, 'silent'), `${name} is not woken any more: what is due waits.`, woken, 1, 1, silence);
  }
  raise('SendsLate', 'Scheduled messages go out more than thirty seconds late.', ofProduct('SendLateness', 'p99'), 30_000, 3);
  raise('SendsAmbiguous', 'The provider leaves the fate of many sends open.', ofProduct('AmbiguousSends', Stats.SUM), 20, 3);
  raise('TableThrottles', 'The table refuses reads or writes.', watched.tableThrottles, 0, 3);
  makeDashboard(stack, settings, watched, alarms);
};

const minute = Duration.minutes(1);

/** A metric that the functions write into their logs. */
function ofProduct(metricName: string, statistic: string): Metric {
  return new Metric({ namespace: 'Switchboard', metricName, statistic, period: minute });
}

/** Throttled reads and writes of the table and of each index: each is a metric of its own. */
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
