import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as Lambda, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { CfnConfigurationSet } from 'aws-cdk-lib/aws-ses';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { TableWithStream } from './table.ts';

/** The resources that have alarms and graphs, by declared name. */
export interface MonitoredResources {
  api: HttpApi;
  table: TableWithStream;
  functions: ReadonlyMap<string, Lambda>;
  /** Functions with a URL of their own, for webhooks of the provider and of shops. */
  receivers: ReadonlyMap<string, IFunction>;
  /** The interval of scheduled functions that must not stay away, in minutes. */
  scheduled: ReadonlyMap<string, number>;
  tableThrottles: IMetric;
  /** The consumer of the change stream. */
  stream: Lambda | undefined;
  queues: ReadonlyMap<string, MonitoredQueue>;
  /** That of all queues, and that of the change stream. */
  deadLetterQueues: ReadonlyMap<string, Queue>;
  /** How SES sends; undefined where no function sends emails. */
  email: CfnConfigurationSet | undefined;
}

export interface MonitoredQueue {
  queue: Queue;
  /** The age of its oldest message at which customers wait; undefined: no alarm. */
  lateAfterSeconds: number | undefined;
}
