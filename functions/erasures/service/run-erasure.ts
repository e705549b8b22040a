import { type ErasureSubject, RemovalDelayed } from '../../../shared/contract/erasure.ts';
import { runSlices } from '../../../shared/queue/slices.ts';
import { hourMs, minuteMs, now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import { ownIdentifiers } from '../../contacts/service/erase-contact.ts';
import type { StoredErasure } from '../contract/erasure.ts';
import { erasure as declared } from '../registry.generated.ts';
import { getStoredErasure, updateStoredErasure } from '../store.ts';
import { startErasure, subjectOf } from './erasures.ts';

/**
 * Walks through the steps of all contexts, slice by slice, and stores where it stands; after some time it leaves the rest to its next turn.
 * A crash repeats one slice: what the slice found is stored before it is removed, so the receipt counts it once. A second pass, a day
 * later, removes what was still in a queue or in the change stream; then the identifiers go too. See docs/decisions/erasure.md.
 */
export const runErasure = async (companyId: number, contactId: number): Promise<void> => {
  let job = await getStoredErasure(companyId, contactId);
  if (!job || job.checkedAt !== undefined || (job.dueAt !== undefined && job.dueAt > now())) return;
  // due again before the first pass is done: what could not be removed then
  if (job.dueAt !== undefined) job = await updateStoredErasure(job, withoutDueTime({ ...job, pass: job.finishedAt === undefined ? 1 : 2 }));
  const subject = job && (await ownIdentifiers(await subjectOf(job)));
  if (!subject) return;
  try {
    await walk(job, subject);
  } catch (error) {
    if (!(error instanceof RemovalDelayed)) throw error;
    await tryAgainLater(companyId, contactId);
  }
};

const walk = (job: StoredErasure | undefined, subject: ErasureSubject): Promise<void> =>
  runSlices(job, {
    claim: async (at) => {
      const place = await nextSlice(at, subject);
      return place ? openSlice(place) : finishPass(at);
    },
    work: ({ slice }) => slice.erase(),
    advance: closeSlice,
    turn: { ms: turnMs, giveBack: (at) => updateStoredErasure(at, { ...at, turn: at.turn + 1 }) },
  });

/** The longer it took, the longer it waits. */
async function tryAgainLater(companyId: number, contactId: number): Promise<void> {
  const job = await getStoredErasure(companyId, contactId);
  if (!job || job.checkedAt !== undefined) return;
  const waitMs = Math.min(longestWaitMs, Math.max(shortestWaitMs, (now() - job.requestedAt) / 2));
  await updateStoredErasure(job, { ...job, dueAt: Math.ceil(now() + waitMs) });
}

const shortestWaitMs = 5 * minuteMs;
const longestWaitMs = 6 * hourMs;

/** What foreign systems have comes last. */
const steps = [...declared.filter(({ isForeign }) => !isForeign), ...declared.filter(({ isForeign }) => isForeign)];

/** The erasure of a contact that was deleted 30 days before, and whose row is gone; none if the contact was erased. */
export const erasePurgedContact = async (subject: ErasureSubject): Promise<void> => {
  await startErasure(subject, { cause: 'purge' });
};

const turnMs = 45_000;
const secondPassAfterMs = 25 * hourMs;

type Slice = Awaited<ReturnType<(typeof steps)[number]['find']>>;
interface Place {
  job: StoredErasure;
  slice: Slice;
}
interface OpenSlice extends Place {
  open: NonNullable<StoredErasure['open']>;
}

/** The next slice with something to remove, and the job at its place. Undefined at the end of the walk. */
async function nextSlice(job: StoredErasure, subject: ErasureSubject): Promise<Place | undefined> {
  if (job.step === endOfWalk) return undefined;
  // a step that a later version does not have any more: from the start
  const at = steps.findIndex(({ name }) => name === job.step);
  const first = Math.max(0, at);
  for (const step of steps.slice(first)) {
    if (step.isForeign && job.pass > 1) continue;
    let cursor = step.name === job.step ? job.cursor : undefined;
    const isOpen = step.name === job.step && job.open !== undefined;
    for (;;) {
      const slice = await step.find(subject, cursor);
      if (slice.found > 0 || isOpen) return { job: { ...job, step: step.name, cursor }, slice };
      if (slice.next === undefined) break;
      cursor = slice.next;
    }
  }
  return undefined;
}

/** What the slice found, as its first attempt stored it. Undefined when another worker went on with the job. */
async function openSlice({ job, slice }: Place): Promise<OpenSlice | undefined> {
  const open = job.open ?? { found: slice.found, ...(slice.next === undefined ? {} : { next: slice.next }) };
  const opened = job.open ? job : await updateStoredErasure(job, { ...job, open });
  return opened && { job: opened, slice, open };
}

async function closeSlice({ job, open }: OpenSlice): Promise<StoredErasure | undefined> {
  const { open: _removed, cursor: _before, step = '', ...rest } = job;
  const removed = { ...job.removed, [step]: (job.removed[step] ?? 0) + open.found };
  const place = open.next === undefined ? { step: stepAfter(step) } : { step, cursor: open.next };
  return updateStoredErasure(job, { ...rest, ...place, removed });
}

/** A name that is no step is the end of the walk. */
const stepAfter = (name: string): string => steps[steps.findIndex((step) => step.name === name) + 1]?.name ?? endOfWalk;
const endOfWalk = 'end';

async function finishPass(job: StoredErasure): Promise<undefined> {
  const { step: _step, cursor: _cursor, open: _open, ...rest } = job;
  const { sealedSubject: _identifiers, ...receipt } = rest;
  const at = now();
  const next: StoredErasure =
    job.pass === 1
      ? { ...rest, finishedAt: at, dueAt: at + secondPassAfterMs }
      : { ...receipt, finishedAt: job.finishedAt ?? at, checkedAt: at };
  await updateStoredErasure(job, next);
  log.info('A contact was erased', { company_id: job.companyId, count: Object.values(job.removed).reduce((sum, count) => sum + count, 0) });
}

function withoutDueTime({ dueAt: _due, ...job }: StoredErasure): StoredErasure {
  return job;
}
