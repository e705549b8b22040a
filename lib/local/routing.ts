/** A "METHOD /path" pattern of API Gateway: {name} takes one segment, {name+} the rest. */
export interface RoutePattern {
  key: string;
  method: string;
  segments: readonly Segment[];
}

type Segment = { kind: 'static'; text: string } | { kind: 'parameter'; name: string } | { kind: 'greedy'; name: string };

export interface RouteMatch<T> {
  route: T;
  /** Decoded values of the path's parameters; undefined when it has none. */
  parameters: Record<string, string> | undefined;
  /** The same values as they stand in the path, for masking. */
  rawParameters: Record<string, string>;
}

export const routePattern = (key: string): RoutePattern => {
  const [method = '', path = ''] = key.split(' ');
  return { key, method, segments: path.split('/').slice(1).map(segmentOf) };
};

/**
 * Orders routes as API Gateway chooses among them: static before parameter before greedy from left to right, then a named method
 * before ANY; returns the look-up.
 */
export const router = <T>(
  routes: readonly { pattern: RoutePattern; route: T }[],
): ((method: string, path: string) => RouteMatch<T> | undefined) => {
  const ranked = [...routes].sort((a, b) => comparePatterns(a.pattern, b.pattern));
  const lookUp = indexed(ranked);
  return (method, path) => {
    const parts = path.split('/').slice(1);
    for (const { pattern, route } of lookUp(parts)) {
      if (pattern.method !== method && pattern.method !== 'ANY') continue;
      const values = matchSegments(pattern.segments, parts);
      if (!values) continue;
      const decoded = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, decode(value)]));
      return { route, parameters: Object.keys(values).length > 0 ? decoded : undefined, rawParameters: values };
    }
    return undefined;
  };
};

/**
 * The routes that may take a path, in their order: by the third segment, which names the collection after `/api/v1`, those with a parameter
 * there beside each. A path without a collection of its own has only the latter.
 */
const indexed = <T extends { pattern: RoutePattern }>(ranked: readonly T[]): ((parts: readonly string[]) => readonly T[]) => {
  const nameOf = ({ pattern }: T): string | undefined => {
    const upTo = pattern.segments.slice(0, indexedSegment + 1);
    const last = upTo[indexedSegment];
    return upTo.every(({ kind }) => kind !== 'greedy') && last?.kind === 'static' ? last.text : undefined;
  };
  const names = new Set(ranked.map(nameOf));
  const byName = new Map([...names].map((name) => [name, ranked.filter((each) => [name, undefined].includes(nameOf(each)))]));
  const others = byName.get(undefined) ?? [];
  return (parts) => byName.get(parts[indexedSegment]) ?? others;
};
const indexedSegment = 2;

/** Percent-decodes; what is not valid stays as it is. */
export const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const segmentOf = (text: string): Segment => {
  const name = /^\{([^}+]+)(\+?)\}$/.exec(text);
  if (!name) return { kind: 'static', text };
  return { kind: name[2] ? 'greedy' : 'parameter', name: name[1] ?? '' };
};

const rank = { static: 0, parameter: 1, greedy: 2 } as const;

const comparePatterns = (a: RoutePattern, b: RoutePattern): number => {
  for (let i = 0; i < Math.max(a.segments.length, b.segments.length); i++) {
    const difference = rank[a.segments[i]?.kind ?? 'static'] - rank[b.segments[i]?.kind ?? 'static'];
    if (difference !== 0) return difference;
  }
  return Number(a.method === 'ANY') - Number(b.method === 'ANY');
};

const matchSegments = (segments: readonly Segment[], parts: readonly string[]): Record<string, string> | undefined => {
  const values: Record<string, string> = {};
  for (const [i, segment] of segments.entries()) {
    const part = parts[i];
    if (part === undefined) return undefined;
    if (segment.kind === 'greedy') {
      const rest = parts.slice(i).join('/');
      if (rest === '') return undefined;
      values[segment.name] = rest;
      return values;
    }
    if (segment.kind === 'static' ? part !== segment.text : part === '') return undefined;
    if (segment.kind === 'parameter') values[segment.name] = part;
  }
  return parts.length === segments.length ? values : undefined;
};
