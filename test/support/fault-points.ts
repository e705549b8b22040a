import { appendFileSync } from 'node:fs';

/**
 * Where a fault can hit: a kind of call on a kind of item or queue, before it leaves or after it came back. `npm run faults` names a file in
 * FAULT_POINTS and gets, from every process, the points that were passed and those at which something was made to fail.
 */
const file = process.env['FAULT_POINTS'];
const known = { passed: new Set<string>(), struck: new Set<string>() };

function note(what: keyof typeof known, point: string): void {
  if (!file || known[what].has(point)) return;
  known[what].add(point);
  appendFileSync(file, `${JSON.stringify({ [what]: point })}\n`);
}

type Input = Readonly<Record<string, unknown>>;

/** Runs a hook at a point; what it throws is the fault. */
export const atPoint = async <T>(when: 'before' | 'after', command: string, input: Input, hook: () => T | Promise<T>): Promise<T> => {
  if (!file) return hook();
  const point = `${when} ${command} ${placesOf(input).join('+')}`;
  note('passed', point);
  try {
    return await hook();
  } catch (error) {
    note('struck', point);
    throw error;
  }
};

/** The queue's name, or the constant parts of the keys: `PACE` of `C#1#PACE#2`. */
function placesOf(input: Input): string[] {
  const url = input['QueueUrl'];
  if (typeof url === 'string')
    return [
      url
        .split('/')
        .at(-1)
        ?.replace(/^switchboard-/, '') ?? '',
    ];
  const keys = JSON.stringify(input).matchAll(/"(?:C#\d+#)?([A-Z][A-Z_]+)#/g);
  return [...new Set([...keys].map(([, key = '']) => key))].toSorted().slice(0, 4);
}
