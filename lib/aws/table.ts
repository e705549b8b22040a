import { RemovalPolicy, type Stack } from 'aws-cdk-lib';
import {
  type Attribute,
  AttributeType,
  Billing,
  type CfnGlobalTable,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { FunctionSpec } from '../../shared/contract/context.ts';
import {
  auditPartition,
  countedOfCredential,
  type ProtectedEntity,
  protectedPartitions,
  type TableAction,
} from '../../shared/contract/resource.ts';
import { restoredCopyPartition } from '../../shared/table/restored-copy.ts';
import { tableSchema } from '../../shared/table/schema.ts';
import type { Settings } from './settings.ts';

/** The stack's table, or a restored one. */
export interface TableWithStream {
  readonly tableName: string;
  readonly tableArn: string;
  readonly tableStreamArn?: string | undefined;
}

/**
 * The table from its schema: on demand, with point-in-time recovery and a stream with both images. After a restore, the restored table takes
 * its place (docs/operate.md).
 */
export const makeTable = (stack: Stack, settings: Settings): TableWithStream =>
  settings.restoredTable ? restoredTable(stack, settings.restoredTable, settings.restoredStream) : newTable(stack, settings);

function restoredTable(stack: Stack, tableName: string, streamLabel: string | undefined): TableWithStream {
  if (!streamLabel) throw new Error('restoredTable needs restoredStream, the label of its new stream: 2026-11-21T12:00:00.000.');
  const tableArn = stack.formatArn({ service: 'dynamodb', resource: 'table', resourceName: tableName });
  return TableV2.fromTableAttributes(stack, 'RestoredTable', { tableArn, tableStreamArn: `${tableArn}/stream/${streamLabel}` });
}

const newTable = (stack: Stack, settings: Settings): TableV2 => {
  const table = new TableV2(stack, 'Table', {
    partitionKey: text(tableSchema.partitionKey),
    sortKey: text(tableSchema.sortKey),
    globalSecondaryIndexes: Object.entries(tableSchema.indexes).map(([indexName, index]) => ({
      indexName,
      partitionKey: text(index.partitionKey),
      sortKey: text(index.sortKey),
      projectionType: ProjectionType[index.projection],
    })),
    billing: Billing.onDemand(),
    timeToLiveAttribute: tableSchema.ttl,
    dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: settings.backupDays },
    encryption: TableEncryptionV2.awsManagedKey(),
    deletionProtection: settings.keepData,
    // also after a first deploy that failed: a protected table cannot be deleted, and would hold up the way back
    removalPolicy: settings.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
  // TableV2 takes replicas in a stack that names its region alone, and this one is for any
  for (const [index, region] of settings.replicaRegions.entries())
    (table.node.defaultChild as CfnGlobalTable).addPropertyOverride(`Replicas.${index + 1}`, {
      Region: region,
      DeletionProtectionEnabled: settings.keepData,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: settings.backupDays },
    });
  return table;
};

/** The restored copy that the stack uses, by its table and stream: restored again under the same name it is another. */
export const copyOf = ({
  restoredTable: table,
  restoredStream: stream,
}: Pick<Settings, 'restoredTable' | 'restoredStream'>): string | undefined => (table === undefined ? undefined : `${table}/${stream}`);

/** Each function of a stack on a restored table reads whether that is open (shared/table/restored-copy.ts). */
export const restoredCopyStatements = (table: TableWithStream, settings: Settings): PolicyStatement[] =>
  copyOf(settings) === undefined
    ? []
    : [
        new PolicyStatement({
          actions: ['dynamodb:GetItem'],
          resources: [table.tableArn],
          conditions: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [restoredCopyPartition] } },
        }),
      ];

/** Permits exactly the declared actions, and queries of the indexes where Query is declared. */
export const tableStatements = (table: TableWithStream, actions: readonly TableAction[]): PolicyStatement[] => {
  const statements = [new PolicyStatement({ actions: actions.map((action) => `dynamodb:${action}`), resources: [table.tableArn] })];
  if (actions.includes('Query')) {
    const indexes = Object.keys(tableSchema.indexes).map((name) => `${table.tableArn}/index/${name}`);
    statements.push(new PolicyStatement({ actions: ['dynamodb:Query'], resources: indexes }));
  }
  return statements;
};

/**
 * Denies the declared writes to protected partitions that the function does not mint, whatever else its role permits. A call may still
 * count itself in its credential: of that item an update is denied where it names anything else.
 * Audit entries are added by the stream consumer, and changed by no function.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
 */
export const protectedStatements = (
  table: TableWithStream,
  actions: readonly TableAction[],
  { mints = [], trigger }: Pick<FunctionSpec, 'mints' | 'trigger'>,
): PolicyStatement[] => {
  const held = (Object.keys(protectedPartitions) as ProtectedEntity[]).filter((name) => !mints.includes(name));
  const deny = (denied: readonly TableAction[], keys: readonly string[], more: Record<string, unknown> = {}): PolicyStatement[] => {
    const declared = denied.filter((action) => actions.includes(action));
    if (declared.length === 0 || keys.length === 0) return [];
    return [
      new PolicyStatement({
        effect: Effect.DENY,
        actions: declared.map((action) => `dynamodb:${action}`),
        resources: [table.tableArn],
        conditions: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': [...keys] }, ...more },
      }),
    ];
  };
  const keysOf = (names: readonly ProtectedEntity[]): string[] => names.map((name) => `${protectedPartitions[name]}*`);
  const others = keysOf(held.filter((name) => name !== 'credential'));
  const { everyCompany } = auditPartition;
  return [
    ...deny(['PutItem', 'PartiQLInsert'], trigger === 'stream' ? keysOf(held) : [...keysOf(held), everyCompany]),
    ...deny(['DeleteItem'], [...keysOf(held), everyCompany]),
    ...deny(['UpdateItem', 'PartiQLUpdate'], [...others, everyCompany]),
    ...(held.includes('credential')
      ? deny(['UpdateItem', 'PartiQLUpdate'], keysOf(['credential']), {
          'ForAnyValue:StringNotLike': { 'dynamodb:Attributes': [...countedOfCredential] },
        })
      : []),
  ];
};

function text(name: string): Attribute {
  return { name, type: AttributeType.STRING };
}
