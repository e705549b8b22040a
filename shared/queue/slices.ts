import { now } from '../runtime/clock.ts';

/**
 * Work that is too long for one delivery, in slices. A stored job says where it stands: each slice is claimed before any effect, done, and moves
 * the job on if no other delivery did. So a delivery that is repeated, late or beside another counts nothing twice.
 */
export interface Slices<Job, Slice, Result> {
  /** The next slice, stored where a repetition has to do the same. Undefined: nothing is left, or another delivery went on. */
  claim: (job: Job) => Promise<Slice | undefined>;
  /** The effects, which a repetition may do again. */
  work: (slice: Slice) => Promise<Result>;
  /** Stores where the job stands now. Undefined: it is done, was ended, or another delivery moved it on. */
  advance: (slice: Slice, result: Result) => Promise<Job | undefined>;
  /** A delivery does slices for this time and then gives the job back; without a turn it does one, and the change stream enqueues the next. */
  turn?: { ms: number; giveBack: (job: Job) => Promise<unknown> };
}

/** Does the slices of a job that this delivery may do; none without a job. */
export const runSlices = async <Job, Slice, Result>(
  taken: Job | undefined,
  { claim, work, advance, turn }: Slices<Job, Slice, Result>,
): Promise<void> => {
  const until = now() + (turn?.ms ?? 0);
  for (let job = taken; job !== undefined; ) {
    const slice = await claim(job);
    if (slice === undefined) return;
    job = await advance(slice, await work(slice));
    if (turn === undefined) return;
    if (job !== undefined && now() > until) return void (await turn.giveBack(job));
  }
};

/** A job whose slices are numbered: each number is a message of its own. */
interface NumberedJob {
  slice: number;
  status: string;
}

/** Whether a job waits for the work on a slice of it. */
export const hasWork = ({ status }: NumberedJob): boolean => status === 'queued' || status === 'running';

/** The job, if it is at the slice that a message names. */
export const atSlice = <Job extends NumberedJob>(job: Job | undefined, slice: number): Job | undefined =>
  job?.slice === slice && hasWork(job) ? job : undefined;

/** Whether a change brought a job to a slice that is to be enqueued. The row is the source of truth, so a crash loses no slice. */
export const reachesSlice = (before: NumberedJob | undefined, after: NumberedJob | undefined): after is NumberedJob =>
  after !== undefined && hasWork(after) && !(before && hasWork(before) && before.slice === after.slice);
