import { ArnFormat, Fn, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, Function as Lambda, type IFunction, type IVersion, type VersionOptions } from 'aws-cdk-lib/aws-lambda';
import { idOf } from './naming.ts';
import type { Settings } from './settings.ts';

/** What leads to a function leads to this alias of it, never to code that a deploy is still changing. See docs/decisions/releases.md. */
export const liveAlias = 'live';

/**
 * Versions of before stay, to go back to by hand, and go with their function. One that a failed deploy made goes: Lambda publishes the same
 * code and settings once, and the next deploy could not make it again.
 */
export const versionOptions: VersionOptions = { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE };

// of the function and not of its versions: a deploy that changes nothing else would request a version that Lambda has already
Lambda.classifyVersionProperty('RecursiveLoop', false);

/** Publishes a function as this deploy has it, code and settings in one, and leads its alias there. */
export const release = (stack: Stack, name: string, lambda: Lambda): Live =>
  new Alias(stack, idOf(name, liveAlias), { aliasName: liveAlias, version: lambda.currentVersion as IVersion }) as Live;

/** An alias as the function that it is: under exact optional properties the CDK's types do not fit one another. */
export type Live = Alias & IFunction;

/**
 * With the setting `gradual`: an alias goes to its next version by a tenth of the calls a minute, and back when one of the alarms rings; then
 * the deploy fails, and CloudFormation takes back the rest of it.
 */
export const shiftGradually = (
  stack: Stack,
  { stackName, gradual }: Settings,
  aliases: ReadonlyMap<string, Live>,
  alarms: readonly IAlarm[],
): void => {
  if (!gradual) return;
  const application = new LambdaApplication(stack, 'Releases', { applicationName: stackName });
  // by name: functions know the addresses of others, which wait for their aliases, which wait for this role
  const functions = [...aliases.keys()].map((name) => `${stackName}-${name}`);
  const role = new Role(stack, 'ReleasesRole', {
    assumedBy: new ServicePrincipal('codedeploy.amazonaws.com', { conditions: { StringEquals: { 'aws:SourceAccount': stack.account } } }),
    inlinePolicies: {
      shift: new PolicyDocument({
        statements: [
          new PolicyStatement({
            actions: ['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias'],
            resources: functions.flatMap((name) => [lambdaArn(name), lambdaArn(`${name}:${liveAlias}`)]),
          }),
          new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: [allAlarms(stack)] }),
        ],
      }),
    },
  });
  for (const [name, alias] of aliases)
    new LambdaDeploymentGroup(stack, idOf(name, 'release'), {
      application,
      alias,
      deploymentGroupName: name,
      deploymentConfig: LambdaDeploymentConfig.LINEAR_10PERCENT_EVERY_1MINUTE,
      alarms: [...alarms],
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      // CDK would add a policy of AWS, with any function and files of any bucket
      role: role.withoutPolicyUpdates(),
    });
};

/** In one text: there are many of them in one policy, which has a length. */
const lambdaArn = (name: string): string => Fn.sub(`arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:${name}`);

/** CodeDeploy looks at several alarms in one call, which is about all of them: it learns their state and changes none. */
const allAlarms = (stack: Stack): string =>
  stack.formatArn({ service: 'cloudwatch', resource: 'alarm', resourceName: '*', arnFormat: ArnFormat.COLON_RESOURCE_NAME });
