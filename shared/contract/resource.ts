/**
 * Things a function can use, as values. Declaring that a function uses one gives it the permission, the variable and the name:
 * lib/aws reads `uses` for policies and environment, shared code reads the variable.
 */

/** As IAM names them: a transaction has no permission of its own, its parts need what they would need alone. `PartiQL...`: of `writeEach`. */
export type TableAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem'
  | 'PartiQLInsert'
  | 'PartiQLUpdate';

/** `delete` belongs to the erasure of contacts, and to what works off objects that only it reads. */
export type BucketAction = 'get' | 'put' | 'delete';

/**
 * Partitions that decide who may call, and to which company something belongs; they are not under a company. Writing one can give a caller
 * any company, so only functions that declare it (`mints`) may. The value is the partition key, or its beginning.
 */
export const protectedPartitions = {
  credential: 'KEY#',
  'company-pointer': 'COMPANIES',
  'shop-domain': 'SHOPDOMAIN#',
  'shop-installation': 'INSTALLATION#',
  'provider-app': 'PROVIDERAPPS',
  'provider-holder': 'PROVIDERID#',
  passkey: 'PASSKEY#',
} as const;
/** Audit entries of every company. The stream consumer adds them; no function changes or deletes one. */
export const auditPartition = { ofCompany: (tenantKey: string): string => `${tenantKey}#AUDIT`, everyCompany: 'C#*#AUDIT' } as const;

/** The name of the entity that lies there. */
export type ProtectedEntity = keyof typeof protectedPartitions;

/** All that a call names of its credential, in which it counts itself: the key, the last use, the counts, the write token. Nothing of it is a right. */
export const countedOfCredential = ['pk', 'sk', 'w', 'lastUsedAt', 'n:*'] as const;

export interface QueueSpec {
  kind: 'queue';
  name: string;
  /** What travels on it, and why. */
  purpose: string;
  /** How long a worker has for one batch, seconds; the queue hides a batch for six times as long. */
  workSeconds: number;
  /** Deliveries before a message goes to the dead-letter queue. */
  maxReceives: number;
  /**
   * After this many seconds another worker takes over a message whose worker crashed; the worker calls SQS while it lives. None: after
   * the queue's visibility timeout.
   */
  takeOverSeconds?: number;
  /** The age of its oldest message, in seconds, at which customers wait: it raises an alarm. None: no customer waits for it. */
  lateAfterSeconds?: number;
  /** Its worker only removes data, and sends nothing: on a restored table it works before that is open. */
  onlyRemoves?: true;
}

export interface BusSpec {
  kind: 'bus';
  name: string;
}

export interface SecretSpec {
  kind: 'secret';
  name: string;
  purpose: string;
}

export interface BucketSpec {
  kind: 'bucket';
  name: string;
  purpose: string;
  /** Days after which an object goes by itself, where it is not those of all files. */
  retentionDays?: number;
  /** No object goes by itself. */
  stays?: true;
  /** Its objects are rows of JSON, a row a line, that Athena reads as one table: `<table>/company_id=3/month=2026-11/<name>`. */
  table?: TableOfRows;
}

export interface TableOfRows {
  name: string;
  purpose: string;
  /** With their types in Athena. */
  columns: Readonly<Record<string, 'bigint' | 'string' | 'timestamp'>>;
}

export interface ScheduleSpec {
  kind: 'schedule';
  name: string;
  purpose: string;
  everyMinutes: number;
  /** No alarm when it stays away: where it has work, its work has one. */
  mayBeSilent?: true;
}

export type Use =
  | { resource: 'table'; actions: readonly TableAction[] }
  | { resource: 'queue'; queue: QueueSpec }
  | { resource: 'bus'; bus: BusSpec }
  | { resource: 'secret'; secret: SecretSpec }
  | { resource: 'bucket'; bucket: BucketSpec; actions: readonly BucketAction[] }
  | { resource: 'email' };

export const usesTable = (...actions: TableAction[]): Use => ({ resource: 'table', actions });
export const sendsTo = (queue: QueueSpec): Use => ({ resource: 'queue', queue });
export const publishesTo = (bus: BusSpec): Use => ({ resource: 'bus', bus });
export const usesBucket = (bucket: BucketSpec, ...actions: BucketAction[]): Use => ({ resource: 'bucket', bucket, actions });
export const reads = (secret: SecretSpec): Use => ({ resource: 'secret', secret });

/** The one table's variable, and the variables of the others: the only place where they are spelled. */
export const tableVariable = 'TABLE_NAME';
/** Of a stack on a restored table: the table and the label of its stream (shared/table/restored-copy.ts). */
export const restoredTableVariable = 'RESTORED_TABLE';
/** Names the stack, so that two of them in an account share no metric. */
export const metricNamespaceVariable = 'METRIC_NAMESPACE';
export const variableOf = (resource: QueueSpec | BusSpec | SecretSpec | BucketSpec): string => {
  const suffix = { queue: 'QUEUE_URL', bus: 'BUS_NAME', secret: 'SECRET_ID', bucket: 'BUCKET_NAME' }[resource.kind];
  return `${resource.name.replaceAll('-', '_').toUpperCase()}_${suffix}`;
};
