import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Page } from '../../../shared/table/page.ts';
import { now } from '../../../shared/runtime/clock.ts';
import type { Connection } from '../contract/connection.ts';
import type { ConnectionRecord } from '../contract/connection-routes.ts';
import { connectionRecordOf, disconnected, newImport } from '../domain/connection.ts';
import { getConnectionRow, listConnectionRows } from '../store/connection.ts';
import { modifyConnection } from './modify-connection.ts';
import { allRecords, readPage } from './record-pages.ts';

/** The operations on connected stores. */
export const listConnections = async (
  companyId: number,
  query: { page: number; limit: number; cursor: string | undefined },
): Promise<Page<ConnectionRecord> | Problem<'invalid_cursor' | 'validation_failed'>> => {
  const connections = await listConnectionRows(companyId);
  const found = await readPage<Connection>({
    scope: `connections:${companyId}`,
    ...query,
    lastId: connections[0]?.id ?? 0,
    total: connections.length,
    matches: () => true,
    records: allRecords(connections),
  });
  return isProblem(found) ? found : { ...found, items: found.items.map(connectionRecordOf) };
};

export const getConnection = async (companyId: number, id: number): Promise<ConnectionRecord | Problem<'not_found'>> => {
  const connection = await getConnectionRow(companyId, id);
  return connection ? connectionRecordOf(connection) : problem('not_found');
};

/** Starts an import. A running import continues. */
export const importConnection = async (companyId: number, id: number): Promise<ConnectionRecord | Problem<'not_found' | 'conflict'>> => {
  const changed = await modifyConnection(companyId, id, (seen) =>
    seen.status !== 'active' || seen.import?.status === 'running' ? undefined : { ...seen, import: newImport(now()) },
  );
  if (!changed) return problem('not_found');
  return changed.status === 'active' ? connectionRecordOf(changed) : problem('conflict', { message: 'The store was disconnected.' });
};

/**
 * Stops the work of a connection. A worker deletes the platform's subscriptions, revokes the receiver and destroys the tokens. Products and
 * orders stay.
 */
export const deleteConnection = async (companyId: number, id: number): Promise<{ id: number } | Problem<'not_found'>> => {
  const seen = await getConnectionRow(companyId, id);
  if (seen?.status !== 'active') return problem('not_found');
  await modifyConnection(companyId, id, (each) => (each.status === 'active' ? disconnected(each, now()) : undefined));
  return { id };
};
