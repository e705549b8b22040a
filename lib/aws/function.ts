import { Duration, RemovalPolicy, type Stack, type NestedStack } from 'aws-cdk-lib';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  type Code,
  Function as Lambda,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { siteUrlVariable } from '../../shared/access/session.ts';
import type { FunctionSpec } from '../../shared/contract/context.ts';
import {
  metricNamespaceVariable,
  restoredTableVariable,
  type TableAction,
  tableVariable,
  type Use,
  variableOf,
} from '../../shared/contract/resource.ts';
import { doorbellPublishVariable } from '../../shared/contract/doorbell.ts';
import { entranceHashVariable, ownEntranceVariable } from '../../shared/http/entrance.ts';
import { duePartitionsVariable } from '../../shared/table/due.ts';
import { publishStatement } from './bus.ts';
import type { Doorbell } from './doorbell.ts';
import { emailStatement } from './email.ts';
import { bucketStatement } from './media.ts';
import { crashes, metricNamespace } from './metrics.ts';
import { idOf } from './naming.ts';
import { sendStatement } from './queues.ts';
import { versionOptions } from './releases.ts';
import { readSecretStatement } from './secrets.ts';
import type { Settings } from './settings.ts';
import { copyOf, protectedStatements, restoredCopyStatements, tableStatements, type TableWithStream } from './table.ts';

/** The constructs that functions use, by declared name. */
export interface Resources {
  table: TableWithStream;
  queues: ReadonlyMap<string, Queue>;
  buses: ReadonlyMap<string, EventBus>;
  secrets: ReadonlyMap<string, Secret>;
  buckets: ReadonlyMap<string, Bucket>;
  /** Where the deployment has one. */
  doorbell?: Doorbell;
}

export interface FunctionOptions {
  code: Code;
  /** The stack that holds the log groups. */
  logs: NestedStack;
  /** Permissions of its event source, beyond those that the function declares. */
  sourceStatements: readonly PolicyStatement[];
  /** The API's URL, for links. */
  publicBaseUrl: string;
  /** Where CloudFront serves the pages, if it does. */
  siteUrl: string | undefined;
  /** By which the stack's own distributions show themselves. */
  entranceSecret: string | undefined;
  /** It sends messages to itself on purpose, directly or through other queues. */
  cyclic: boolean;
  /** Undefined: of what the account has left. */
  reservedConcurrency: number | undefined;
}

