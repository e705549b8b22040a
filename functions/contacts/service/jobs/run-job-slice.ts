import { atSlice, runSlices } from '../../../../shared/queue/slices.ts';
import { deleteObject, wholeObject, writeObject } from '../../../../shared/objects/bucket.ts';
import { now } from '../../../../shared/runtime/clock.ts';
import { log } from '../../../../shared/runtime/log.ts';
import { inParallel } from '../../../../shared/runtime/parallel.ts';
import { importsBucket } from '../../contract/import.ts';
import type { StoredJob } from '../../contract/stored-job.ts';
import type { Contact } from '../../contract/stored.ts';
import { withJobChange } from '../../domain/contact.ts';
import { jobFileKey, jobPartKey } from '../../domain/imports/object-keys.ts';
import { listContactsBelow, listContactsByIds } from '../../store/contact-list.ts';
import { getJob, updateJob } from '../../store/job.ts';
import { contactWriter } from '../export-contacts.ts';
import { filterContacts, listLabelNames } from '../scan-contacts.ts';
import { updateLiveContact } from '../upsert-by-identity.ts';

/** The next contacts of a job: docs/decisions/contact-jobs.md. */
export const runJobSlice = async (companyId: number, id: number, slice: number): Promise<void> =>
  runSlices(atSlice(await getJob(companyId, id), slice), {
    claim: async (job): Promise<ChangeSlice | ExportSlice | undefined> => (job.change ? claimContacts(job, job.change) : { job }),
    work: async (claimed) => ('chosen' in claimed ? changeContacts(claimed) : exportContacts(claimed)),
    advance: ({ job }, progress) => advance(job, progress),
  });

interface ExportSlice {
  job: StoredJob;
}

interface ChangeSlice extends ExportSlice {
  change: NonNullable<StoredJob['change']>;
  chosen: NonNullable<StoredJob['chosen']>;
}

interface Progress extends Pick<StoredJob, 'counts'>, Partial<Pick<StoredJob, 'parts' | 'files'>> {
  /** The id below which the next slice begins; undefined: the job ends with this one. */
  below?: number | undefined;
}

/** Contacts that a change works on at a time, and those that an export writes to one part. */
export const changedPerSlice = 500;
const exportedPerSlice = 10_000;
/** A slice that finds few contacts ends after this many. */
const readPerSlice = 20_000;
/** Few: every other call to the table waits behind them where one process serves it, and a slice takes less than a second all the same. */
const writesAtOnce = 8;

/** Chooses the contacts that a slice changes, once for all its attempts. 20 WRU. */
async function claimContacts(seen: StoredJob, change: ChangeSlice['change']): Promise<ChangeSlice | undefined> {
  const job = seen.chosen ? seen : await chooseContacts(seen, change);
  return job?.chosen && { job, change, chosen: job.chosen };
}

/** 3 WRU a changed contact. */
async function changeContacts({ job, change, chosen: { ids, below, processed, matched } }: ChangeSlice): Promise<Progress> {
  const found = new Map((await listContactsByIds(job.companyId, ids)).map((contact) => [contact.id, contact]));
  const outcomes = await inParallel(ids, writesAtOnce, (id) =>
    updateLiveContact<never>(job.companyId, id, found.get(id), (contact) => withJobChange(contact, change)),
  );
  const missing = outcomes.filter((outcome) => typeof outcome === 'string').length;
  const counts = {
    processed: job.counts.processed + processed,
    matched: job.counts.matched + matched,
    changed: job.counts.changed + ids.length - missing,
    unchanged: job.counts.unchanged + matched - ids.length,
    missing: job.counts.missing + missing,
  };
  return { below, counts };
}

async function chooseContacts(job: StoredJob, change: ChangeSlice['change']): Promise<StoredJob | undefined> {
  const { contacts, processed, below } = await selectContacts(job, changedPerSlice);
  const ids = contacts.filter((contact) => !isAsWanted(contact, withJobChange(contact, change))).map(({ id }) => id);
  const chosen = { ids, processed, matched: contacts.length, ...(below === undefined ? {} : { below }) };
  const written = await updateJob(job, { set: { status: 'running' }, setOnce: { chosen } });
  const current = written.done ? written.item : written.current;
  return current?.slice === job.slice && current.status === 'running' ? current : undefined;
}

const isAsWanted = (contact: Contact, wanted: Contact): boolean =>
  String(contact.groupIds) === String(wanted.groupIds) &&
  String(contact.tagIds) === String(wanted.tagIds) &&
  contact.enabledAiBot === wanted.enabledAiBot;

/** Writes the contacts of the slice to a part, which a repeated slice overwrites; the last slice joins the parts. */
async function exportContacts({ job }: ExportSlice): Promise<Progress> {
  const { contacts, processed, below } = await selectContacts(job, exportedPerSlice);
  const writer = await contactWriter(job.companyId, job.columns ?? [], job.format ?? 'csv');
  const part = contacts.map(writer.line).join(writer.separator);
  if (contacts.length > 0) await writeObject(importsBucket, jobPartKey(job, job.slice), part, writer.type);
  const parts = [...job.parts, contacts.length > 0 ? Buffer.byteLength(part) : 0];
  const counts = { ...job.counts, processed: job.counts.processed + processed, matched: job.counts.matched + contacts.length };
  const files = below === undefined ? await joinParts(job, parts, writer) : undefined;
  return { below, counts, parts, ...(files ? { files } : {}) };
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

async function advance(job: StoredJob, { below, ...progress }: Progress): Promise<StoredJob | undefined> {
  const next = below === undefined ? ({ status: 'completed', finishedAt: now() } as const) : ({ status: 'running', below } as const);
  const written = await updateJob(job, { set: { ...progress, ...next, slice: job.slice + 1 }, remove: ['chosen'] });
  if (!written.done) {
    log.info('A slice of a job of contacts was run twice or cancelled', { company_id: job.companyId });
    return undefined;
  }
  if (progress.files) for (const slice of progress.parts?.keys() ?? []) await deleteObject(importsBucket, jobPartKey(job, slice));
  return written.item;
}

interface Selection extends Pick<Progress, 'below'> {
  contacts: Contact[];
  processed: number;
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
