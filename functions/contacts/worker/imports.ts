import { consume } from '../../../shared/queue/consume.ts';
import { importsQueue } from '../contract/import.ts';
import { runSlice } from '../service/imports/run-slice.ts';

export const handler = consume(importsQueue, ({ company_id, import_id, slice }) => runSlice(company_id, import_id, slice));
