import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Node } from 'constructs';
import * as z from 'zod';
import { currentVersion } from '../../shared/provider/versions.ts';
import { leastDuePartitions } from '../../shared/table/due.ts';

const workerCount = 'must be whole numbers from 2 to 1000';
const reservedCount = 'must be whole numbers from 1';
const partitionCount = 'must be a whole number from 8 to 256';

/** The retention periods that CloudWatch supports, in days. */
const retentions = Object.values(RetentionDays).filter((value) => typeof value === 'number' && value <= 3_653);

/**
 * The settings of a deployment: a stage's file, `stages/<name>.json`, or CDK context, `-c name=value`. Everything else is derived from the
 * contexts.
 */
export const settingsSchema = z.strictObject({
  /** The stack's name and the prefix of everything in it that has a name; one for each stage, `switchboard-test`. */
  stackName: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,29}$/, 'must be 1 to 30 small letters, digits and hyphens, beginning with a letter')
    .default('switchboard'),
  /** Origins that may call the API from a browser. Without any, the API answers no CORS requests. */
  corsOrigins: z.preprocess(splitList, z.array(origin()).default([])),
  /** Receives the alarms; without it, subscribe to the topic in the outputs. */
  alarmEmail: z.email('must be an email address').optional(),
  /** Dollars a month: a mail to `alarmEmail` when the account has cost 80 and 100 percent of it, or is about to. */
  monthlyBudget: z.coerce.number('must be a number of dollars').positive('must be a number of dollars').optional(),
  /** Whether functions of the API and receivers go to a new release by a tenth of their calls a minute (docs/decisions/releases.md). */
  gradual: z.stringbool().or(z.boolean()).default(false),
  /** A page of graphs in CloudWatch, for 3 dollars a month. */
  dashboard: z.stringbool().or(z.boolean()).default(false),
  /** Traces of X-Ray: the first request of each second and one in twenty of the others, at 5 dollars a million. Messages of queues carry them on. */
  tracing: z.stringbool().or(z.boolean()).default(false),
  logRetentionDays: z.coerce
    .number()
    .refine((days) => retentions.includes(days), `must be one of ${retentions.join(', ')}`)
    .default(30),
  /** How far back the table can be restored, in days; by default the maximum of DynamoDB. */
  backupDays: days(35).default(35),
  /** A vault of AWS Backup in another region or account, which gets a copy of the table every day, kept for `backupDays`. */
  backupVaultArn: z
    .string()
    .regex(/^arn:aws[a-z-]*:backup:[a-z0-9-]+:\d{12}:backup-vault:[A-Za-z0-9_-]{2,50}$/, 'must be the ARN of a vault of AWS Backup')
    .optional(),
  /** Days after which media files are deleted (docs/decisions/media-retention.md). Files with an expiry of their own keep it. */
  fileRetentionDays: days(3_650).default(365),
  /** After a restore: the table to use in place of the stack's own, and the label of its stream (docs/operate.md). */
  restoredTable: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{3,255}$/, 'must be the name of a table')
    .optional(),
  restoredStream: z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT[\d:.]+$/, 'must be the label of a stream, such as 2026-11-21T12:00:00.000')
    .optional(),
  /** Whether `restoredTable` is the replica of a table in another region, where all that its stream has was carried out. */
  restoredReplica: z.stringbool().or(z.boolean()).default(false),
  /** Other regions with a copy of the table and the secrets, on which the stack can be made there (docs/decisions/regions.md). */
  replicaRegions: z.preprocess(
    splitList,
    z.array(z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be regions such as eu-west-1')).default([]),
  ),
  /** A domain for the API, and its certificate in Certificate Manager, in the same region. */
  domainName: z.hostname('must be a domain name').optional(),
  certificateArn: z
    .string()
    .regex(/^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[A-Za-z0-9-]+$/, 'must be the ARN of a certificate in Certificate Manager')
    .optional(),
  /** Whether the address that AWS gives the API answers. Without it, all callers come through the domain and what stands before it. */
  defaultEndpoint: z.stringbool().or(z.boolean()).default(true),
  /** Whether CloudFront serves the pages and the API on one origin (docs/decisions/sites.md). */
  site: z.stringbool().or(z.boolean()).default(false),
  /** A domain for that origin, and its certificate in Certificate Manager in us-east-1. */
  siteDomainName: z.hostname('must be a domain name').optional(),
  siteCertificateArn: z
    .string()
    .regex(/^arn:aws[a-z-]*:acm:us-east-1:\d{12}:certificate\/[A-Za-z0-9-]+$/, 'must be the ARN of a certificate in us-east-1')
    .optional(),
  /** A web ACL of AWS WAF before that origin: made in us-east-1, for CloudFront. */
  siteWebAclArn: z
    .string()
    .regex(
      /^arn:aws[a-z-]*:wafv2:us-east-1:\d{12}:global\/webacl\/[A-Za-z0-9_-]+\/[0-9a-f-]{36}$/,
      'must be the ARN of a web ACL for CloudFront',
    )
    .optional(),
  /**
   * The base of the addresses of all receivers of webhooks, of a domain of the operator's, from the first company on: what companies enter at the
   * provider and at shops stays valid whatever becomes of region, account or functions (docs/decisions/receiver-addresses.md).
   */
  receiverBaseUrl: baseUrl().optional(),
  /** With it, CloudFront takes that host and leads to the receivers; its certificate in Certificate Manager in us-east-1. */
  receiverCertificateArn: z
    .string()
    .regex(/^arn:aws[a-z-]*:acm:us-east-1:\d{12}:certificate\/[A-Za-z0-9-]+$/, 'must be the ARN of a certificate in us-east-1')
    .optional(),
  /** The SHA-256 of the secret by which CloudFront before the API shows itself; the API then answers nothing else. */
  entranceSecretHash: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal')
    .optional(),
  /** The base URL of links, where something other than the API's own domain leads to it, such as CloudFront. */
  publicBaseUrl: baseUrl().optional(),
  /**
   * Lambda's quota of concurrent executions in the account, of which open edges get a cap and sends a floor. New accounts have 10 until
   * AWS raises it on request: then nothing is reserved.
   */
  accountConcurrency: z.coerce.number('must be a whole number').int('must be a whole number').min(10, 'must be at least 10').default(1_000),
  /** How many messages' workers a queue may have at once, by function, where it is not the default: `{"campaign-blocks":200}`. */
  workers: z
    .preprocess(
      parseJson,
      z.record(
        z.string(),
        z.coerce.number(workerCount).int(workerCount).min(2, workerCount).max(1_000, workerCount),
        'must be a JSON object of numbers',
      ),
    )
    .default({}),
  /** The concurrency reserved for a function, where it is not the share of its kind (docs/decisions/open-edges.md): `{"messaging-webhook":400}`. */
  reserved: z
    .preprocess(
      parseJson,
      z.record(
        z.string(),
        z.coerce.number(reservedCount).int(reservedCount).min(1, reservedCount).max(100_000, reservedCount),
        'must be a JSON object of numbers',
      ),
    )
    .default({}),
  /** Over how many partitions of the index due work is spread. Each takes about 500 scheduled items a second, and costs a read a minute. */
  duePartitions: z.coerce
    .number(partitionCount)
    .int(partitionCount)
    .min(leastDuePartitions, partitionCount)
    .max(256, partitionCount)
    .default(leastDuePartitions),
  /** Whether events go to the bus, where rules of the operator's take them. Each costs, with or without a rule. */
  publishEvents: z.stringbool().or(z.boolean()).default(false),
  /** Whether pages are rung when something happened, by AppSync Events, and look seldom in between (docs/decisions/doorbell.md). */
  doorbell: z.stringbool().or(z.boolean()).default(false),
  /** The base URL of the messaging provider. */
  providerBaseUrl: baseUrl().default('https://graph.facebook.com'),
  /** The version of the provider's API of new numbers that name none; numbers that are there keep theirs. */
  providerVersion: z
    .string()
    .regex(/^v[1-9]\d{0,2}\.\d{1,2}$/, `must be a version such as ${currentVersion}`)
    .default('v19.0'),
  /** The sender of emails; its domain or address must be a verified SES identity. */
  emailFrom: z.email('must be an email address').default('no-reply@example.com'),
  /** Retains table, secrets and files when the stack is deleted, and protects the table from deletion. */
  keepData: z.stringbool().or(z.boolean()).default(true),
  /** Values for the settings that functions declare, where they differ from the default: `{"NAME":"value"}`. */
  functionSettings: z.preprocess(parseJson, z.record(z.string(), z.string(), 'must be a JSON object of texts').default({})),
});
export type Settings = z.output<typeof settingsSchema>;

