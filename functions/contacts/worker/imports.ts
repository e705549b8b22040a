import { consume } from '../../../shared/queue/consume.ts';
import { importsQueue } from '../contract/import.ts';
import { runSlice } from '../service/imports/run-slice.ts';
import { runJobSlice } from '../service/jobs/run-job-slice.ts';
import { updateSearchSnapshot } from '../service/search-snapshots.ts';

export const handler = consume(importsQueue, ({ company_id, import_id, job_id, slice }) => {
  if (job_id !== undefined && slice !== undefined) return runJobSlice(company_id, job_id, slice);
  return import_id === undefined || slice === undefined ? updateSearchSnapshot(company_id) : runSlice(company_id, import_id, slice);
});
