import { auditPartition } from '../../../shared/contract/resource.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { auditEntityName, storedAuditEntry, type StoredAuditEntry } from '../contract/audit.ts';

export const auditEntity = entity({
  name: auditEntityName,
  purpose: 'Who changed what in the account of a company, and when; written once by the change stream',
  attributes: storedAuditEntry,
  renamed: { kind: 'targetKind' },
  key: ({ companyId, place }: { companyId: number; place: string }) => ({ pk: partition(companyId), sk: place }),
  idOf: ({ companyId, place }) => ({ companyId, place }),
  example: { pk: 'C#<company>#AUDIT', sk: '<time, 15 digits>#<change>' },
});

/** Newest first. */
export const listStoredEntries = pattern(
  { question: 'audit entries, newest first', entity: 'audit-entry', by: 'Query', units: '0.5 RRU per 4 KB (about 10 entries)' },
  (companyId: number, before: string | undefined, wanted: number): Promise<StoredAuditEntry[]> =>
    auditEntity.collect(
      {
        pk: partition(companyId),
        descending: true,
        ...(before === undefined ? {} : { after: { ...auditEntity.key({ companyId, place: before }) } }),
      },
      { atMost: wanted },
    ),
);

function partition(companyId: number): string {
  return auditPartition.ofCompany(tenant(companyId));
}
