/**
 * Patterns of digits, as libphonenumber writes them: literals, classes, alternatives, repetitions with bounds. They are read into a tree whose
 * derivative by a digit is what may follow that digit (https://doi.org/10.1145/321239.321249), which no regular expression of the runtime says.
 */
export type Pattern =
  | { kind: 'impossible' }
  | { kind: 'end' }
  | { kind: 'digit'; digits: ReadonlySet<number> }
  | { kind: 'sequence'; first: Pattern; rest: Pattern }
  | { kind: 'either'; of: readonly Pattern[] };

const impossible: Pattern = { kind: 'impossible' };
const end: Pattern = { kind: 'end' };

/** Reads a pattern; throws on a construct that the metadata does not have today. */
export const patternOf = (source: string): Pattern => {
  const reader = new Reader(source);
  const pattern = reader.alternatives();
  if (!reader.isAtEnd()) throw new Error(`The pattern ${source} has a construct that is not known.`);
  return pattern;
};

/** What may follow a digit. */
export const afterDigit = (pattern: Pattern, digit: number): Pattern => {
  switch (pattern.kind) {
    case 'digit':
      return pattern.digits.has(digit) ? end : impossible;
    case 'sequence': {
      const next = sequence(afterDigit(pattern.first, digit), pattern.rest);
      return canEnd(pattern.first) ? either([next, afterDigit(pattern.rest, digit)]) : next;
    }
    case 'either':
      return either(pattern.of.map((each) => afterDigit(each, digit)));
    default:
      return impossible;
  }
};

/** Whether no digits complete the pattern. */
export const isImpossible = (pattern: Pattern): boolean => pattern.kind === 'impossible';

/** Whether any digits complete it, as many as it wants; of a prefix, whether it is complete. */
export const isUniversal = (pattern: Pattern, isPrefix: boolean): boolean =>
  isPrefix ? canEnd(pattern) : pattern.kind === 'end' || (pattern.kind !== 'impossible' && isAnyDigits(pattern));

function isAnyDigits(pattern: Pattern): boolean {
  const next = Array.from({ length: 10 }, (_, digit) => afterDigit(pattern, digit));
  const [first = impossible] = next;
  return next.every((each) => each.kind !== 'impossible' && keyOf(each) === keyOf(first)) && isUniversal(first, false);
}

function canEnd(pattern: Pattern): boolean {
  if (pattern.kind === 'sequence') return canEnd(pattern.first) && canEnd(pattern.rest);
  return pattern.kind === 'end' || (pattern.kind === 'either' && pattern.of.some(canEnd));
}

/** Equal patterns of the forms that are made here have equal keys. */
function keyOf(pattern: Pattern): string {
  switch (pattern.kind) {
    case 'digit':
      return `[${[...pattern.digits].toSorted((a, b) => a - b).join('')}]`;
    case 'sequence':
      return `${keyOf(pattern.first)}${keyOf(pattern.rest)}`;
    case 'either':
      return `(${pattern.of.map(keyOf).toSorted().join('|')})`;
    default:
      return pattern.kind === 'end' ? '' : '!';
  }
}

function sequence(first: Pattern, rest: Pattern): Pattern {
  if (first.kind === 'impossible' || rest.kind === 'impossible') return impossible;
  if (first.kind === 'end') return rest;
  if (rest.kind === 'end') return first;
  // nested to the right, so that equal patterns have equal keys
  return first.kind === 'sequence' ? sequence(first.first, sequence(first.rest, rest)) : { kind: 'sequence', first, rest };
}

function either(of: readonly Pattern[]): Pattern {
  const flat = of.flatMap((each) => (each.kind === 'either' ? each.of : each.kind === 'impossible' ? [] : [each]));
  const distinct = [...new Map(flat.map((each) => [keyOf(each), each])).values()];
  const [only] = distinct;
  if (!only) return impossible;
  return distinct.length === 1 ? only : { kind: 'either', of: distinct };
}

class Reader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  isAtEnd(): boolean {
    return this.#at === this.#source.length;
  }

  alternatives(): Pattern {
    const found = [this.#concatenation()];
    while (this.#takes('|')) found.push(this.#concatenation());
    return either(found);
  }

  #concatenation(): Pattern {
    const parts: Pattern[] = [];
    while (!this.isAtEnd() && this.#source[this.#at] !== '|' && this.#source[this.#at] !== ')') parts.push(this.#repeated());
    return parts.reduceRight<Pattern>((rest, part) => sequence(part, rest), end);
  }

  #repeated(): Pattern {
    const part = this.#part();
    const [text, least, comma, most] = /^(?:\{(\d+)(,)?(\d+)?\}|\?)/.exec(this.#source.slice(this.#at)) ?? [];
    if (text === undefined) return part;
    this.#at += text.length;
    if (text === '?') return either([part, end]);
    if (comma !== undefined && most === undefined) throw new Error(`The pattern ${this.#source} has no longest number.`);
    const [from, to] = [Number(least), Number(most ?? least)];
    const optional = Array.from({ length: to - from }).reduce<Pattern>((rest) => either([end, sequence(part, rest)]), end);
    return Array.from({ length: from }).reduce<Pattern>((rest) => sequence(part, rest), optional);
  }

  #part(): Pattern {
    if (this.#takes('(?:')) {
      const group = this.alternatives();
      if (!this.#takes(')')) throw new Error(`A group of ${this.#source} does not end.`);
      return group;
    }
    const [text, escaped, members, literal] = /^(?:(\\d)|\[([\d-]+)\]|(\d))/.exec(this.#source.slice(this.#at)) ?? [];
    if (text === undefined) throw new Error(`The pattern ${this.#source} has a construct that is not known.`);
    this.#at += text.length;
    return { kind: 'digit', digits: new Set(escaped === undefined ? membersOf(members ?? literal ?? '') : membersOf('0-9')) };
  }

  #takes(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }
}

/** The digits of a class: `2-57` has 2, 3, 4, 5 and 7. */
function membersOf(text: string): number[] {
  return [...text.matchAll(/(\d)(?:-(\d))?/g)].flatMap(([, from = '', to = from]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_, nth) => Number(from) + nth),
  );
}
