import { deleteObject, wholeObject, writeObject } from '../../../../shared/objects/bucket.ts';
import { now } from '../../../../shared/runtime/clock.ts';
import { log } from '../../../../shared/runtime/log.ts';
import { inParallel } from '../../../../shared/runtime/parallel.ts';
import { importsBucket } from '../../contract/import.ts';
import type { StoredJob } from '../../contract/stored-job.ts';
import type { Contact } from '../../contract/stored.ts';
import { withLabelChange } from '../../domain/contact.ts';
import { jobFileKey, jobPartKey } from '../../domain/imports/object-keys.ts';
import { listContactsBelow, listContactsByIds } from '../../store/contact-list.ts';
import { getJob, updateJob } from '../../store/job.ts';
import { contactWriter } from '../export-contacts.ts';
import { filterContacts, listLabelNames } from '../scan-contacts.ts';
import { updateLiveContact } from '../upsert-by-identity.ts';

/**
 * The next contacts of a job. The last write advances the job if no other delivery did, so a repeated, late or parallel delivery counts
 * nothing twice; the change stream enqueues the next slice. See docs/decisions/contact-jobs.md.
 */
export const runJobSlice = async (companyId: number, id: number, slice: number): Promise<void> => {
  const job = await getJob(companyId, id);
  if (job === undefined || job.slice !== slice || (job.status !== 'queued' && job.status !== 'running')) return;
  await (job.change ? changeSlice(job, job.change) : exportSlice(job));
};

/** Contacts that a change works on at a time, and those that an export writes to one part. */
export const changedPerSlice = 500;
const exportedPerSlice = 10_000;
/** A slice that finds few contacts ends after this many. */
const readPerSlice = 20_000;
/** Few: every other call to the table waits behind them where one process serves it, and a slice takes less than a second all the same. */
const writesAtOnce = 8;

/**
 * Chooses the contacts of the slice, once for all its attempts, then changes each of them. Units: 3 WRU a changed contact, and 20 WRU a slice.
 */
async function changeSlice(seen: StoredJob, change: NonNullable<StoredJob['change']>): Promise<void> {
  const job = seen.chosen ? seen : await chooseContacts(seen, change);
  if (job?.chosen === undefined) return;
  const { ids, below, processed, matched } = job.chosen;
  const found = new Map((await listContactsByIds(job.companyId, ids)).map((contact) => [contact.id, contact]));
  const outcomes = await inParallel(ids, writesAtOnce, (id) =>
    updateLiveContact<never>(job.companyId, id, found.get(id), (contact) => withLabelChange(contact, change)),
  );
  const missing = outcomes.filter((outcome) => typeof outcome === 'string').length;
  await advance(job, below, {
    counts: {
      processed: job.counts.processed + processed,
      matched: job.counts.matched + matched,
      changed: job.counts.changed + ids.length - missing,
      unchanged: job.counts.unchanged + matched - ids.length,
      missing: job.counts.missing + missing,
    },
  });
}

async function chooseContacts(job: StoredJob, change: NonNullable<StoredJob['change']>): Promise<StoredJob | undefined> {
  const { contacts, processed, below } = await selectContacts(job, changedPerSlice);
  const ids = contacts.filter((contact) => !hasLabels(contact, withLabelChange(contact, change))).map(({ id }) => id);
  const chosen = { ids, processed, matched: contacts.length, ...(below === undefined ? {} : { below }) };
  const { current } = await updateJob(job, { set: { status: 'running' }, setOnce: { chosen } });
  return current?.slice === job.slice && current.status === 'running' ? current : undefined;
}

const hasLabels = (contact: Contact, wanted: Contact): boolean =>
  String(contact.groupIds) === String(wanted.groupIds) && String(contact.tagIds) === String(wanted.tagIds);

