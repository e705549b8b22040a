import { RemovalPolicy, type Stack } from 'aws-cdk-lib';
import {
  type Attribute,
  AttributeType,
  Billing,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { credentialRights, type ProtectedEntity, protectedPartitions, type TableAction } from '../../shared/contract/resource.ts';
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

const newTable = (stack: Stack, settings: Settings): TableV2 =>
  new TableV2(stack, 'Table', {
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
    removalPolicy: settings.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });

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
 * count itself in its credential: of that item an update is denied only where it names a right.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
 */
export const protectedStatements = (
  table: TableWithStream,
  actions: readonly TableAction[],
  mints: readonly ProtectedEntity[],
): PolicyStatement[] => {
  const held = (Object.keys(protectedPartitions) as ProtectedEntity[]).filter((name) => !mints.includes(name));
  const deny = (
    denied: readonly TableAction[],
    names: readonly ProtectedEntity[],
    more: Record<string, unknown> = {},
  ): PolicyStatement[] => {
    const declared = denied.filter((action) => actions.includes(action));
    if (declared.length === 0 || names.length === 0) return [];
    const keys = names.map((name) => `${protectedPartitions[name]}*`);
    return [
      new PolicyStatement({
        effect: Effect.DENY,
        actions: declared.map((action) => `dynamodb:${action}`),
        resources: [table.tableArn],
        conditions: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': keys }, ...more },
      }),
    ];
  };
  const withoutCredential = held.filter((name) => name !== 'credential');
  return [
    ...deny(['PutItem', 'DeleteItem'], held),
    ...deny(['UpdateItem'], withoutCredential),
    ...(held.includes('credential')
      ? deny(['UpdateItem'], ['credential'], { 'ForAnyValue:StringEquals': { 'dynamodb:Attributes': [...credentialRights] } })
      : []),
  ];
};

function text(name: string): Attribute {
  return { name, type: AttributeType.STRING };
}
