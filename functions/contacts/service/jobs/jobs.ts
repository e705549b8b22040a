import * as z from 'zod';
import { invalid, isProblem, problem, type Problem } from '../../../../shared/contract/problems.ts';
import { drawWithoutKey, type Once } from '../../../../shared/contract/route.ts';
import type { Page } from '../../../../shared/http/reply.ts';
import { signedUrl } from '../../../../shared/objects/bucket.ts';
import { isoTime, now } from '../../../../shared/runtime/clock.ts';
import { decodeCursor, encodeCursor } from '../../../../shared/table/cursor.ts';
import { getCounter, nextIds } from '../../../../shared/table/counter.ts';
import type { Filter } from '../../contract/filter.ts';
import { importsBucket } from '../../contract/import.ts';
import { type ContactJobRecord, type JobBody, maxOpenJobs } from '../../contract/job.ts';
import { jobEntityName, type StoredJob } from '../../contract/stored-job.ts';
import { contactEntityName } from '../../contract/stored.ts';
import { jobFileKey } from '../../domain/imports/object-keys.ts';
import { toStoredFilter } from '../../domain/stored-filter.ts';
import { listFieldDefinitions } from '../../store/field.ts';
import { getGroupIdsByName } from '../../store/group.ts';
import { createJobRow, getJob, listJobs, updateJob } from '../../store/job.ts';
import { createMissingReferences, resolveReferences } from '../references.ts';
import { getSegmentFilter } from '../segments.ts';

/** Starts a change or an export of many contacts. 5 RRU, 3 WRU, and what new groups cost. */
export const createContactJob = async (
  companyId: number,
  body: JobBody,
  once: Once = drawWithoutKey,
): Promise<ContactJobRecord | Problem<'validation_failed' | 'plan_limit_reached'>> => {
  const filter = body.segment_id === undefined ? body.filter : await getSegmentFilter(companyId, body.segment_id);
  if (body.segment_id !== undefined && filter === undefined) return invalid('segment_id', 'There is no such segment.');
  const id = await once('id', () => nextIds(companyId, jobEntityName, 1));
  const open = (await listJobs(companyId, undefined, newestLookedAt)).filter((job) => isOpen(job) && job.id !== id);
  if (open.length >= maxOpenJobs)
    return problem('plan_limit_reached', {
      message: `At most ${maxOpenJobs} jobs of contacts run at a time. Wait for one, or cancel it.`,
      details: { resource: 'contact_jobs', limit: maxOpenJobs, used: open.length },
    });
  const change = body.change && (await resolveChange(companyId, body.change));
  if (isProblem(change)) return change;
  return toJobRecord(await createJobRow(await newJob(companyId, id, { body, filter, change })));
};

/** Jobs, newest first. */
export const listContactJobs = async (
  companyId: number,
  { page, limit, cursor }: { page: number; limit: number; cursor: string | undefined },
): Promise<Page<ContactJobRecord> | Problem<'invalid_cursor'>> => {
  const scope = `contact-jobs:${companyId}`;
  const after = cursor === undefined ? undefined : await decodeCursor(scope, cursor, z.object({ id: z.int().positive() }));
  if (cursor !== undefined && after === undefined) return problem('invalid_cursor');
  const { lastId, total } = await getCounter(companyId, jobEntityName);
  const skip = after ? 0 : (page - 1) * limit;
  const jobs = skip > lastId ? [] : await listJobs(companyId, after?.id, skip + limit + 1);
  const shown = jobs.slice(skip, skip + limit);
  const last = jobs.length > skip + limit ? shown.at(-1) : undefined;
  return {
    items: await Promise.all(shown.map(toJobRecord)),
    total,
    page,
    limit,
    nextCursor: last && (await encodeCursor(scope, { id: last.id })),
  };
};

export const getContactJob = async (companyId: number, id: number): Promise<ContactJobRecord | Problem<'not_found'>> => {
  const job = await getJob(companyId, id);
  return job ? toJobRecord(job) : problem('not_found');
};

/** Stops a job after the slice in progress, whose result is not recorded any more. A finished job stays as it is. */
export const cancelContactJob = async (companyId: number, id: number): Promise<ContactJobRecord | Problem<'not_found' | 'conflict'>> => {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const job = await getJob(companyId, id);
    if (job === undefined) return problem('not_found');
    if (!isOpen(job)) return toJobRecord(job);
    const { done, current } = await updateJob(job, { set: { status: 'cancelled', finishedAt: now() }, remove: ['chosen'] });
    if (done && current) return toJobRecord(current);
  }
  return problem('conflict');
};

const maxAttempts = 8;
const newestLookedAt = 50;
const downloadSeconds = 900;

const isOpen = ({ status }: StoredJob): boolean => status === 'queued' || status === 'running';

async function newJob(
  companyId: number,
  id: number,
  { body, filter, change }: { body: JobBody; filter: Filter | undefined; change: StoredJob['change'] },
): Promise<StoredJob> {
  const contactIds = body.contact_ids && [...new Set(body.contact_ids)].toSorted((a, b) => b - a);
  const { lastId, total } = await getCounter(companyId, contactEntityName, { consistent: true });
  return {
    companyId,
    id,
    status: 'queued',
    ...(contactIds ? { contactIds } : {}),
    ...(filter ? { filter: toStoredFilter(filter) } : {}),
    ...(change ? { change } : {}),
    ...(body.export ? { format: body.export, columns: (await listFieldDefinitions(companyId)).map(({ key }) => key) } : {}),
    total: contactIds?.length ?? total,
    slice: 0,
    below: (contactIds?.[0] ?? lastId) + 1,
    counts: { processed: 0, matched: 0, changed: 0, unchanged: 0, missing: 0 },
    parts: [],
    createdAt: now(),
  };
}

/** Group names become ids; what is to be added must exist or is created, what is to be removed may be gone. */
async function resolveChange(
  companyId: number,
  { add_groups, remove_groups, add_tags, remove_tags }: NonNullable<JobBody['change']>,
): Promise<NonNullable<StoredJob['change']> | Problem<'validation_failed'>> {
  const plan = await resolveReferences(companyId, { groups: add_groups, tagIds: add_tags, custom: undefined });
  const references = isProblem(plan) ? plan : await createMissingReferences(companyId, plan);
  if (isProblem(references)) return underChange(references);
  const removed = await getGroupIdsByName(companyId, remove_groups?.names ?? []);
  return {
    addGroupIds: [...(references.groupIds ?? [])],
    removeGroupIds: [...(remove_groups?.ids ?? []), ...removed.values()],
    addTagIds: [...(references.tagIds ?? [])],
    removeTagIds: remove_tags ?? [],
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