/** A function with its own role, which permits what the function declares under `uses` and nothing else. */
export const makeFunction = (
  stack: Stack,
  settings: Settings,
  resources: Resources,
  spec: FunctionSpec,
  { code, logs, sourceStatements, cyclic, reservedConcurrency, publicBaseUrl, siteUrl, entranceSecret }: FunctionOptions,
): Lambda => {
  const functionName = `${settings.stackName}-${spec.name}`;
  const logGroupName = `/aws/lambda/${functionName}`;
  const ownLogs = new LogGroup(logs, idOf(spec.name, 'logs'), {
    logGroupName,
    retention: settings.logRetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  // Lambda's own count of errors is a metric of each function; this one is of all of them
  ownLogs.addMetricFilter(idOf(crashes), {
    filterPattern: FilterPattern.literal('{ $.type = "platform.report" && $.record.status != "success" }'),
    metricNamespace: metricNamespace(settings),
    metricName: crashes,
    metricValue: '1',
  });
  // by name: a reference to the nested stack would add an output and a parameter per function
  const logGroup = LogGroup.fromLogGroupName(stack, idOf(spec.name, 'log', 'group'), logGroupName);
  const role = new Role(stack, idOf(spec.name, 'role'), {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: {
      uses: new PolicyDocument({
        minimize: true,
        statements: [
          new PolicyStatement({ actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [logGroup.logGroupArn] }),
          ...(settings.tracing ? [traceStatement()] : []),
          ...sourceStatements,
          ...spec.uses.flatMap((use) => statementsFor(stack, settings, resources, use)),
          ...(resources.doorbell && spec.settings?.[doorbellPublishVariable] !== undefined ? [resources.doorbell.publishes] : []),
          ...restoredCopyStatements(resources.table, settings),
          ...protectedStatements(resources.table, tableActionsOf(spec), spec),
        ],
      }),
    },
  });
  const lambda = new Lambda(stack, idOf(spec.name), {
    functionName,
    code,
    handler: 'main.handler',
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    // CDK would add a second policy for tracing, which the role already permits
    role: role.withoutPolicyUpdates(),
    memorySize: spec.memoryMb ?? 1_024,
    timeout: Duration.seconds(timeoutOf(spec)),
    ...(settings.tracing ? { tracing: Tracing.ACTIVE } : {}),
    loggingFormat: LoggingFormat.JSON,
    // of Lambda's own lines, a kilobyte for each invocation, only those about failures
    systemLogLevelV2: SystemLogLevel.WARN,
    logGroup,
    environment: environmentOf(settings, resources, spec, { publicBaseUrl, siteUrl, entranceSecret }),
    ...(reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: reservedConcurrency }),
    ...(cyclic ? { recursiveLoop: RecursiveLoop.ALLOW } : {}),
    currentVersionOptions: versionOptions,
  });
  lambda.node.addDependency(logs);
  return lambda;
};

/** X-Ray actions support no resource: https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsx-ray.html */
const traceStatement = (): PolicyStatement =>
  new PolicyStatement({ actions: ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'], resources: ['*'] });

/** In seconds: as declared, else the usual of its trigger. */
export const timeoutOf = (spec: FunctionSpec): number => {
  if (spec.timeoutSeconds !== undefined) return spec.timeoutSeconds;
  switch (spec.trigger) {
    case 'http':
      return 29;
    case 'queue':
      return spec.queue.workSeconds;
    case 'stream':
    case 'schedule':
      return 60;
    case 'authorizer':
      return 10;
  }
};

const tableActionsOf = ({ uses }: FunctionSpec): TableAction[] => uses.flatMap((use) => (use.resource === 'table' ? [...use.actions] : []));

function environmentOf(
  settings: Settings,
  resources: Resources,
  spec: FunctionSpec,
  { publicBaseUrl, siteUrl, entranceSecret }: Pick<FunctionOptions, 'publicBaseUrl' | 'siteUrl' | 'entranceSecret'>,
): Record<string, string> {
  const chosen: Record<string, string | undefined> = {
    ...settings.functionSettings,
    PROVIDER_BASE_URL: settings.providerBaseUrl,
    PROVIDER_VERSION: settings.providerVersion,
    EMAIL_FROM: settings.emailFrom,
    PUBLISH_EVENTS: String(settings.publishEvents),
    ...resources.doorbell?.variables,
  };
  const declared = Object.entries(spec.settings ?? {}).map(([name, byDefault]) => [name, chosen[name] ?? byDefault] as const);
  return {
    NODE_OPTIONS: '--enable-source-maps',
    [metricNamespaceVariable]: metricNamespace(settings),
    // workers make the links in emails, and have no request of a caller to take the address from
    PUBLIC_BASE_URL: publicBaseUrl,
    ...restoredVariables(settings, resources),
    ...Object.assign({}, ...spec.uses.map((use) => variablesFor(settings, resources, use))),
    ...(spec.trigger === 'http' && settings.entranceSecretHash ? { [entranceHashVariable]: settings.entranceSecretHash } : {}),
    // under which other name pages call, passkeys are bound to, and emails lead to pages: no request says it
    ...((spec.trigger === 'http' || sendsEmail(spec)) && siteUrl !== undefined ? { [siteUrlVariable]: siteUrl } : {}),
    ...(spec.trigger === 'http' && entranceSecret !== undefined ? { [ownEntranceVariable]: entranceSecret } : {}),
    // a worker changes when a message of its own queue comes back
    ...(spec.trigger === 'queue' ? variablesFor(settings, resources, { resource: 'queue', queue: spec.queue }) : {}),
    ...Object.fromEntries(declared),
  };
}

const sendsEmail = ({ uses }: FunctionSpec): boolean => uses.some(({ resource }) => resource === 'email');

/** By these a function knows that its table is a restored copy, and reads whether it is open. */
function restoredVariables(settings: Settings, { table }: Resources): Record<string, string> {
  const copy = copyOf(settings);
  return copy === undefined ? {} : { [restoredTableVariable]: copy, [tableVariable]: table.tableName };
}

function variablesFor(settings: Settings, resources: Resources, use: Use): Record<string, string> {
  switch (use.resource) {
    case 'table':
      return { [tableVariable]: resources.table.tableName, [duePartitionsVariable]: String(settings.duePartitions) };
    case 'queue':
      return { [variableOf(use.queue)]: made(resources.queues, use.queue.name).queueUrl };
    case 'bus':
      return { [variableOf(use.bus)]: made(resources.buses, use.bus.name).eventBusName };
    case 'secret':
      return { [variableOf(use.secret)]: made(resources.secrets, use.secret.name).secretArn };
    case 'bucket':
      return { [variableOf(use.bucket)]: made(resources.buckets, use.bucket.name).bucketName };
    case 'email':
      return { EMAIL_FROM: settings.emailFrom, EMAIL_CONFIGURATION_SET: settings.stackName };
  }
}

function statementsFor(stack: Stack, settings: Settings, resources: Resources, use: Use): PolicyStatement[] {
  switch (use.resource) {
    case 'table':
      return tableStatements(resources.table, use.actions);
    case 'queue':
      return [sendStatement(made(resources.queues, use.queue.name))];
    case 'bus':
      return [publishStatement(made(resources.buses, use.bus.name))];
    case 'secret':
      return [readSecretStatement(made(resources.secrets, use.secret.name))];
    case 'bucket':
      return [bucketStatement(made(resources.buckets, use.bucket.name), use.actions)];
    case 'email':
      return [emailStatement(stack, settings)];
  }
}

function made<T>(things: ReadonlyMap<string, T>, name: string): T {
  const thing = things.get(name);
  if (thing === undefined) throw new Error(`${name} is used but not declared.`);
  return thing;
}