const checkedSchema = settingsSchema
  .refine(({ domainName, certificateArn }) => (domainName === undefined) === (certificateArn === undefined), {
    path: ['certificateArn'],
    error: 'domainName and certificateArn are given together',
  })
  .refine(({ siteDomainName, siteCertificateArn }) => (siteDomainName === undefined) === (siteCertificateArn === undefined), {
    path: ['siteCertificateArn'],
    error: 'siteDomainName and siteCertificateArn are given together',
  })
  .refine(({ receiverBaseUrl, receiverCertificateArn }) => receiverCertificateArn === undefined || receiverBaseUrl !== undefined, {
    path: ['receiverCertificateArn'],
    error: 'is for the host of receiverBaseUrl',
  })
  .refine(({ restoredReplica, restoredTable }) => !restoredReplica || restoredTable !== undefined, {
    path: ['restoredReplica'],
    error: 'is said of restoredTable',
  })
  .refine(({ monthlyBudget, alarmEmail }) => monthlyBudget === undefined || alarmEmail !== undefined, {
    path: ['monthlyBudget'],
    error: 'needs alarmEmail, which it writes to',
  })
  .refine(({ defaultEndpoint, domainName }) => defaultEndpoint || domainName !== undefined, {
    path: ['defaultEndpoint'],
    error: 'can be closed where the API has a domainName',
  });

