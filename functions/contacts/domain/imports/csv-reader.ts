/**
 * Streaming CSV parser (https://www.rfc-editor.org/rfc/rfc4180): bytes to records, each with the byte offset of the next one, so that another
 * process can continue there. Delimiter, quotes and line ends are ASCII, so records are split before decoding: invalid UTF-8 makes only its
 * own record fail.
 */
export interface CsvRecord {
  /** Byte offset after the record and its line end. */
  next: number;
  /** Line at which the record begins, from 1, and line of the next record. */
  line: number;
  nextLine: number;
  /** Empty if `problem` is set. */
  fields: string[];
  problem?: CsvProblem;
}

export type CsvProblem = 'too_long' | 'not_utf8' | 'text_after_quote' | 'quote_not_closed';

export const csvProblems: Readonly<Record<CsvProblem, string>> = {
  too_long: 'The row is longer than 200,000 bytes.',
  not_utf8: 'The row is not UTF-8. Save the file as "CSV UTF-8".',
  text_after_quote: 'There is text after a closing quote. Write a quote inside a quoted value twice.',
  quote_not_closed: 'A quote that opens on this line is never closed, so the rest of the file cannot be read.',
};

export const maxRecordBytes = 200_000;
export const delimiters = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof delimiters)[number];

/** The most frequent delimiter outside quotes in the first line. */
export const detectDelimiter = (start: Uint8Array): Delimiter => {
  const counts = new Map<number, number>();
  let quoted = false;
  for (const byte of start) {
    if (byte === quote) quoted = !quoted;
    else if (!quoted && (byte === lineFeed || byte === carriageReturn)) break;
    else if (!quoted) counts.set(byte, (counts.get(byte) ?? 0) + 1);
  }
  const often = (each: Delimiter): number => counts.get(each.charCodeAt(0)) ?? 0;
  return delimiters.reduce((best, each) => (often(each) > often(best) ? each : best));
};

/** Length of the UTF-8 byte order mark, if any. Undefined: the file is UTF-16, which is not supported. */
export const textStart = (start: Uint8Array): number | undefined => {
  const [a, b, c] = start;
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return undefined;
  return a === 0xef && b === 0xbb && c === 0xbf ? 3 : 0;
};

type State = 'field' | 'plain' | 'quoted' | 'closed' | 'ending';

/** `push` accepts bytes in chunks of any size and returns the records that are complete. */
export class CsvReader {
  readonly #delimiter: Delimiter;
  readonly #delimiterByte: number;
  #state: State = 'field';
  #offset: number;
  #line: number;
  /** State of the current record. */
  #startLine: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #isMisquoted = false;

  constructor(delimiter: Delimiter, from: { offset: number; line: number }) {
    this.#delimiter = delimiter;
    this.#delimiterByte = delimiter.charCodeAt(0);
    this.#offset = from.offset;
    this.#line = from.line;
    this.#startLine = from.line;
  }

  push(chunk: Uint8Array): CsvRecord[] {
    const records: CsvRecord[] = [];
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (this.#state === 'ending') {
        // a line feed directly after a carriage return belongs to it
        const end = byte === lineFeed ? at + 1 : at;
        records.push(...this.#finish(this.#offset + end));
        start = end;
        if (byte === lineFeed) continue;
      }
      this.#step(byte);
      if (byte === lineFeed || byte === carriageReturn) {
        if (this.#state === 'quoted') {
          if (byte === lineFeed) this.#line++;
        } else {
          this.#append(chunk.subarray(start, at));
          start = at + 1;
          this.#line++;
          if (byte === carriageReturn) this.#state = 'ending';
          else records.push(...this.#finish(this.#offset + at + 1));
        }
      }
    }
    if (this.#state !== 'ending') this.#append(chunk.subarray(start));
    this.#offset += chunk.length;
    return records;
  }

  /** The last record, if the file does not end with a line end. */
  end(): CsvRecord[] {
    if (this.#state === 'quoted') return [this.#record(this.#offset, [], 'quote_not_closed')];
    return this.#finish(this.#offset);
  }

  #step(byte: number | undefined): void {
    switch (this.#state) {
      case 'field':
        this.#state = byte === quote ? 'quoted' : byte === this.#delimiterByte ? 'field' : 'plain';
        return;
      case 'plain':
        if (byte === this.#delimiterByte) this.#state = 'field';
        return;
      case 'quoted':
        if (byte === quote) this.#state = 'closed';
        return;
      case 'closed':
        if (byte === quote) this.#state = 'quoted';
        else if (byte === this.#delimiterByte) this.#state = 'field';
        else if (byte !== lineFeed && byte !== carriageReturn) {
          this.#isMisquoted = true;
          this.#state = 'plain';
        }
        return;
      case 'ending':
        return;
    }
  }

  #append(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.#bytes > maxRecordBytes) this.#pieces = [];
    else if (bytes.length > 0) this.#pieces.push(bytes.slice());
  }

  /** Empty lines are skipped. */
  #finish(next: number): CsvRecord[] {
    const [bytes, isMisquoted] = [this.#bytes, this.#isMisquoted];
    const whole = Buffer.concat(this.#pieces);
    const done = (fields: string[], problem?: CsvProblem): CsvRecord[] => [this.#record(next, fields, problem)];
    if (bytes === 0) {
      this.#begin();
      return [];
    }
    if (bytes > maxRecordBytes) return done([], 'too_long');
    const text = decoded(whole);
    if (text === undefined) return done([], 'not_utf8');
    return isMisquoted ? done([], 'text_after_quote') : done(fieldsOf(text, this.#delimiter));
  }

  #record(next: number, fields: string[], problem?: CsvProblem): CsvRecord {
    const record = { next, line: this.#startLine, nextLine: this.#line, fields, ...(problem ? { problem } : {}) };
    this.#begin();
    return record;
  }

  #begin(): void {
    this.#state = 'field';
    this.#pieces = [];
    this.#bytes = 0;
    this.#isMisquoted = false;
    this.#startLine = this.#line;
  }
}

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function fieldsOf(text: string, delimiter: Delimiter): string[] {
  const fields: string[] = [];
  for (let at = 0; at <= text.length; ) {
    if (text[at] === '"') {
      let value = '';
      let from = at + 1;
      for (;;) {
        const close = text.indexOf('"', from);
        value += text.slice(from, close);
        if (text[close + 1] !== '"') {
          at = close + 1;
          break;
        }
        value += '"';
        from = close + 2;
      }
      fields.push(value);
      at++;
    } else {
      const found = text.indexOf(delimiter, at);
      const end = found === -1 ? text.length : found;
      fields.push(text.slice(at, end));
      at = end + 1;
    }
  }
  return fields;
}
