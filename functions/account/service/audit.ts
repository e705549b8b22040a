import * as z from 'zod';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { isoTime } from '../../../shared/runtime/clock.ts';
import { decodeCursor, encodeCursor } from '../../../shared/table/cursor.ts';
import { type AuditEntry, auditedKinds, type StoredAuditEntry } from '../contract/audit.ts';
import { listStoredEntries } from '../store/audit.ts';

export interface AuditPage {
  entries: AuditEntry[];
  nextCursor: string | null;
}

/** Changes of the account, newest first. */
export const listAuditEntries = async (
  companyId: number,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<AuditPage | Problem<'invalid_cursor'>> => {
  const scope = `audit:${companyId}`;
  const after = cursor === undefined ? undefined : await decodeCursor(scope, cursor, position);
  if (cursor !== undefined && after === undefined) return problem('invalid_cursor');
  const found = await listStoredEntries(companyId, after?.place, limit + 1);
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  return { entries: shown.map(toAuditEntry), nextCursor: last ? await encodeCursor(scope, { place: last.place }) : null };
};

/** The newest entries, for the command line, which reads no cursor key. */
export const listLatestAuditEntries = async (companyId: number, limit: number): Promise<AuditEntry[]> =>
  (await listStoredEntries(companyId, undefined, limit)).map(toAuditEntry);

const position = z.object({ place: z.string() });

const kinds = z.enum(Object.values(auditedKinds));

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
