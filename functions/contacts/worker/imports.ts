import { consume } from '../../../shared/queue/consume.ts';
import { importsQueue } from '../contract/import.ts';
import { workSlice } from '../service/import-slice.ts';

export const handler = consume(importsQueue, ({ company_id, import_id, slice }) => workSlice(company_id, import_id, slice));
