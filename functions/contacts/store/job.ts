import { all, equals, missing } from '../../../shared/table/condition.ts';
import { type ChangeOf, entity, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { dayMs } from '../../../shared/runtime/clock.ts';
import { jobEntityName, storedJob, type StoredJob } from '../contract/stored-job.ts';

export const jobEntity = entity({
  name: jobEntityName,
  purpose: 'A change or an export of many contacts, with its progress',
  attributes: storedJob,
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: `${tenant(companyId)}#CONTACTJOB`, sk: sortable(id) }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  expiresAt: ({ createdAt }) => Math.floor((createdAt + storedDays * dayMs) / 1_000),
  example: { pk: 'C#<company>#CONTACTJOB', sk: '<id, 16 digits>' },
});

const storedDays = 180;

export const createJobRow = pattern(
  { question: 'a new job of contacts', entity: 'contact-job', by: 'PutItem', units: '1 to 8 WRU' },
  async (job: StoredJob): Promise<StoredJob> => {
    const written = await jobEntity.put(job, missing());
    // the id belongs to this operation alone, so an existing row was written by an earlier attempt
    return written.done ? job : (written.current ?? job);
  },
);

export const getJob = pattern(
  { question: 'a job of contacts by its id', entity: 'contact-job', by: 'GetItem', units: '1 to 3 RRU, consistently' },
  (companyId: number, id: number): Promise<StoredJob | undefined> => jobEntity.get({ companyId, id }, { consistent: true }),
);

/** Updates a job that is still at this slice and status; refused with its current state otherwise. */
export const updateJob = pattern(
  {
    question: 'update a job of contacts, if its slice and status are unchanged',
    entity: 'contact-job',
    by: 'UpdateItem',
    units: '1 to 8 WRU',
  },
  ({ companyId, id, slice, status }: StoredJob, change: ChangeOf<typeof jobEntity>): Promise<Written<StoredJob>> =>
    jobEntity.change({ companyId, id }, change, all(equals('slice', slice), equals('status', status))),
);

export const listJobs = pattern(
  { question: 'jobs of contacts, newest first', entity: 'contact-job', by: 'Query', units: '0.5 RRU per 4 KB (about 6 jobs)' },
  (companyId: number, beforeId: number | undefined, wanted: number): Promise<StoredJob[]> => {
    const { pk } = jobEntity.key({ companyId, id: 0 });
    const between = [sortable(0), beforeId === undefined ? '~' : sortable(beforeId - 1)] as const;
    return jobEntity.collect({ pk, between, descending: true }, { atMost: wanted });
  },
);
