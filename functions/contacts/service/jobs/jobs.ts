import * as z from 'zod';
import { invalid, isProblem, problem, type Problem } from '../../../../shared/contract/problems.ts';
import { drawWithoutKey, type Once } from '../../../../shared/contract/route.ts';
import { signedUrl } from '../../../../shared/objects/bucket.ts';
import { hasWork } from '../../../../shared/queue/slices.ts';
import { isoTime, now } from '../../../../shared/runtime/clock.ts';
import { defined } from '../../../../shared/runtime/defined.ts';
import { conflict, retryOnConflict } from '../../../../shared/table/conflict.ts';
import { cutPage, listPage, type Page, type PageQuery } from '../../../../shared/table/page.ts';
import { getCounter, nextIds } from '../../../../shared/table/counter.ts';
import type { Filter } from '../../contract/filter.ts';
import { importsBucket } from '../../contract/import.ts';
import { type ContactJobRecord, type JobBody, maxOpenJobs } from '../../contract/job.ts';
import { jobEntityName, type StoredJob } from '../../contract/stored-job.ts';
import { contactEntityName } from '../../contract/stored.ts';
import { jobFileKey } from '../../domain/imports/object-keys.ts';
import { toStoredFilter } from '../../domain/stored-filter.ts';
import { listFieldDefinitions } from '../../store/field.ts';
import { createJobRow, getJob, listJobs, updateJob } from '../../store/job.ts';
import { createMissingReferences, resolveReferences } from '../references.ts';
import { getSegmentFilter } from '../segments.ts';
import { findGroupIds } from '../group-ids.ts';

/** Starts a change or an export of many contacts. 5 RRU, 3 WRU, and what new groups cost. */
export const createContactJob = async (
  companyId: number,
  body: JobBody,
  once: Once = drawWithoutKey,
): Promise<ContactJobRecord | Problem<'validation_failed' | 'plan_limit_reached'>> => {
  const filter = body.segment_id === undefined ? body.filter : await getSegmentFilter(companyId, body.segment_id);
  if (body.segment_id !== undefined && filter === undefined) return invalid('segment_id', 'There is no such segment.');
  const id = await once('id', () => nextIds(companyId, jobEntityName, 1));
  const open = (await listJobs(companyId, undefined, newestLookedAt)).filter((job) => hasWork(job) && job.id !== id);
  if (open.length >= maxOpenJobs)
    return problem('plan_limit_reached', {
      message: `At most ${maxOpenJobs} jobs of contacts run at a time. Wait for one, or cancel it.`,
      details: { resource: 'contact_jobs', limit: maxOpenJobs, used: open.length },
    });
  const change = body.change && (await resolveChange(companyId, body.change));
  if (isProblem(change)) return change;
  return toJobRecord(await createJobRow(await newJob(companyId, id, { body, filter, change })));
};

const position = z.object({ id: z.int().positive() });

/** Jobs, newest first. */
export const listContactJobs = (companyId: number, query: PageQuery): Promise<Page<ContactJobRecord> | Problem<'invalid_cursor'>> =>
  listPage({ scope: `contact-jobs:${companyId}`, query, position }, async ({ after, skip, limit }) => {
    const { lastId, total } = await getCounter(companyId, jobEntityName);
    const jobs = skip > lastId ? [] : await listJobs(companyId, after?.id, skip + limit + 1);
    const { items, next } = cutPage(jobs, { skip, limit }, ({ id }) => ({ id }));
    return { items: await Promise.all(items.map(toJobRecord)), total, next };
  });

export const getContactJob = async (companyId: number, id: number): Promise<ContactJobRecord | Problem<'not_found'>> => {
  const job = await getJob(companyId, id);
  return job ? toJobRecord(job) : problem('not_found');
};

