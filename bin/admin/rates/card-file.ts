import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { CsvReader, csvProblems, type Delimiter, delimiters, textStart } from '../../../functions/contacts/domain/imports/csv-reader.ts';
import { type CardInput, cardInput } from '../../../functions/spend/contract/card.ts';
import { jsonOf } from '../../../shared/runtime/json.ts';
import { Failure, UsageError } from '../failure.ts';
import { marketsOfRows, withTiers } from './card-rows.ts';
import { isWorkbook, readWorkbook } from './workbook.ts';

export interface CardFiles {
  file: string;
  currency?: string | undefined;
  from?: string | undefined;
  source?: string | undefined;
  tiers?: string | undefined;
  markets?: string | undefined;
}

/** A card from its files: a table of the provider (XLSX, or CSV, whatever the name says), or our own JSON, which names currency and day itself. */
export const readCard = ({ file, currency, from, source, tiers, markets }: CardFiles): CardInput => {
  const bytes = readFileOf(file);
  const read = isObject(bytes)
    ? withOptions(cardOfJson(file, bytes), { currency, from })
    : cardOfTable(bytes, { currency, from, markets: markets === undefined ? {} : readMarkets(markets) });
  const tiered = tiers === undefined ? read : { ...read, markets: withTiers(read.markets ?? [], rowsOfFile(readFileOf(tiers))) };
  return { ...tiered, ...(source === undefined ? {} : { source }) };
};

function cardOfTable(
  bytes: Buffer,
  { currency, from, markets }: { currency: string | undefined; from: string | undefined; markets: Record<string, string[]> },
): CardInput {
  if (currency === undefined || from === undefined)
    throw new UsageError('A table does not say its currency and first day: give --currency and --from.');
  return { currency, effective_from: from, markets: marketsOfRows(rowsOfFile(bytes), { currency, markets }) };
}

/** Our own file says both; an option that differs from it is a mistake. */
function withOptions(
  card: CardInput,
  { currency = card.currency, from = card.effective_from }: { currency: string | undefined; from: string | undefined },
): CardInput {
  if (currency !== card.currency || from !== card.effective_from)
    throw new UsageError(`The file is a card in ${card.currency} from ${card.effective_from}.`);
  return card;
}

function cardOfJson(file: string, bytes: Buffer): CardInput {
  const read = cardInput.strict().safeParse(jsonOf(bytes));
  if (read.success) return read.data;
  throw new Failure(`${file} is no rate card.\n${z.prettifyError(read.error)}`);
}

const marketsFile = z.record(z.string(), z.array(z.string().regex(/^[A-Z]{2}$/)));

function readMarkets(file: string): Record<string, string[]> {
  const read = marketsFile.safeParse(jsonOf(readFileOf(file)));
  if (read.success) return read.data;
  throw new Failure(`${file} must be a JSON object of markets with lists of country codes: {"Rest of Europe":["LI","MC"]}.`);
}

const isObject = (bytes: Buffer): boolean => /^(\uFEFF)?\s*\{/.test(bytes.toString('utf8', 0, 100));

function rowsOfFile(bytes: Buffer): string[][] {
  if (isWorkbook(bytes)) return readWorkbook(bytes);
  const offset = textStart(bytes);
  if (offset === undefined) throw new Failure('The file is UTF-16. Save it as "CSV UTF-8", or as XLSX.');
  const text = bytes.subarray(offset);
  // a note above the table may have commas: the delimiter is the one that the line of the columns has
  const tables = delimiters.map((delimiter) => recordsOf(text, delimiter, offset));
  const found = tables.find(({ rows }) => rows.some((row) => row.length > 1 && row.some((cell) => /^market$/i.test(cell)))) ?? tables[0];
  if (found?.problem !== undefined) throw new Failure(found.problem);
  return found?.rows ?? [];
}

/** Lines that are empty have no record, and stay in the count of lines. */
function recordsOf(text: Buffer, delimiter: Delimiter, offset: number): { rows: string[][]; problem: string | undefined } {
  const reader = new CsvReader(delimiter, { offset, line: 1 });
  const rows: string[][] = [];
  let first: string | undefined;
  for (const { fields, problem, line } of [...reader.push(text), ...reader.end()]) {
    if (problem) first ??= `Line ${line}: ${csvProblems[problem]}`;
    while (rows.length < line - 1) rows.push([]);
    rows.push(fields.map((field) => field.trim()));
  }
  return { rows, problem: first };
}

function readFileOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Failure(`${file} cannot be read: ${error instanceof Error ? error.message : 'unknown'}.`);
  }
}
