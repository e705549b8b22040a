import type { Random } from './random.ts';

/** At-least-once delivery at its worst, the same for the same seed. */
export interface Disorder {
  seed: number;
  /** Share of batches that are delivered a second time after they succeeded. */
  duplicate?: number;
  /** Share of batches whose work is done but whose success is lost: they come again. */
  crash?: number;
  /** Messages of a batch are shuffled. */
  reorder?: boolean;
  /** Share of stream batches after which their shard begins again up to 300 records back, as after a lost checkpoint. */
  replay?: number;
}

export interface DrainOptions {
  /** The change stream alone: queues wait. Or the queues alone, as while the stream's consumer does not work. */
  only?: 'changes' | 'queues';
  /** Shards of the change stream are worked at the same time, as by several instances of its function. Otherwise one after the other. */
  sideBySide?: boolean;
  /** Delayed messages too: the clock moves to each in turn. */
  including?: 'delayed';
  /** With `including`: only those that fall due until then, epoch milliseconds. */
  until?: number;
  disorder?: Disorder;
  /**
   * False: what failed stays on its queue for the next drain. `timed`: it comes again when its visibility ends, as its handler or its queue set
   * it. Otherwise it comes again at once, until the dead-letter queue has it.
   */
  retry?: boolean | 'timed';
}

export interface Drained {
  records: number;
  messages: number;
  failures: number;
}

export interface Worker<Spec> {
  spec: Spec;
  invoke: (event: unknown) => Promise<unknown>;
}

/** The records or messages at which a worker failed. */
export function failureIds(answer: unknown): string[] {
  const failures = (answer as { batchItemFailures?: { itemIdentifier: string }[] } | undefined)?.batchItemFailures ?? [];
  return failures.map((each) => each.itemIdentifier);
}

export const chance = (share: number | undefined, random: Random): boolean => share !== undefined && share > 0 && random() < share;
