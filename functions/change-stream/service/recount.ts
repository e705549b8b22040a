import type { ProjectedEntity, ProjectedRow } from '../../../shared/events/projection.ts';
import type { Reaction } from '../../../shared/events/react.ts';
import { type Cells, recount, type Recount } from '../../../shared/events/recount.ts';
import { counterEntity } from '../../../shared/table/counter.ts';
import { atBeginning, listCompanyPages, type Places } from '../store/company-items.ts';
import { tableSchema } from '../../../shared/table/schema.ts';
import { reindexRow, replaceRow } from '../store/row.ts';
import { hasDelayedChanges } from './delay-changes.ts';

/** A row that is not what its items say. */
export interface Difference {
  projection: string;
  pk: string;
  sk: string;
  /** Only numbers are shown: other facts may be names and phones. */
  stored: number | undefined;
  recounted: number | undefined;
  /** The names of the attributes that differ; `index` where the row stands at another place of one. */
  fields: readonly string[];
  /** The row changed while it was looked at, or its change did not succeed: to be recounted once more. */
  outcome: 'differs' | 'put right' | 'in motion';
}

export interface RecountOptions {
  reactions: readonly Reaction[];
  recounts: readonly Recount[];
  /** Puts right what differs. */
  shouldWrite: boolean;
  /** Ends when the change stream has brought what is stored now to the rows. */
  untilBrought: () => Promise<unknown>;
  /** How many parts of the table are read side by side; one unless given. A recount that goes on stays with those it began with. */
  segments?: number;
  /** Where a recount stands is stored, so that a later call goes on where this one was cut off. */
  place?: { stored: RecountPlace | undefined; store: (place: () => RecountPlace) => void };
}

/** Where a recount stands; what its rows hold is as personal as the records. */
export interface RecountPlace {
  companyId: number;
  places: Places;
  rows: ReadonlyMap<string, RecountedRow>;
  /** What differed when all was read for the first time; none: it is read for the first time. */
  first?: ReadonlyMap<string, DifferingRow>;
}

/**
 * Rebuilds the projections of a company from its items and compares them with the stored rows. Rows and items change meanwhile, so what
 * differs is looked at twice, a while apart: only a row that nothing has written in between, and whose recount came to the same, is wrong.
 */
export const recountCompany = async (companyId: number, options: RecountOptions): Promise<Difference[]> => {
  const begun = options.place?.stored;
  const rules: Rules = new Map([counterRule, ...options.recounts].map((rule) => [rule.entity.name, rule]));
  const first = begun?.first ?? differing(await readCompany(companyId, options, { rules, begun }), rules);
  if (first.size === 0) return [];
  await options.untilBrought();
  const second = differing(await readCompany(companyId, options, { rules, begun: begun?.first && begun, first }), rules);
  const differences: Difference[] = [];
  // what waits would be counted twice, now from its items and then from its changes
  const isBrought = !(await hasDelayedChanges(companyId));
  // segments bring the rows in any order
  for (const [key, row] of [...second].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const before = first.get(key);
    const isAtRest = isBrought && before !== undefined && before.stored?.rev === row.stored?.rev && before.facts === row.facts;
    const rule = ruleOf(rules, row);
    differences.push({ ...shown(row, rule), outcome: isAtRest ? await outcomeOf(row, rule, options) : 'in motion' });
  }
  return differences;
};

const outcomeOf = async (row: RecountedRow, rule: Recount, { shouldWrite }: RecountOptions): Promise<Difference['outcome']> => {
  if (!shouldWrite) return 'differs';
  return (await putRight(row, rule)) ? 'put right' : 'in motion';
};

/** By the name of the projection that each recounts. */
type Rules = ReadonlyMap<string, Recount>;

function ruleOf(rules: Rules, { projection }: RecountedRow): Recount {
  const rule = rules.get(projection);
  if (!rule) throw new Error(`No projection is called ${projection}: the recount was begun by another release.`);
  return rule;
}

