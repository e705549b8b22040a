import type { Stack } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { ScheduleFunction } from '../../shared/contract/context.ts';
import { idOf } from './naming.ts';
import type { Settings } from './settings.ts';

/**
 * Invokes a function every few minutes. A failed invocation is repeated only within its interval: the next one catches up from the
 * function's own watermark.
 */
export const attachSchedule = (stack: Stack, settings: Settings, spec: ScheduleFunction, target: IFunction, deadLetters: Queue): void => {
  const { name, purpose, everyMinutes } = spec.schedule;
  const role = new Role(stack, idOf(name, 'schedule', 'role'), {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', { conditions: { StringEquals: { 'aws:SourceAccount': stack.account } } }),
    inlinePolicies: {
      invoke: new PolicyDocument({
        statements: [
          new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [target.functionArn] }),
          new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [deadLetters.queueArn] }),
        ],
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
      deadLetterConfig: { arn: deadLetters.queueArn },
    },
  });
};
