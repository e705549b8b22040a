import type { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnConfigurationSet } from 'aws-cdk-lib/aws-ses';
import type { Settings } from './settings.ts';

/**
 * How SES sends: it keeps addresses that bounced or complained on the account's suppression list and sends to them no more, and measures both,
 * because it stops a sender of too many: https://docs.aws.amazon.com/ses/latest/dg/reputationdashboardmessages.html
 */
export const makeConfigurationSet = (stack: Stack, { stackName }: Settings): CfnConfigurationSet =>
  new CfnConfigurationSet(stack, 'Email', {
    name: stackName,
    suppressionOptions: { suppressedReasons: ['BOUNCE', 'COMPLAINT'] },
    reputationOptions: { reputationMetricsEnabled: true },
  });

/** SES verifies a sender by its domain or by its address, and checks either. */
export const emailStatement = (stack: Stack, { emailFrom: sender, stackName }: Settings): PolicyStatement => {
  const identities = [sender, sender.slice(sender.indexOf('@') + 1)];
  return new PolicyStatement({
    actions: ['ses:SendEmail'],
    resources: [
      ...identities.map((resourceName) => stack.formatArn({ service: 'ses', resource: 'identity', resourceName })),
      stack.formatArn({ service: 'ses', resource: 'configuration-set', resourceName: stackName }),
    ],
  });
};
