import { Duration, type Stack } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { ScheduleFunction } from '../../shared/contract/context.ts';
import { idOf } from './naming.ts';
import type { Settings } from './settings.ts';

/**
 * Invokes a function every few minutes. The scheduler invokes asynchronously, so Lambda would repeat a failed tick twice and keep a throttled
 * one for six hours: ticks would pile up. Neither is kept beyond its interval, because the next tick continues from the function's watermark.
 */
export const attachSchedule = (stack: Stack, settings: Settings, spec: ScheduleFunction, target: IFunction): void => {
  const { name, purpose, everyMinutes } = spec.schedule;
  target.configureAsyncInvoke({ maxEventAge: Duration.seconds(60), retryAttempts: 0 });
  const role = new Role(stack, idOf(name, 'schedule', 'role'), {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', { conditions: { StringEquals: { 'aws:SourceAccount': stack.account } } }),
    inlinePolicies: {
      invoke: new PolicyDocument({
        statements: [new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [target.functionArn] })],
      }),
    },
  });
  new CfnSchedule(stack, idOf(name, 'schedule'), {
    name: `${settings.stackName}-${name}`,
    description: purpose,
    scheduleExpression: `rate(${everyMinutes} ${everyMinutes === 1 ? 'minute' : 'minutes'})`,
    flexibleTimeWindow: { mode: 'OFF' },
    target: {
      arn: target.functionArn,
      roleArn: role.roleArn,
      retryPolicy: { maximumEventAgeInSeconds: Math.max(60, everyMinutes * 60), maximumRetryAttempts: 3 },
    },
  });
};
