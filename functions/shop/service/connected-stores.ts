import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Page } from '../../../shared/http/reply.ts';
import { now } from '../../../shared/runtime/clock.ts';
import type { Connection } from '../contract/connection.ts';
import type { ConnectionRecord } from '../contract/connection-routes.ts';
import { connectionRecord, disconnected, newImport } from '../domain/connection.ts';
import { findConnection, findConnections } from '../store/connection.ts';
import { changeConnection } from './connections.ts';
import { pageOf } from './listing.ts';

/** Connected stores as their company sees them: listed, imported again, disconnected. */
export const listConnections = async (
  companyId: number,
  query: { page: number; limit: number; cursor: string | undefined },
): Promise<Page<ConnectionRecord> | Problem<'invalid_cursor'>> => {
  const connections = await findConnections(companyId);
  const found = await pageOf<Connection>({
    scope: `connections:${companyId}`,
    ...query,
    lastId: connections[0]?.id ?? 0,
    total: connections.length,
    matches: () => true,
    read: (belowId, _expected, take) => {
      for (const each of connections) if (each.id < belowId && !take(each)) break;
      return Promise.resolve();
    },
  });
  return isProblem(found) ? found : { ...found, items: found.items.map(connectionRecord) };
};

export const getConnection = async (companyId: number, id: number): Promise<ConnectionRecord | Problem<'not_found'>> => {
  const connection = await findConnection(companyId, id);
  return connection ? connectionRecord(connection) : problem('not_found');
};

/** Begins an import anew; one that runs goes on. */
export const importAgain = async (companyId: number, id: number): Promise<ConnectionRecord | Problem<'not_found' | 'conflict'>> => {
  const changed = await changeConnection(companyId, id, (seen) =>
    seen.status !== 'active' || seen.import?.status === 'running' ? undefined : { ...seen, import: newImport(now()) },
  );
  if (!changed) return problem('not_found');
  return changed.status === 'active' ? connectionRecord(changed) : problem('conflict', { message: 'The store is not connected any more.' });
};

/** Tokens and work end; what came from the store stays (S27). */
export const disconnect = async (companyId: number, id: number): Promise<{ id: number } | Problem<'not_found'>> => {
  const seen = await findConnection(companyId, id);
  if (seen?.status !== 'active') return problem('not_found');
  await changeConnection(companyId, id, (each) => (each.status === 'active' ? disconnected(each, now()) : undefined));
  return { id };
};
