import type { ConditionOn } from '../table/condition.ts';
import type { Written } from '../table/written.ts';
import type { SingleWrite } from '../table/write-each.ts';

/** The last sequence numbers applied to a row, by shard of the stream: shared/events/checkpoints.ts reads and writes them. */
export type Checkpoints = Readonly<Record<string, string>>;

/** A row that the stream consumer maintains. Every write moves `rev`; `checkpoints` make each change count once. */
export type ProjectedRow = Record<string, unknown> & { rev: number; checkpoints: Checkpoints };

/**
 * An entity whose rows are projections: what the stream consumer needs of it. Its methods take less than they say (the id and the item of
 * one entity); reactions are typed by the entity's target, and the consumer passes on only what they gave.
 */
export interface ProjectedEntity {
  readonly name: string;
  get(id: unknown, options?: { consistent?: boolean }): Promise<ProjectedRow | undefined>;
  key(id: unknown): { pk: string; sk: string };
  stored(item: ProjectedRow): Record<string, unknown>;
  parseStored(raw: Record<string, unknown> | undefined): ProjectedRow | undefined;
  put(item: ProjectedRow, condition: ConditionOn<{ rev: number }>): Promise<Written<ProjectedRow>>;
  inserting(item: ProjectedRow): SingleWrite<ProjectedRow>;
  replacing(seen: ProjectedRow, next: ProjectedRow): SingleWrite<ProjectedRow>;
}