/** Stops a job after the slice in progress, whose result is not recorded any more. A finished job stays as it is. */
export const cancelContactJob = async (companyId: number, id: number): Promise<ContactJobRecord | Problem<'not_found' | 'conflict'>> => {
  const attempt = async () => {
    const job = await getJob(companyId, id);
    if (job === undefined) return problem('not_found');
    if (!hasWork(job)) return toJobRecord(job);
    const cancelled = await updateJob(job, { set: { status: 'cancelled', finishedAt: now() }, remove: ['chosen'] });
    return cancelled.done ? toJobRecord(cancelled.item) : conflict;
  };
  return retryOnConflict<ContactJobRecord | Problem<'not_found' | 'conflict'>>(8, attempt, () => problem('conflict'));
};

const newestLookedAt = 50;
const downloadSeconds = 900;

async function newJob(
  companyId: number,
  id: number,
  { body, filter, change }: { body: JobBody; filter: Filter | undefined; change: StoredJob['change'] },
): Promise<StoredJob> {
  const { lastId, total } = await getCounter(companyId, contactEntityName, { consistent: true });
  const given = body.contact_ids && [...new Set(body.contact_ids)].toSorted((a, b) => b - a);
  // no contact has an id beyond the last one: such an id is done with from the start, and the number after the greatest is not exact
  const contactIds = given?.filter((each) => each <= lastId);
  const beyond = (given?.length ?? 0) - (contactIds?.length ?? 0);
  return {
    companyId,
    id,
    status: 'queued',
    ...(contactIds ? { contactIds } : {}),
    ...(filter ? { filter: toStoredFilter(filter) } : {}),
    ...(change ? { change } : {}),
    ...(body.export ? { format: body.export, columns: (await listFieldDefinitions(companyId)).map(({ key }) => key) } : {}),
    total: given?.length ?? total,
    slice: 0,
    below: (contactIds?.[0] ?? lastId) + 1,
    counts: { processed: beyond, matched: 0, changed: 0, unchanged: 0, missing: 0 },
    parts: [],
    createdAt: now(),
  };
}

/** Group names become ids; what is to be added must exist or is created, what is to be removed may be gone. */
async function resolveChange(
  companyId: number,
  { add_groups, remove_groups, add_tags, remove_tags, enabled_ai_bot: enabledAiBot }: NonNullable<JobBody['change']>,
): Promise<NonNullable<StoredJob['change']> | Problem<'validation_failed'>> {
  const plan = await resolveReferences(companyId, { groups: add_groups, tagIds: add_tags, custom: undefined });
  const references = isProblem(plan) ? plan : await createMissingReferences(companyId, plan);
  if (isProblem(references)) return underChange(references);
  const removed = await findGroupIds(companyId, remove_groups?.names ?? []);
  return {
    addGroupIds: [...(references.groupIds ?? [])],
    removeGroupIds: [...(remove_groups?.ids ?? []), ...removed.values()],
    addTagIds: [...(references.tagIds ?? [])],
    removeTagIds: remove_tags ?? [],
    ...defined({ enabledAiBot }),
  };
}

const underChange = ({ errors }: Problem<'validation_failed'>): Problem<'validation_failed'> =>
  problem('validation_failed', {
    errors: Object.fromEntries(Object.entries(errors ?? {}).map(([field, reasons]) => [`change.add_${field}`, reasons])),
  });

async function toJobRecord(job: StoredJob): Promise<ContactJobRecord> {
  const sign = (file: number): Promise<string> =>
    signedUrl(importsBucket, jobFileKey(job, file), 'GET', {
      seconds: downloadSeconds,
      downloadAs: `contacts-${job.id}-${file + 1}.${job.format ?? 'csv'}`,
    });
  return {
    id: job.id,
    kind: job.change ? 'change' : 'export',
    status: job.status,
    progress: { total: job.total, ...job.counts },
    files: await Promise.all((job.files ?? []).map(async (bytes, file) => ({ url: await sign(file), bytes }))),
    created_at: isoTime(job.createdAt),
    finished_at: job.finishedAt === undefined ? null : isoTime(job.finishedAt),
  };
}
