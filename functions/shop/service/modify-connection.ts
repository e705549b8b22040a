import { now } from '../../../shared/runtime/clock.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { Connection } from '../contract/connection.ts';
import { getConnectionRow, updateConnection } from '../store/connection.ts';

/** Applies `change` to the stored connection and retries on a conflict. Undefined from `change` keeps the connection as it is. */
export const modifyConnection = (
  companyId: number,
  id: number,
  change: (seen: Connection) => Connection | undefined,
): Promise<Connection | undefined> =>
  retryOnConflict<Connection | undefined>(12, async () => {
    const seen = await getConnectionRow(companyId, id);
    const wanted = seen && change(seen);
    if (!seen || !wanted) return seen;
    const next = { ...wanted, rev: seen.rev + 1, updatedAt: now() };
    return (await updateConnection(next)).done ? next : conflict;
  });
