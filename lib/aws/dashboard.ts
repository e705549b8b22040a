import { Duration, type Stack } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
  Metric,
  PeriodOverride,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { MonitoredResources } from './alarms.ts';
import type { Settings } from './settings.ts';

/** One page that answers, from top to bottom: is anything wrong, can people call us, do messages go out, does work keep up, does the table. */
export const makeDashboard = (stack: Stack, settings: Settings, watched: MonitoredResources, alarms: readonly Alarm[]): void => {
  const { api } = watched;
  new Dashboard(stack, 'Dashboard', {
    dashboardName: settings.stackName,
    periodOverride: PeriodOverride.AUTO,
    widgets: [
      slices(alarms, 100).map(
        (some, index, all) =>
          new AlarmStatusWidget({ title: titled('Alarms', index, all.length), alarms: [...some], width: 24, height: 5 }),
      ),
      [title('People and machines that call')],
      graphs({
        Requests: [sum(api.metricCount(), 'requests'), sum(api.metricClientError(), '4xx'), sum(api.metricServerError(), '5xx')],
        'API, milliseconds': ['p50', 'p99'].map((statistic) => api.metricLatency({ period: minute, statistic, label: statistic })),
        'Webhooks in': [...watched.receivers].flatMap(([name, lambda]) => [
          sum(lambda.metric('UrlRequestCount'), name),
          sum(lambda.metric('Url5xxCount'), `${name} 5xx`),
        ]),
      }),
      [title('Messages and events')],
      graphs({
        'Sends by outcome': [byDimension('Sends', 'outcome')],
        'Late after their time, milliseconds': ['p50', 'p99'].map((statistic) => product('SendLateness', statistic, statistic)),
        'Sends whose fate stayed unknown': [product('AmbiguousSends', Stats.SUM, 'ambiguous')],
        'Webhooks out by outcome': [byDimension('WebhookAttempts', 'outcome')],
      }),
      [title('Work behind')],
      graphs({
        'Oldest message, seconds': each(watched.queues, (queue, label) =>
          queue.metricApproximateAgeOfOldestMessage({ period: minute, statistic: Stats.MAXIMUM, label }),
        ),
        'Given up': each(watched.dead, (queue, label) =>
          queue.metricApproximateNumberOfMessagesVisible({ period: minute, statistic: Stats.MAXIMUM, label }),
        ),
        'Change stream, milliseconds behind': watched.stream
          ? [watched.stream.metric('IteratorAge', { period: minute, statistic: Stats.MAXIMUM, label: 'changes' })]
          : [],
      }),
      [title('Functions')],
      graphs({
        Errors: each(watched.functions, (lambda, label) => lambda.metricErrors({ period: minute, label })),
        Throttles: each(watched.functions, (lambda, label) => lambda.metricThrottles({ period: minute, label })),
        'At once': each(watched.functions, (lambda, label) =>
          lambda.metric('ConcurrentExecutions', { period: minute, statistic: Stats.MAXIMUM, label }),
        ),
      }),
      [title('Table')],
      graphs({
        'Units a second': ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits'].map((name) => perSecond(watched, name)),
        Throttled: [watched.tableThrottles],
      }),
    ],
  });
};

const minute = Duration.minutes(1);

/** Graphs beside each other, over the whole width. */
const graphs = (row: Readonly<Record<string, readonly IMetric[]>>): IWidget[] =>
  Object.entries(row).map(
    ([name, left]) => new GraphWidget({ title: name, left: [...left], height: 6, width: Math.floor(24 / Object.keys(row).length) }),
  );

const title = (markdown: string): IWidget => new TextWidget({ markdown: `## ${markdown}`, width: 24, height: 1 });

function sum(metric: Metric, label: string): IMetric {
  return metric.with({ period: minute, statistic: Stats.SUM, label });
}

/** A metric that the functions write into their logs (shared/runtime/log.ts). */
function product(metricName: string, statistic: string, label: string): Metric {
  return new Metric({ namespace: 'Switchboard', metricName, statistic, period: minute, label });
}

/** One line for each value that a dimension has taken. */
function byDimension(metricName: string, dimension: string): IMetric {
  return new MathExpression({
    expression: `SEARCH('{Switchboard,${dimension}} MetricName="${metricName}"', 'Sum', 60)`,
    usingMetrics: {},
    label: '',
    period: minute,
  });
}

function perSecond({ table }: MonitoredResources, metricName: string): IMetric {
  const dimensionsMap = { TableName: table.tableName };
  const units = new Metric({ namespace: 'AWS/DynamoDB', metricName, statistic: Stats.SUM, period: minute, dimensionsMap });
  // a graph knows its metrics by id, so each of its expressions needs another
  const id = `of${metricName}`;
  return new MathExpression({ expression: `${id} / PERIOD(${id})`, usingMetrics: { [id]: units }, label: metricName, period: minute });
}

function each<T>(things: ReadonlyMap<string, T>, metricOf: (thing: T, name: string) => IMetric): IMetric[] {
  return [...things].map(([name, thing]) => metricOf(thing, name));
}

function slices<T>(things: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(things.length / size) }, (_, i) => things.slice(i * size, i * size + size));
}

function titled(name: string, index: number, of: number): string {
  return of === 1 ? name : `${name} ${index + 1} of ${of}`;
}
