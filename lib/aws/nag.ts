import { type App, Stack, Validations } from 'aws-cdk-lib';
import { CfnRoute } from 'aws-cdk-lib/aws-apigatewayv2';
import { CfnDistribution } from 'aws-cdk-lib/aws-cloudfront';
import { CfnGlobalTable } from 'aws-cdk-lib/aws-dynamodb';
import { CfnRole } from 'aws-cdk-lib/aws-iam';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnBucket } from 'aws-cdk-lib/aws-s3';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import { backupPolicy } from './backups.ts';

/**
 * Checks the app with cdk-nag's AWS Solutions pack at synthesis. A finding without a suppression below stops it. Each suppression is for one
 * finding of one kind of construct; test/wiring checks that no other wildcard is covered by one.
 */
export const checkWithNag = (app: App): Suppression[] => {
  const constructs = app.node.findAll();
  const suppressions = findingsAccepted(constructs).map(({ about, ...finding }) => {
    const places = constructs.filter(about);
    for (const place of places) Validations.of(place).acknowledge(finding);
    return { ...finding, places: places.length };
  });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return suppressions;
};

export interface Suppression {
  id: string;
  reason: string;
  places: number;
}

interface Accepted {
  id: string;
  reason: string;
  about: (construct: IConstruct) => boolean;
}

const ofDistributions = [
  ['CFR1', 'Users of a company may be anywhere; which countries may not is the operator’s to add.'],
  ['CFR2', 'A web application firewall costs by the request; the API counts refused credentials by address itself (docs/operate.md).'],
  ['CFR3', 'The API logs each call; the pages are the same files for everybody, and hold no data.'],
  ['CFR4', 'Without a siteDomainName AWS fixes the protocols of its own name; with one they are TLS 1.2 and later.'],
] as const;

function findingsAccepted(constructs: readonly IConstruct[]): Accepted[] {
  const isRole = (construct: IConstruct): boolean => construct instanceof CfnRole;
  const policies = new Map(
    constructs.filter(isRole).map((role) => [role, JSON.stringify(Stack.of(role).resolve((role as CfnRole).policies))]),
  );
  return [
    {
      id: 'AwsSolutions::AwsSolutions-APIG4',
      reason:
        'Functions authenticate callers with one conditional write to the credential, which also counts the request: a revoked token fails ' +
        'on the next request. An API Gateway authorizer would be a second look-up, or a stale cache.',
      about: (construct) => construct instanceof CfnRoute,
    },
    {
      id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
      reason: 'xray:PutTraceSegments and xray:PutTelemetryRecords support no resource; no other statement is this wide.',
      about: isRole,
    },
    {
      id: 'AwsSolutions::AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:cloudwatch:<AWS::Region>:<AWS::AccountId>:alarm:*]',
      reason:
        'CodeDeploy looks at several alarms in one call, which AWS permits for all alarms or for none; the role reads their state and changes none.',
      about: (construct) => isRole(construct) && construct.node.path.includes('/ReleasesRole/'),
    },
    {
      id: 'AwsSolutions::AwsSolutions-SMG4',
      reason:
        'The sealing key is rotated by the operator (docs/operate.md): the old key must stay in the secret until everything sealed with ' +
        'it is sealed anew, which a rotation by the calendar cannot know. The secret of the distribution of the pages is a header between two ' +
        'resources of this stack, which a rotation by Lambda could not change in both.',
      about: (construct) => construct instanceof CfnSecret,
    },
    {
      id: 'AwsSolutions::AwsSolutions-SQS3',
      reason: 'It is the dead-letter queue of the stream, which names it in its own settings and not in a redrive policy.',
      about: (construct) => construct instanceof CfnQueue && construct.node.path.endsWith('ChangesDead/Resource'),
    },
    {
      id: `AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/${backupPolicy}]`,
      reason:
        'AWS Backup alone assumes this role; what it needs to back a table up and copy it changes with the service, and AWS states it in this policy.',
      about: (construct) => isRole(construct) && construct.node.path.includes('/BackupRole/'),
    },
    {
      id: 'AwsSolutions::AwsSolutions-S1',
      reason:
        'Files are reached by signed URLs alone: 15 minutes to read, an hour to upload one file of the announced size. The log has each URL ' +
        'that is given to a caller, with the object and the request; access logs would be a second store of who fetched which file.',
      about: (construct) => construct instanceof CfnBucket,
    },
    ...ofDistributions.map(([id, reason]) => ({
      id: `AwsSolutions::AwsSolutions-${id}`,
      reason,
      about: (construct: IConstruct) => construct instanceof CfnDistribution,
    })),
    ...constructs.flatMap(functionLogs).map((name) => ({
      id: `AwsSolutions::AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:logs:<AWS::Region>:<AWS::AccountId>:log-group:${name}:*]`,
      reason: 'A function writes to streams of its own log group, whose names Lambda chooses; its role names that group alone.',
      about: (construct: IConstruct) => policies.get(construct)?.includes(`:${name}:*`) === true,
    })),
    ...constructs.filter(isBucket).map((bucket) => ({
      id: `AwsSolutions::AwsSolutions-IAM5[Resource::<${logicalId(bucket)}.Arn>/*]`,
      reason: 'Names of files are chosen at run time; the role may get or put files of this bucket, and neither list nor delete.',
      about: isRole,
    })),
    ...constructs.filter(isTable).map((table) => ({
      id: `AwsSolutions::AwsSolutions-IAM5[Resource::<${logicalId(table)}.Arn>/stream/*]`,
      reason: 'dynamodb:ListStreams, which Lambda needs to find the stream, is about all streams of a table: this one, which has one.',
      about: isRole,
    })),
  ];
}

/** The name of a function's log group. */
function functionLogs(construct: IConstruct): string[] {
  const name = construct instanceof CfnLogGroup ? construct.logGroupName : undefined;
  return name?.startsWith('/aws/lambda/') ? [name] : [];
}

function isBucket(construct: IConstruct): construct is CfnBucket {
  return construct instanceof CfnBucket;
}

function isTable(construct: IConstruct): construct is CfnGlobalTable {
  return construct instanceof CfnGlobalTable;
}

function logicalId(construct: CfnBucket | CfnGlobalTable): string {
  return String(Stack.of(construct).resolve(construct.logicalId));
}
