/** A part of a text that a message has. `sign` is what WhatsApp takes from the text for showing it so. */
export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'link'; text: string; href: string }
  | { kind: 'bold' | 'italic' | 'struck' | 'code' | 'mono'; sign: string; parts: readonly Part[] }
  /** A line of its own, with the line break behind it. */
  | { kind: 'bullet' | 'number' | 'quote'; sign: string; parts: readonly Part[]; end: '\n' | '' };

/**
 * A text by WhatsApp's own rules (https://faq.whatsapp.com/539178204879377): `*bold*`, `_italic_`, `~struck~`, code between one backtick or
 * three, and lines that begin with the sign of a list or a quote. A sign counts where a blank, punctuation or an end is outside of it, no blank
 * inside, and the same sign on neither side; within an address it is part of the address.
 */
export const partsOf = (text: string): Part[] => {
  const atoms = [...text.matchAll(atom)].map(atomOf);
  const given = { text, atoms: new Map(atoms.map((each) => [each.start, each])), masked: masked(text, atoms) };
  const parts: Part[] = [];
  for (let start = 0; start < text.length; ) {
    const lineBreak = given.masked.indexOf('\n', start);
    const [end, next] = lineBreak === -1 ? [text.length, text.length] : [lineBreak, lineBreak + 1];
    const sign = lineSign.exec(given.masked.slice(start, end))?.[0];
    if (sign === undefined) parts.push(...spans(given, start, end), ...textPart(text.slice(end, next)));
    else {
      const kind = sign === '' ? 'number' : sign === '> ' ? 'quote' : 'bullet';
      parts.push({ kind, sign, parts: spans(given, start + sign.length, end), end: next > end ? '\n' : '' });
    }
    start = next;
  }
  return parts;
};

const lineSign = /^(?:[*-] (?=\S)|> (?=\S)|(?=\d{1,3}\. \S))/;

/** What has no signs in it: code, and the addresses of pages and of mail. */
const atom = new RegExp(
  [
    '```(?!`)(?<mono>[^`]*[^`\\s][^`]*)```',
    '`(?<code>[^`\\s](?:[^`\\n]*[^`\\s])?)`',
    '(?<page>(?:https?:\\/\\/|www\\.)[\\p{L}\\p{N}[][^\\s<>"`]*)',
    '[._%+-]*(?<mail>[\\p{L}\\p{N}][\\p{L}\\p{N}._%+-]*@(?:[\\p{L}\\p{N}-]+\\.)+\\p{L}{2,})',
  ]
    .map((each, nth) => (nth < 2 ? `(?<![\\p{L}\\p{N}\`])${each}(?![\\p{L}\\p{N}\`])` : `(?<![\\p{L}\\p{N}._%+-])${each}`))
    .join('|'),
  'gu',
);

interface Atom {
  start: number;
  end: number;
  part: Part;
}

const atomOf = ({ index, 0: whole, groups = {} }: RegExpExecArray): Atom => {
  const { mono, code, page, mail } = groups;
  const end = index + whole.length;
  if (mono !== undefined) return { start: index, end, part: { kind: 'mono', sign: '```', parts: textPart(mono) } };
  if (code !== undefined) return { start: index, end, part: { kind: 'code', sign: '`', parts: textPart(code) } };
  if (mail !== undefined) return { start: end - mail.length, end, part: { kind: 'link', text: mail, href: `mailto:${mail}` } };
  const text = withoutEnd(page ?? whole);
  const href = text.startsWith('www.') ? `https://${text}` : text;
  return { start: index, end: index + text.length, part: { kind: 'link', text, href } };
};

/** An address without what belongs to the sentence around it: its punctuation and signs, and brackets that were opened before it. */
const withoutEnd = (address: string): string => {
  const countOf = (character: string): number => address.split(character).length - 1;
  const unopened = new Map(['()', '[]', '{}'].map(([opening = '', closing = '']) => [closing, countOf(closing) - countOf(opening)]));
  let end = address.length;
  for (; end > 0; end--) {
    const last = address.charAt(end - 1);
    const left = unopened.get(last);
    if (left === undefined ? !".,:;!?'*_~…’”»。，！？、；：）」".includes(last) : left <= 0) break;
    if (left !== undefined) unopened.set(last, left - 1);
  }
  return address.slice(0, end);
};

/** The text with something that is no sign in the place of each atom: letters for an address, which is a word, and punctuation for code. */
const masked = (text: string, atoms: readonly Atom[]): string => {
  let result = '';
  for (const { start, end, part } of atoms)
    result += text.slice(result.length, start) + (part.kind === 'link' ? 'x' : '.').repeat(end - start);
  return result + text.slice(result.length);
};

interface Given {
  text: string;
  masked: string;
  atoms: ReadonlyMap<number, Atom>;
}

const kinds = { '*': 'bold', _: 'italic', '~': 'struck' } as const;
type Sign = keyof typeof kinds;
const isSign = (character: string): character is Sign => character in kinds;

/** The parts of a line between two places. */
const spans = (given: Given, from: number, to: number): Part[] => {
  const parts: Part[] = [];
  const unclosed = new Set<Sign>();
  let done = from;
  const push = (part: Part, start: number, end: number): void => {
    parts.push(...textPart(given.text.slice(done, start)), part);
    done = end;
  };
  for (let place = from; place < to; place = Math.max(place + 1, done)) {
    const known = given.atoms.get(place);
    const sign = given.masked.charAt(place);
    if (known) push(known.part, place, known.end);
    else if (isSign(sign) && !unclosed.has(sign) && faces(given.masked, place, 1)) {
      const end = endOf(given.masked, sign, place, to);
      // nor has any later one an end
      if (end === undefined) unclosed.add(sign);
      else push({ kind: kinds[sign], sign, parts: spans(given, place + 1, end) }, place, end + 1);
    }
  }
  return [...parts, ...textPart(given.text.slice(done, to))];
};

const endOf = (text: string, sign: Sign, start: number, to: number): number | undefined => {
  for (let end = text.indexOf(sign, start + 2); end !== -1 && end < to; end = text.indexOf(sign, end + 1))
    if (faces(text, end, -1)) return end;
  return undefined;
};

/** Whether what is at a place is a sign for the text on this side of it. */
const faces = (text: string, place: number, side: 1 | -1): boolean => {
  const [sign, outer, inner] = [text.charAt(place), text.charAt(place - side), text.charAt(place + side)];
  return outer !== sign && inner !== sign && !/[\p{L}\p{M}\p{N}]/u.test(outer) && /\S/.test(inner);
};

const textPart = (text: string): Part[] => (text === '' ? [] : [{ kind: 'text', text }]);
