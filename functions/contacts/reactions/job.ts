import { addToCounter, type Consequence, message, reaction, reactionList } from '../../../shared/events/react.ts';
import { importsQueue } from '../contract/import.ts';
import { jobEntityName, storedJob, type StoredJob } from '../contract/stored-job.ts';

/** Enqueues the next slice of a job of contacts. The row is the source of truth, so a crash loses no slice. */
export const jobReactions = reactionList({ sendsTo: [importsQueue] }, [
  reaction<StoredJob>({ name: jobEntityName, parse: (raw) => storedJob.parse(raw) }, ({ before, after }) => {
    const companyId = (after ?? before)?.companyId ?? 0;
    const by = Number(after !== undefined) - Number(before !== undefined);
    const counted: Consequence[] = by === 0 ? [] : [addToCounter(companyId, jobEntityName, by)];
    if (after === undefined || !hasWork(after) || before?.slice === after.slice) return counted;
    return [...counted, message(importsQueue, companyId, { company_id: companyId, job_id: after.id, slice: after.slice })];
  }),
]);

const hasWork = ({ status }: StoredJob): boolean => status === 'queued' || status === 'running';
