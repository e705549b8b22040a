import { parseAst } from 'rolldown/parseAst';

/** What the build reads of a syntax tree (ESTree). */
export interface Node {
  type: string;
  start: number;
  end: number;
  name?: string;
  callee?: Node;
  object?: Node;
  property?: Node;
  value?: Node | null;
  init?: Node | null;
  id?: Node | null;
  left?: Node;
  right?: Node;
  argument?: Node;
  param?: Node | null;
  params?: readonly Node[];
  elements?: readonly (Node | null)[];
  body?: Node | readonly Node[];
  cases?: readonly Node[];
  expression?: Node | boolean;
  declaration?: Node | null;
  declarations?: readonly Node[];
  specifiers?: readonly Node[];
  source?: Node | null;
  local?: Node;
  imported?: Node;
  exported?: Node | null;
  kind?: string;
  key?: Node;
  computed?: boolean;
  shorthand?: boolean;
  arguments?: readonly Node[];
  properties?: readonly Node[];
}
export interface Span {
  start: number;
  end: number;
}
/** A part of the source with what stands there instead. Of edits at one place those of higher order come later in the text. */
export interface Edit extends Span {
  text: string;
  order: number;
}

export const parse = (source: string): Node => parseAst(source, { lang: 'ts' }) as unknown as Node;

export const childrenOf = (node: Node): Node[] =>
  Object.values(node as unknown as Record<string, unknown>)
    .flatMap((value): unknown[] => (Array.isArray(value) ? value : [value]))
    .filter(isNode);

/** `z` of `z.object({}).optional()`. */
export const rootOf = ({ type, name = '', callee, object }: Node): string => {
  const inner = callee ?? object;
  return type === 'Identifier' ? name : inner ? rootOf(inner) : '';
};

export const edited = (source: string, edits: readonly Edit[]): string =>
  edits
    .toSorted((a, b) => b.start - a.start || b.order - a.order)
    .reduce((text, { start, end, text: instead }) => text.slice(0, start) + instead + text.slice(end), source);

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
