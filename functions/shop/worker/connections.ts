import { consume } from '../../../shared/queue/consume.ts';
import { connectionsQueue } from '../contract/connection.ts';
import { disconnectStore, maintainConnection, setUpConnection } from '../service/maintain-connection.ts';
import { importSlice } from '../service/import-store.ts';

export const handler = consume(connectionsQueue, async (work) => {
  switch (work.kind) {
    case 'setup':
      return setUpConnection(work.company_id, work.connection_id, work.connected_at_ms);
    case 'maintain':
      return maintainConnection(work.company_id, work.connection_id, work.due_at_ms);
    case 'disconnect':
      return disconnectStore(work.company_id, work.connection_id, work.connected_at_ms);
    case 'import':
      return importSlice(work.company_id, work.connection_id, work.slice, work.started_at_ms);
  }
});
