import { createHash } from 'node:crypto';
import { type ArchivedMessage, archiveTable } from '../contract/archive.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';

/** What stays of a message for reports: no text, no file, no phone, no id of the provider. */
export const toArchivedMessage = (message: StoredMessage): ArchivedMessage => {
  const { id, contactId, createdAt, inbound, subtype, numberId, campaign, template, sentBy, pricing, error } = message;
  return {
    message_id: id,
    contact_id: contactId,
    created_at: athenaTime(createdAt),
    direction: inbound ? 'inbound' : 'outbound',
    kind: subtype,
    status: statusNames.get(message.status) ?? 'unknown',
    number_id: numberId ?? null,
    campaign_id: campaign?.id ?? null,
    template_name: template?.name ?? null,
    template_language: template?.language ?? null,
    sent_via: campaign ? 'campaign' : (sentBy?.via ?? null),
    pricing_category: pricing?.category ?? null,
    pricing_type: pricing?.type ?? null,
    sent_at: athenaTime(message.sentAt),
    delivered_at: athenaTime(message.deliveredAt),
    read_at: athenaTime(message.readAt),
    failed_at: athenaTime(message.failedAt),
    error_code: error === undefined ? null : String(error.code),
  };
};

const statusNames: ReadonlyMap<number, string> = new Map(Object.entries(messageStatuses).map(([name, status]) => [status, name]));

/** https://docs.aws.amazon.com/athena/latest/ug/data-types.html: without `T` and zone. */
const athenaTime = (ms: number | undefined): string | null =>
  ms === undefined ? null : new Date(ms).toISOString().replace('T', ' ').replace('Z', '');

export interface ArchiveObject {
  key: string;
  /** A row a line. */
  text: string;
}

/**
 * The objects of these messages of a company, by the month in which each was made. An object is named after its rows: the same messages make the same
 * object, so that work that is repeated replaces what it wrote.
 */
export const archiveObjectsOf = (companyId: number, messages: readonly StoredMessage[]): ArchiveObject[] => {
  const byMonth = Map.groupBy(messages, ({ createdAt }) => new Date(createdAt).toISOString().slice(0, 7));
  return [...byMonth].map(([month, own]) => {
    const sorted = own.toSorted((a, b) => a.contactId - b.contactId || a.id - b.id);
    const ids = createHash('sha256')
      .update(sorted.map(({ contactId, id }) => `${contactId}:${id}`).join())
      .digest('hex');
    return {
      key: `${archiveTable.name}/company_id=${companyId}/month=${month}/${ids.slice(0, 32)}.json.gz`,
      text: sorted.map((message) => `${JSON.stringify(toArchivedMessage(message))}\n`).join(''),
    };
  });
};