interface RecountedRow {
  projection: string;
  key: { pk: string; sk: string };
  stored: ProjectedRow | undefined;
  recounted: Record<string, unknown> | undefined;
  /** One of the rows that `stored` is the sum of. */
  part?: ProjectedRow;
  /** It is in no index, or at another place of one, than follows from it: it was written before the index was there. */
  isMisplaced?: boolean;
  /** Its attributes are as its items say, or no item says them. */
  isRight?: boolean;
}
type DifferingRow = RecountedRow & { facts: string };

const counterRule = recount(counterEntity, {
  facts: ({ total, cells = {} }) => (Object.keys(cells).length === 0 ? total : [total, cells]),
  fields: ['total', 'cells'],
});

/** Every row of a projection, stored or recounted, by its key. */
async function readCompany(
  companyId: number,
  { reactions, segments, place }: RecountOptions,
  { rules, begun, first }: { rules: Rules; begun: RecountPlace | undefined; first?: RecountPlace['first'] },
): Promise<Map<string, RecountedRow>> {
  const rows = new Map(begun?.rows);
  const rowOf = (rule: Recount, key: RecountedRow['key']): RecountedRow => {
    const known = rows.get(`${key.pk}|${key.sk}`);
    const row = known ?? { projection: rule.entity.name, key, stored: undefined, recounted: rule.start && { ...rule.start } };
    rows.set(`${key.pk}|${key.sk}`, row);
    return row;
  };
  const count = (item: Record<string, unknown>): void => {
    const kind = String(item['kind']);
    const rule = rules.get(kind);
    if (rule?.cellsOfSum) addPart(rule, whole(rule.entity).parse(item), rowOf);
    else if (rule) {
      const stored = whole(rule.entity).parse(item);
      const row = rowOf(rule, { pk: String(item['pk']), sk: String(item['sk']) });
      Object.assign(row, { stored, isMisplaced: isMisplaced(item, rule.entity.stored(stored)) });
    }
    for (const reaction of reactions) {
      // parts come and go with shards: what is counted in them is compared as their sum
      if (reaction.to !== kind || reaction.isSum) continue;
      const change = { before: undefined, after: reaction.parse(item), writtenAt: 0, changeId: '' };
      for (const consequence of reaction.react(change)) {
        const into = consequence.kind === 'projection' ? rules.get(consequence.partOf ?? consequence.into) : undefined;
        if (consequence.kind !== 'projection' || !into) continue;
        const row = rowOf(into, into.entity.key(into.cellsOfSum ? firstPart(consequence.id) : consequence.id));
        row.recounted = consequence.apply(row.recounted) ?? row.recounted;
      }
    }
  };
  for await (const { items, places } of listCompanyPages(companyId, begun?.places ?? atBeginning(segments))) {
    items.forEach(count);
    place?.store(() => ({ companyId, places, rows, ...(first ? { first } : {}) }));
  }
  return rows;
}

const indexAttributes = Object.values(tableSchema.indexes).flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey]);
const isMisplaced = (item: Record<string, unknown>, asWritten: Record<string, unknown>): boolean =>
  indexAttributes.some((name) => item[name] !== asWritten[name]);

/** A sum stands at the place of its first part. */
const firstPart = (id: unknown): unknown => ({ ...(id as object), part: 0 });

function addPart(rule: Recount, part: ProjectedRow, rowOf: (rule: Recount, key: RecountedRow['key']) => RecountedRow): void {
  const row = rowOf(rule, rule.entity.key(firstPart(whole(rule.entity).idOf(part))));
  row.part ??= part;
  const sum = row.stored;
  row.stored = { ...part, rev: part.rev + (sum?.rev ?? 0), cells: sum ? addCells(cellsOf(sum), cellsOf(part), 1) : cellsOf(part) };
}

