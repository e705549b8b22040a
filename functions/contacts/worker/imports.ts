import { consume } from '../../../shared/queue/consume.ts';
import { importsQueue } from '../contract/import.ts';
import { runSlice } from '../service/imports/run-slice.ts';
import { updateSearchSnapshot } from '../service/search-snapshots.ts';

export const handler = consume(importsQueue, ({ company_id, import_id, slice }) =>
  import_id === undefined || slice === undefined ? updateSearchSnapshot(company_id) : runSlice(company_id, import_id, slice),
);