/** Writes the contacts of the slice to a part, which a repeated slice overwrites; the last slice joins the parts. */
async function exportSlice(job: StoredJob): Promise<void> {
  const { contacts, processed, below } = await selectContacts(job, exportedPerSlice);
  const writer = await contactWriter(job.companyId, job.columns ?? [], job.format ?? 'csv');
  const part = contacts.map(writer.line).join(writer.separator);
  if (contacts.length > 0) await writeObject(importsBucket, jobPartKey(job, job.slice), part, writer.type);
  const parts = [...job.parts, contacts.length > 0 ? Buffer.byteLength(part) : 0];
  const counts = { ...job.counts, processed: job.counts.processed + processed, matched: job.counts.matched + contacts.length };
  const files = below === undefined ? await joinParts(job, parts, writer) : undefined;
  const isDone = await advance(job, below, { counts, parts, ...(files ? { files } : {}) });
  if (isDone && files) for (const slice of parts.keys()) await deleteObject(importsBucket, jobPartKey(job, slice));
}

/** Files of at most 50 MB, or of one part; a part is joined in memory. Their sizes. */
async function joinParts(job: StoredJob, parts: readonly number[], writer: Writer): Promise<number[]> {
  const sizes: number[] = [];
  let texts: string[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    const file = Buffer.from(writer.begin + texts.join(writer.separator) + writer.end);
    await writeObject(importsBucket, jobFileKey(job, sizes.length), file, writer.type);
    sizes.push(file.length);
    [texts, bytes] = [[], 0];
  };
  for (const [slice, size] of parts.entries()) {
    if (size === 0) continue;
    if (bytes > 0 && bytes + size > maxFileBytes) await flush();
    const part = await wholeObject(importsBucket, jobPartKey(job, slice));
    if (part === undefined) throw new Error('A part of an export is missing in the bucket.');
    texts.push(part.toString('utf8'));
    bytes += size;
  }
  if (texts.length > 0 || sizes.length === 0) await flush();
  return sizes;
}
type Writer = Awaited<ReturnType<typeof contactWriter>>;

const maxFileBytes = 50_000_000;

/** False: another delivery advanced the job, or it was cancelled. */
async function advance(
  job: StoredJob,
  below: number | undefined,
  progress: Partial<Pick<StoredJob, 'counts' | 'parts' | 'files'>>,
): Promise<boolean> {
  const next = below === undefined ? ({ status: 'completed', finishedAt: now() } as const) : ({ status: 'running', below } as const);
  const { done } = await updateJob(job, { set: { ...progress, ...next, slice: job.slice + 1 }, remove: ['chosen'] });
  if (!done) log.info('A slice of a job of contacts was run twice or cancelled', { company_id: job.companyId });
  return done;
}

interface Selection {
  contacts: Contact[];
  processed: number;
  /** The id below which the next slice begins; undefined: the job ends with this one. */
  below: number | undefined;
}

/** The next contacts of the job that its filter selects: at least `wanted`, unless the list or what a slice may read ends. */
async function selectContacts(job: StoredJob, wanted: number): Promise<Selection> {
  const { companyId, contactIds, filter } = job;
  if (contactIds) {
    const ids = contactIds.filter((id) => id < job.below);
    const taken = ids.slice(0, wanted);
    const contacts = await listContactsByIds(companyId, taken, { consistent: true });
    return { contacts, processed: taken.length, below: ids.length > taken.length ? taken.at(-1) : undefined };
  }
  const names = await listLabelNames(companyId);
  const found: Contact[] = [];
  let processed = 0;
  for (let { below } = job; ; ) {
    const page = await listContactsBelow(companyId, below, pageSize);
    found.push(...(await filterContacts({ companyId, rules: filter, names, at: job.createdAt }, page)).matching);
    processed += page.length;
    const last = page.at(-1)?.id;
    if (page.length < pageSize || last === undefined || last <= 1) return { contacts: found, processed, below: undefined };
    if (found.length >= wanted || processed >= readPerSlice) return { contacts: found, processed, below: last };
    below = last;
  }
}
const pageSize = 500;
