import type { Stack } from 'aws-cdk-lib';
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
import { metricNamespace, minute, productMetric } from './metrics.ts';
import type { MonitoredResources } from './monitored-resources.ts';
import type { Settings } from './settings.ts';

/** One page, from top to bottom: alarms, requests, messages, queues, functions and the table. */
export const makeDashboard = (stack: Stack, settings: Settings, monitored: MonitoredResources, alarms: readonly Alarm[]): void => {
  const { api } = monitored;
  new Dashboard(stack, 'Dashboard', {
    // dashboards belong to the account, not to the region
    dashboardName: `${settings.stackName}-${stack.region}`,
    periodOverride: PeriodOverride.AUTO,
    widgets: [
      slices(alarms, 100).map(
        (some, index, all) =>
          new AlarmStatusWidget({ title: titled('Alarms', index, all.length), alarms: [...some], width: 24, height: 5 }),
      ),
      [title('Requests')],
      graphs({
        Requests: [sum(api.metricCount(), 'requests'), sum(api.metricClientError(), '4xx'), sum(api.metricServerError(), '5xx')],
        'API, milliseconds': ['p50', 'p99'].map((statistic) => api.metricLatency({ period: minute, statistic, label: statistic })),
        'Webhooks in': [...monitored.receivers].flatMap(([name, lambda]) => [
          sum(lambda.metric('UrlRequestCount'), name),
          sum(lambda.metric('Url5xxCount'), `${name} 5xx`),
        ]),
      }),
      [title('Messages and events')],
      graphs({
        'Sends by outcome': [byDimension(settings, 'Sends', 'outcome')],
        'Delay of scheduled sends, milliseconds': ['p50', 'p99'].map((statistic) => productMetric(settings, 'SendLateness', statistic)),
        'Sends with unknown outcome': [productMetric(settings, 'AmbiguousSends', Stats.SUM)],
        'Webhook deliveries by outcome': [byDimension(settings, 'WebhookAttempts', 'outcome')],
      }),
      [title('Queues and change stream')],
      graphs({
        'Oldest message, seconds': each(monitored.queues, ({ queue }, label) =>
          queue.metricApproximateAgeOfOldestMessage({ period: minute, statistic: Stats.MAXIMUM, label }),
        ),
        'Dead letters': each(monitored.deadLetterQueues, (queue, label) =>
          queue.metricApproximateNumberOfMessagesVisible({ period: minute, statistic: Stats.MAXIMUM, label }),
        ),
        'Change stream, milliseconds behind': monitored.stream
          ? [monitored.stream.metric('IteratorAge', { period: minute, statistic: Stats.MAXIMUM, label: 'changes' })]
          : [],
      }),
      [title('Functions')],
      graphs({
        Errors: each(monitored.functions, (lambda, label) => lambda.metricErrors({ period: minute, label })),
        Throttles: each(monitored.functions, (lambda, label) => lambda.metricThrottles({ period: minute, label })),
        Concurrency: each(monitored.functions, (lambda, label) =>
          lambda.metric('ConcurrentExecutions', { period: minute, statistic: Stats.MAXIMUM, label }),
        ),
      }),
      [title('Table')],
      graphs({
        'Capacity units per second': ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits'].map((name) => perSecond(monitored, name)),
        Throttled: [monitored.tableThrottles],
      }),
    ],
  });
};

/** A row of graphs over the whole width. */
const graphs = (row: Readonly<Record<string, readonly IMetric[]>>): IWidget[] =>
  Object.entries(row).map(
    ([name, left]) => new GraphWidget({ title: name, left: [...left], height: 6, width: Math.floor(24 / Object.keys(row).length) }),
  );

const title = (markdown: string): IWidget => new TextWidget({ markdown: `## ${markdown}`, width: 24, height: 1 });

function sum(metric: Metric, label: string): IMetric {
  return metric.with({ period: minute, statistic: Stats.SUM, label });
}

/** One line for each value of a dimension. */
function byDimension(settings: Settings, metricName: string, dimension: string): IMetric {
  return new MathExpression({
    expression: `SEARCH('{"${metricNamespace(settings)}",${dimension}} MetricName="${metricName}"', 'Sum', 60)`,
    usingMetrics: {},
    label: '',
    period: minute,
  });
}

function perSecond({ table }: MonitoredResources, metricName: string): IMetric {
  const dimensionsMap = { TableName: table.tableName };
  const units = new Metric({ namespace: 'AWS/DynamoDB', metricName, statistic: Stats.SUM, period: minute, dimensionsMap });
  // metric ids must be unique within a graph
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
