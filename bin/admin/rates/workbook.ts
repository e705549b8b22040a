import { inflateRawSync } from 'node:zlib';
import { Failure } from '../failure.ts';

/**
 * The cells of the first sheet of an XLSX file, row by row, as texts. An XLSX file is a ZIP of XML parts (ECMA-376); a rate card has one sheet of
 * texts and numbers, so styles, dates and formulas are left out. Why no library: docs/decisions/spend.md.
 */
export const readWorkbook = (bytes: Buffer): string[][] => {
  const parts = unzip(bytes);
  const part = (path: string): string => {
    const found = parts.get(path);
    if (found === undefined) throw new Failure(`The file is no XLSX workbook: it has no ${path}.`);
    return found;
  };
  const sheet = firstSheet(part('xl/workbook.xml'), part('xl/_rels/workbook.xml.rels'));
  return rowsOf(part(sheet), textsOf(parts.get('xl/sharedStrings.xml') ?? ''));
};

/** Whether bytes begin as those of a ZIP file do. */
export const isWorkbook = (bytes: Buffer): boolean => bytes.subarray(0, 4).equals(localHeader);

const localHeader = Buffer.from('PK\u0003\u0004', 'latin1');
const directoryHeader = Buffer.from('PK\u0001\u0002', 'latin1');
const directoryEnd = Buffer.from('PK\u0005\u0006', 'latin1');
const mostBytes = 50_000_000;

/** The XML parts by path, read by the directory at the end of the file: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT */
function unzip(bytes: Buffer): Map<string, string> {
  const end = bytes.lastIndexOf(directoryEnd);
  if (end < 0) throw new Failure('The file is no XLSX workbook, or it is cut off.');
  const parts = new Map<string, string>();
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    if (!bytes.subarray(at, at + 4).equals(directoryHeader)) throw new Failure('The directory of the XLSX file is damaged.');
    const [nameLength, extraLength, noteLength] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    const name = bytes.toString('utf8', at + 46, at + 46 + (nameLength ?? 0));
    if (/\.(xml|rels)$/.test(name)) parts.set(name, contentOf(bytes, at));
    at += 46 + (nameLength ?? 0) + (extraLength ?? 0) + (noteLength ?? 0);
  }
  return parts;
}

function contentOf(bytes: Buffer, entry: number): string {
  const [method, size, local] = [bytes.readUInt16LE(entry + 10), bytes.readUInt32LE(entry + 20), bytes.readUInt32LE(entry + 42)];
  const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
  const content = bytes.subarray(start, start + size);
  if (method === 0) return content.toString('utf8');
  if (method !== 8) throw new Failure('The XLSX file is compressed in a way that is not known.');
  return inflateRawSync(content, { maxOutputLength: mostBytes }).toString('utf8');
}

function firstSheet(workbook: string, relations: string): string {
  const id = attributeOf(elements(workbook, 'sheet')[0]?.attributes ?? '', 'r:id');
  const relation = elements(relations, 'Relationship').find(({ attributes }) => attributeOf(attributes, 'Id') === id);
  const target = relation && attributeOf(relation.attributes, 'Target');
  if (id === undefined || target === undefined) throw new Failure('The XLSX workbook has no sheet.');
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
}

/** Texts that cells name by their place. Runs of different style are one text; hints for pronunciation are none. */
const textsOf = (shared: string): string[] => elements(shared, 'si').map(({ content }) => richText(content));

const richText = (content: string): string =>
  elements(content.replaceAll(/<(\w+:)?rPh\b[\s\S]*?<\/(\w+:)?rPh>/g, ''), 't')
    .map((run) => decoded(run.content))
    .join('');

/** Rows without a cell may be left out, as may cells without a value: both have their place as a number. */
function rowsOf(sheet: string, texts: readonly string[]): string[][] {
  const rows: string[][] = [];
  for (const { attributes, content } of elements(sheet, 'row')) {
    const row: string[] = [];
    for (const cell of elements(content, 'c')) {
      const column = columnOf(attributeOf(cell.attributes, 'r')) ?? row.length;
      if (column >= mostColumns) throw new Failure(`The sheet has more than ${mostColumns} columns.`);
      while (row.length < column) row.push('');
      row[column] = cellText(cell, texts).trim();
    }
    const place = Number(attributeOf(attributes, 'r') ?? rows.length + 1);
    if (place > mostRows) throw new Failure(`The sheet has more than ${mostRows} rows.`);
    while (rows.length < place - 1) rows.push([]);
    rows.push(row);
  }
  return rows;
}

const mostColumns = 200;
const mostRows = 10_000;

function cellText({ attributes, content }: Element, texts: readonly string[]): string {
  const type = attributeOf(attributes, 't');
  if (type === 'inlineStr') return richText(content);
  const value = decoded(elements(content, 'v')[0]?.content ?? '');
  return type === 's' ? (texts[Number(value)] ?? '') : value;
}

/** `B7` is of column 1. */
function columnOf(reference: string | undefined): number | undefined {
  const [letters] = /^[A-Z]+/.exec(reference ?? '') ?? [];
  return letters === undefined ? undefined : Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

interface Element {
  attributes: string;
  content: string;
}

/** The elements of a name, with or without a prefix; none of those that are read here lies within one of the same name. */
const elements = (xml: string, name: string): Element[] =>
  [...xml.matchAll(new RegExp(`<(?:\\w+:)?${name}((?:\\s[^>]*?)?)(?:/>|>([\\s\\S]*?)</(?:\\w+:)?${name}>)`, 'g'))].map(
    ([, attributes = '', content = '']) => ({ attributes, content }),
  );

const attributeOf = (attributes: string, name: string): string | undefined => {
  const found = new RegExp(`(?:^|\\s)${name}=(?:"([^"]*)"|'([^']*)')`).exec(attributes);
  return found ? decoded(found[1] ?? found[2] ?? '') : undefined;
};

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const decoded = (text: string): string =>
  text.replaceAll(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, code?: string, name?: string) => {
    if (name !== undefined) return entities[name] ?? whole;
    return String.fromCodePoint(hex === undefined ? Number(code) : Number.parseInt(hex, 16));
  });
