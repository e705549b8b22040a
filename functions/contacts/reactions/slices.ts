import { addToCounter, message, reaction, reactionList } from '../../../shared/events/react.ts';
import { reachesSlice } from '../../../shared/queue/slices.ts';
import { importEntityName, importsQueue, storedImport, type StoredImport } from '../contract/import.ts';
import { jobEntityName, storedJob, type StoredJob } from '../contract/stored-job.ts';

/** Counts the imports and the jobs of a company, and enqueues their next slices. */
const counted = <Job extends StoredImport | StoredJob>(name: string, parse: (raw: unknown) => Job, reference: 'import_id' | 'job_id') =>
  reaction<Job>({ name, parse }, ({ before, after }) => {
    const companyId = (after ?? before)?.companyId ?? 0;
    const by = Number(after !== undefined) - Number(before !== undefined);
    return [
      ...(by === 0 ? [] : [addToCounter(companyId, name, by)]),
      ...(reachesSlice(before, after)
        ? [message(importsQueue, companyId, { company_id: companyId, [reference]: after.id, slice: after.slice })]
        : []),
    ];
  });

export const sliceReactions = reactionList({ sendsTo: [importsQueue] }, [
  counted<StoredImport>(importEntityName, (raw) => storedImport.parse(raw), 'import_id'),
  counted<StoredJob>(jobEntityName, (raw) => storedJob.parse(raw), 'job_id'),
]);