const cellsOf = (row: Record<string, unknown>): Cells => row['cells'] as Cells;

const addCells = (cells: Cells, others: Cells, sign: 1 | -1): Cells => {
  const keys = [...new Set([...Object.keys(cells), ...Object.keys(others)])];
  const sums = keys.map((key) => [key, (cells[key] ?? 0) + sign * (others[key] ?? 0)] as const);
  return Object.fromEntries(sums.filter(([, count]) => count !== 0));
};

/** What the stream consumer does not need of an entity. */
const whole = (entity: ProjectedEntity) =>
  entity as unknown as { parse: (raw: unknown) => ProjectedRow; idOf: (row: Record<string, unknown>) => unknown };

/** The rows that are not what their items say, with their recounted facts as text. */
function differing(rows: ReadonlyMap<string, RecountedRow>, rules: Rules): Map<string, DifferingRow> {
  return new Map(
    [...rows].flatMap(([key, row]) => {
      const { stored, recounted } = row;
      const rule = ruleOf(rules, row);
      // a row that exists by itself may be gone, with items that still name it
      const isOutside = !rule.facts || (rule.isPartial && !recounted) || (rule.start && !stored);
      const facts = factsOf(rule, recounted, stored);
      const isRight = isOutside || facts === factsOf(rule, stored, stored);
      return isRight && !row.isMisplaced ? [] : [[key, { ...row, facts, isRight }] as const];
    }),
  );
}

/** A row that says nothing is as good as none. */
function factsOf({ facts }: Recount, row: Record<string, unknown> | undefined, stored: Record<string, unknown> | undefined): string {
  const text = JSON.stringify(row && facts?.(row, stored), sortedFields) ?? '';
  return ['0', '""', '[]', '{}', 'null'].includes(text) ? '' : text;
}

/** The table returns the fields of a map in any order. */
const sortedFields = (_field: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** False: the row has changed since it was read. */
async function putRight({ stored, recounted, part, isMisplaced: isToMove, isRight }: RecountedRow, rule: Recount): Promise<boolean> {
  if (stored && isRight) return reindexRow(rule.entity, stored, stored);
  if (rule.cellsOfSum && part && stored && recounted) {
    const missing = addCells(rule.cellsOfSum(cellsOf(recounted), cellsOf(stored)), cellsOf(stored), -1);
    return replaceRow(rule.entity, part, { ...part, cells: addCells(cellsOf(part), missing, 1) });
  }
  const fields = stored ? (rule.fields?.(stored) ?? []) : [];
  const right = recounted ?? {};
  const next = stored
    ? { ...stored, ...Object.fromEntries(fields.map((field) => [field, right[field] ?? emptyOf(stored[field])])) }
    : right;
  return stored && isToMove ? reindexRow(rule.entity, stored, next) : replaceRow(rule.entity, stored, next);
}

const emptyOf = (value: unknown): unknown => {
  if (typeof value === 'number') return 0;
  if (typeof value === 'string') return '';
  if (value instanceof Uint8Array) return new Uint8Array();
  return Array.isArray(value) ? [] : typeof value === 'object' ? {} : undefined;
};

function shown({ key, stored, recounted, isMisplaced }: RecountedRow, rule: Recount): Omit<Difference, 'outcome'> {
  const [is, should] = [stored, recounted].map((row) => row && rule.facts?.(row, stored));
  const number = (fact: unknown): number | undefined => (typeof fact === 'number' ? fact : undefined);
  const compared = stored && recounted ? (rule.fields?.(stored) ?? []) : [];
  const fields = compared.filter(
    (name) => JSON.stringify(stored?.[name], sortedFields) !== JSON.stringify(recounted?.[name], sortedFields),
  );
  return {
    projection: rule.entity.name,
    ...key,
    stored: number(is),
    recounted: number(should),
    fields: [...fields, ...(isMisplaced ? ['index'] : [])],
  };
}
