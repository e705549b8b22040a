import { consume } from '../../../shared/queue/consume.ts';
import { connectionsQueue } from '../contract/connection.ts';
import { keepConnection, setUpConnection } from '../service/connections.ts';
import { importSlice } from '../service/importing.ts';

export const handler = consume(connectionsQueue, async (work) => {
  switch (work.kind) {
    case 'setup':
      return setUpConnection(work.company_id, work.connection_id, work.connected_at_ms);
    case 'keep':
      return keepConnection(work.company_id, work.connection_id, work.due_at_ms);
    case 'import':
      return importSlice(work.company_id, work.connection_id, work.slice, work.started_at_ms);
  }
});
