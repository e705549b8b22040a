import type { BucketSpec } from '../../../shared/contract/resource.ts';

/** `off`: a deployment that wants no archive (docs/decisions/message-retention.md). */
export const archiveSetting = 'ARCHIVE_MESSAGES';

/**
 * What stays of a message, with the types of Athena. Times are UTC without a zone, as its `timestamp` reads them. A contact is its number alone, which
 * leads to nothing once the contact was erased.
 */
const columns = {
  message_id: 'bigint',
  contact_id: 'bigint',
  created_at: 'timestamp',
  direction: 'string',
  kind: 'string',
  status: 'string',
  number_id: 'bigint',
  campaign_id: 'bigint',
  template_name: 'string',
  template_language: 'string',
  sent_via: 'string',
  pricing_category: 'string',
  pricing_type: 'string',
  sent_at: 'timestamp',
  delivered_at: 'timestamp',
  read_at: 'timestamp',
  failed_at: 'timestamp',
  error_code: 'string',
} as const;

export type ArchivedMessage = { [Column in keyof typeof columns]: number | string | null };

export const archiveTable = { name: 'messages', purpose: 'A row for each message that its company keeps no longer', columns } as const;

/** Objects by company and month, compressed. */
export const archiveBucket: BucketSpec = {
  kind: 'bucket',
  name: 'archive',
  purpose: 'What messages were that ended, without their content and without people, for reports over years',
  stays: true,
  table: archiveTable,
};
