import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Settings } from './settings.ts';

export const minute = Duration.minutes(1);

/** The namespace of what the product itself measures: one for each stack. */
export const metricNamespace = ({ stackName }: Pick<Settings, 'stackName'>): string => `Switchboard/${stackName}`;

/** A metric that the functions write into their logs (shared/runtime/log.ts), or that a filter counts in them. */
export const productMetric = (settings: Settings, metricName: string, statistic: string, period = minute): Metric =>
  new Metric({ namespace: metricNamespace(settings), metricName, statistic, period });

/** Invocations that ended without an answer: an error, a timeout, memory that ran out. */
export const crashes = 'Crashes';
