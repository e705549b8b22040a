import * as z from 'zod';
import type { Problem } from '../../../shared/contract/problems.ts';
import { isoTime } from '../../../shared/runtime/clock.ts';
import { type CursorPage, cutPage, listByCursor } from '../../../shared/table/page.ts';
import { type AuditEntry, auditTargets, type StoredAuditEntry } from '../contract/audit.ts';
import { listStoredEntries } from '../store/audit.ts';

const position = z.object({ place: z.string() });

/** Changes of the account, newest first. */
export const listAuditEntries = (
  companyId: number,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<CursorPage<AuditEntry> | Problem<'invalid_cursor'>> =>
  listByCursor({ scope: `audit:${companyId}`, cursor, position }, async (after) => {
    const found = await listStoredEntries(companyId, after?.place, limit + 1);
    const { items, next } = cutPage(found, { limit }, ({ place }) => ({ place }));
    return { items: items.map(toAuditEntry), next };
  });

/** The newest entries, for the command line, which reads no cursor key. */
export const listLatestAuditEntries = async (companyId: number, limit: number): Promise<AuditEntry[]> =>
  (await listStoredEntries(companyId, undefined, limit)).map(toAuditEntry);

const kinds = z.enum(auditTargets);

const toAuditEntry = ({ place, at, action, targetKind, id, by, changes }: StoredAuditEntry): AuditEntry => ({
  id: place,
  at: isoTime(at),
  action,
  target: { kind: kinds.parse(targetKind), id },
  by: {
    via: by.via,
    user_id: by.userId ?? null,
    credential_id: by.credentialId ?? null,
    credential_kind: by.credentialKind ?? null,
    operator: by.operator ?? null,
    request_id: by.requestId ?? null,
  },
  changes,
});