/**
 * Reads the settings of a stage from `stages/<name>.json` (`-c stage=<name>`), and others from the CDK context, which come first. Throws one
 * error that names every invalid or unknown setting.
 */
export const readSettings = (node: Node): Settings => {
  const context = z.record(z.string(), z.unknown()).parse(node.getAllContext());
  const { stage, accept: _, ...given } = Object.fromEntries(Object.entries(context).filter(([name]) => !isCdksOwn(name)));
  return parseSettings({ ...(stage === undefined ? {} : readStage(z.string().parse(stage))), ...given });
};

const stages = join(import.meta.dirname, '../../stages');

/** The file of a stage: settings by name. */
export const readStage = (stage: string): Record<string, unknown> => {
  const file = join(stages, `${stage}.json`);
  if (!/^[a-z][a-z0-9-]*$/.test(stage) || !existsSync(file)) throw new Error(`There is no stages/${stage}.json; copy stages/example.json.`);
  return z.record(z.string(), z.unknown(), 'must be a JSON object').parse(JSON.parse(readFileSync(file, 'utf8')));
};

export const parseSettings = (given: Record<string, unknown>): Settings => {
  const result = checkedSchema.safeParse(given);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `  ${[...issue.path].join('.') || 'settings'}: ${issue.message}`);
  throw new Error(
    `The deployment's settings are not valid:\n${lines.join('\n')}\nKnown are: ${Object.keys(settingsSchema.shape).join(', ')}.`,
  );
};

/** CDK's own context: `aws:cdk:...`, `@aws-cdk/...`, `availability-zones:...`. */
function isCdksOwn(name: string): boolean {
  return /[:/@]/.test(name);
}

function days(most: number) {
  const range = `must be a whole number of days from 1 to ${most}`;
  return z.coerce.number(range).int(range).min(1, range).max(most, range);
}

function baseUrl() {
  return z
    .url('must be an address beginning with https://')
    .regex(/^https:\/\/|^http:\/\/(localhost|127\.0\.0\.1)(:|\/|$)/, 'must begin with https://')
    .regex(/[^/]$/, 'must not end with a slash');
}

function origin() {
  return z.string().regex(/^(\*|https?:\/\/[^/\s]+)$/, 'must be origins such as https://app.example.com, without a path');
}

function splitList(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function parseJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
