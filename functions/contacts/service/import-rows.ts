import { isProblem } from '../../../shared/contract/problems.ts';
import { epochMs } from '../../../shared/runtime/clock.ts';
import { contactBody, type ContactBody } from '../contract/contact.ts';
import { collapsed, type Column, foldedTag, rowBody, type RowError } from '../domain/import.ts';
import { upsertContact } from '../service.ts';
import { readAll } from '../store/range.ts';
import { tagEntity } from '../store/tag.ts';

/** What came of one row of a file. */
export type RowOutcome = { is: 'created' | 'updated' | 'unchanged' } | { is: 'failed' | 'skipped_limit'; errors: readonly RowError[] };

/**
 * Rows of a file as upserts by phone, each judged alone: what POST /contacts takes, a row may have, and with the same effect. The same
 * rows again change nothing; `since`, when work on them began first, lets a second round tell what the first one did.
 */
export const importRows = async (
  companyId: number,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  since: number,
): Promise<RowOutcome[]> => {
  const tagIds = await tagIdsByName(companyId, columns);
  const outcomes = new Map<number, RowOutcome>();
  const good: { row: number; body: ContactBody }[] = [];
  for (const [row, fields] of rows.entries()) {
    const read = readRow(columns, fields, tagIds);
    if ('errors' in read) outcomes.set(row, { is: 'failed', errors: read.errors });
    else good.push({ row, body: read.body });
  }
  const waiting = collapsed(good).values();
  const work = async (): Promise<void> => {
    for (const { rows: same, body } of waiting) {
      const outcome = await upsert(companyId, body, since);
      for (const [index, row] of same.entries()) outcomes.set(row, index > 0 && outcome.is === 'created' ? { is: 'updated' } : outcome);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return rows.map((_, row) => outcomes.get(row) ?? { is: 'failed', errors: [{ column: '', reason: 'The row was not worked.' }] });
};

const atOnce = 16;

async function upsert(companyId: number, body: ContactBody, since: number): Promise<RowOutcome> {
  const made = await upsertContact(companyId, body);
  if (!isProblem(made)) {
    if (made.created || epochMs(made.created_at) >= since) return { is: 'created' };
    return { is: epochMs(made.updated_at) >= since ? 'updated' : 'unchanged' };
  }
  if (made.problem === 'plan_limit_reached')
    return { is: 'skipped_limit', errors: [{ column: '', reason: made.message ?? 'The plan has no room for another contact.' }] };
  return { is: 'failed', errors: rowErrors(made.errors ?? {}) };
}

function readRow(
  columns: readonly Column[],
  fields: readonly string[],
  tagIds: ReadonlyMap<string, number>,
): { body: ContactBody } | { errors: readonly RowError[] } {
  const read = rowBody(columns, fields, tagIds);
  if ('errors' in read) return read;
  const parsed = contactBody.safeParse(read.body);
  if (parsed.success) return { body: parsed.data };
  return { errors: parsed.error.issues.map(({ path, message }) => ({ column: columnName(path.join('.')), reason: message })) };
}

const rowErrors = (errors: Readonly<Record<string, readonly string[]>>): RowError[] =>
  Object.entries(errors).flatMap(([field, reasons]) => reasons.map((reason) => ({ column: columnName(field), reason })));

/** A field of the body as the file names it. */
const columnName = (field: string): string =>
  field === 'country_id' ? 'country' : field.replace(/^fields\./, 'custom.').replace(/^(groups|tags)\..*/, '$1');

async function tagIdsByName(companyId: number, columns: readonly Column[]): Promise<ReadonlyMap<string, number>> {
  if (!columns.some(({ is }) => is === 'tags')) return new Map();
  const tags = await readAll(tagEntity, companyId);
  // a tag may be given by its id; a name that looks like one wins
  return new Map([...tags.map(({ id }) => [String(id), id] as const), ...tags.map(({ id, name }) => [foldedTag(name), id] as const)]);
}
