import type { ProjectedEntity } from './projection.ts';

/**
 * How a projection is recounted: the reactions run over the items as they are now, each as if it had just been created, and their
 * projections are applied to no row. What of the result the items alone determine is compared with the stored row, and put right.
 */
export interface Recount {
  entity: ProjectedEntity;
  /** Of a row, what the items determine, in a form that two rows can be compared by. `stored`: the row in the table. Missing: nothing. */
  facts?: (row: Record<string, unknown>, stored: Record<string, unknown> | undefined) => unknown;
  /** The fields that a recount puts right in a stored row: all that `facts` compares. */
  fields?: (stored: Record<string, unknown>) => readonly string[];
  /** The row exists by itself, and its projection changes no missing one: with these fields it is as before any item. */
  start?: Readonly<Record<string, unknown>>;
  /** Rows may outlive the items that they come from: only those that items lead to are compared. */
  isPartial?: true;
  /** Its rows are parts that their reader adds up: compared and put right as one. The cells that the sum should have. */
  cellsOfSum?: (recounted: Cells, stored: Cells) => Cells;
}

/** Counts by what is counted. */
export type Cells = Readonly<Record<string, number>>;

export const recount = <Row>(
  entity: Pick<ProjectedEntity, 'name'> & { parse: (raw: unknown) => Row },
  rule: {
    facts: (row: Row, stored: Row | undefined) => unknown;
    fields: readonly (keyof Row & string)[] | ((stored: Row) => readonly (keyof Row & string)[]);
    start?: Partial<Row>;
    isPartial?: true;
  },
): Recount => {
  const { fields } = rule;
  return { entity, ...rule, fields: typeof fields === 'function' ? fields : () => fields } as unknown as Recount;
};

/** Rows in parts without a row of their sum: each has `cells`, and `part` in its id. Rows may outlive the items that they come from. */
export const recountOfParts = (
  entity: Pick<ProjectedEntity, 'name'> & { parse: (raw: unknown) => { cells: Record<string, number>; part: number } },
  cellsOfSum: NonNullable<Recount['cellsOfSum']>,
): Recount => ({
  ...recount(entity, {
    facts: ({ cells }, stored) => cellsOfSum(cells, stored?.cells ?? {}),
    fields: ['cells'],
    isPartial: true,
  }),
  cellsOfSum,
});

/** No item keeps what the projection says: the reason is in the comment where this is called. */
export const notRecounted = (entity: Pick<ProjectedEntity, 'name'>): Recount => ({ entity }) as unknown as Recount;
