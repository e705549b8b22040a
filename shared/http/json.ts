const maxDepth = 50;
/** An object of a thousand contacts with all their fields has fewer; the set of names of more would take as long as the operation. */
const maxNames = 50_000;

/**
 * Why a JSON text should not be read, in words for its sender: nested too deep, too many names, or a name twice in one object, of which readers keep
 * different ones (RFC 8259 section 4). Undefined when there is no objection; whether it is JSON at all is the parser's to say. One pass over
 * the bytes without recursion, so that a hostile body cannot exhaust the stack.
 */
export const jsonErrorIn = (raw: Buffer): string | undefined => {
  /** The names of every open object; none for a list. */
  const open: (Set<string> | undefined)[] = [];
  let isName = false;
  let nameCount = 0;
  for (let at = 0; at < raw.length; at++) {
    const byte = raw.readUInt8(at);
    switch (byte) {
      case quote: {
        const end = endOfText(raw, at);
        const names = isName ? open.at(-1) : undefined;
        if (names) {
          if (++nameCount > maxNames) return `JSON may have at most ${maxNames.toLocaleString('en-US')} names.`;
          const name = textBetween(raw, at, end);
          if (names.has(name)) return `The name ${JSON.stringify(name.slice(0, 100))} stands twice in one object.`;
          names.add(name);
        }
        isName = false;
        at = end;
        break;
      }
      case 0x7b: // {
      case 0x5b: // [
        if (open.length === maxDepth) return `JSON may be nested at most ${maxDepth} deep.`;
        isName = byte === 0x7b;
        open.push(isName ? new Set() : undefined);
        break;
      case 0x7d: // }
      case 0x5d: // ]
        open.pop();
        break;
      case 0x2c: // ,
        isName = open.at(-1) !== undefined;
        break;
    }
  }
  return undefined;
};

const quote = 0x22;
const backslash = 0x5c;

function endOfText(raw: Buffer, from: number): number {
  for (let at = from + 1; at < raw.length; at++) {
    if (raw[at] === backslash) at++;
    else if (raw[at] === quote) return at;
  }
  return raw.length;
}

/** `"\\u0061"` and `"a"` are one name. */
function textBetween(raw: Buffer, from: number, end: number): string {
  const text = raw.toString('utf8', from + 1, end);
  if (!text.includes('\\')) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}
