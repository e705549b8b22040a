import { type ErasureSlice, type ErasureSubject, sliceOf } from '../../../shared/contract/erasure.ts';
import { deleteObject, readObject } from '../../../shared/objects/bucket.ts';
import { dayMs, now } from '../../../shared/runtime/clock.ts';
import { importsBucket, type StoredImport } from '../contract/import.ts';
import { mentionsContact } from '../contract/mentions.ts';
import type { StoredJob } from '../contract/stored-job.ts';
import { errorsKey, jobFileKey, jobPartKey, sliceErrorsKey, uploadKey } from '../domain/imports/object-keys.ts';
import { listJobs, updateJob } from '../store/job.ts';
import { listImportJobs, updateImportJob } from '../store/import.ts';

/**
 * Files of imports that mention the contact: the uploaded file and the rows that failed. The bucket removes all of them after 30 days, so
 * only younger imports are looked at, five a slice. A file that is being imported stays for the second pass.
 */
export const importFilesToErase = async (subject: ErasureSubject, cursor: string | undefined): Promise<ErasureSlice> => {
  const jobs = await listImportJobs(subject.companyId, cursor === undefined ? undefined : Number(cursor), importsPerSlice);
  const young = jobs.filter(({ createdAt }) => createdAt > now() - fileDays * dayMs);
  const removals: (() => Promise<void>)[] = [];
  for (const job of young.filter(({ status }) => ['completed', 'failed', 'cancelled'].includes(status))) {
    const keys = [uploadKey(job), errorsKey(job), ...job.errorSlices.map((slice) => sliceErrorsKey(job, slice))];
    for (const key of keys) if (await mentions(key, subject)) removals.push(() => removeFile(job, key));
  }
  const last = young.at(-1);
  return sliceOf(removals, young.length === importsPerSlice && last ? String(last.id) : undefined);
};

/** Files and parts of exports that mention the contact, of the same age, five jobs a slice. A job that runs stays for the second pass. */
export const exportFilesToErase = async (subject: ErasureSubject, cursor: string | undefined): Promise<ErasureSlice> => {
  const jobs = await listJobs(subject.companyId, cursor === undefined ? undefined : Number(cursor), importsPerSlice);
  const young = jobs.filter(({ createdAt }) => createdAt > now() - fileDays * dayMs);
  const removals: (() => Promise<void>)[] = [];
  for (const job of young.filter(({ status }) => status === 'completed' || status === 'cancelled')) {
    const files = (job.files ?? []).map((_, file) => jobFileKey(job, file));
    const mentioning = await filesThatMention(files, subject);
    if (mentioning.length > 0) removals.push(() => removeExport(job, files, mentioning));
    const parts = job.parts.map((_, part) => jobPartKey(job, part));
    for (const key of await filesThatMention(parts, subject)) removals.push(() => deleteObject(importsBucket, key));
  }
  const last = young.at(-1);
  return sliceOf(removals, young.length === importsPerSlice && last ? String(last.id) : undefined);
};

const importsPerSlice = 5;
const fileDays = 31;

/**
 * All files of an export: the job names them together, and a later erasure finds none that has no name. Those that mention the contact go
 * last, and the names after them, so that who crashes in between finds them again.
 */
async function removeExport(job: StoredJob, files: readonly string[], mentioning: readonly string[]): Promise<void> {
  for (const key of [...files.filter((each) => !mentioning.includes(each)), ...mentioning]) await deleteObject(importsBucket, key);
  await updateJob(job, { remove: ['files'] });
}

async function filesThatMention(keys: readonly string[], subject: ErasureSubject): Promise<string[]> {
  const found: string[] = [];
  for (const key of keys) if (await mentions(key, subject)) found.push(key);
  return found;
}

/** Line ends are where a chunk is cut, so that no number is cut in two. */
async function mentions(key: string, subject: ErasureSubject): Promise<boolean> {
  const chunks = await readObject(importsBucket, key);
  if (chunks === undefined) return false;
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const text = rest + decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf('\n') + 1;
    if (mentionsContact(text.slice(0, end), subject)) return true;
    rest = text.slice(end);
  }
  return mentionsContact(rest, subject);
}

/** The address of a file that is gone is not shown any more. */
async function removeFile(job: StoredImport, key: string): Promise<void> {
  if (key === errorsKey(job)) await updateImportJob(job, { set: { hasErrors: false } });
  await deleteObject(importsBucket, key);
}
