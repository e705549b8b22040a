import openapi from '../../openapi.json' with { type: 'json' };

/** The statuses that the document has for each operation, and which operation a call reaches. */
interface DocumentedOperation {
  id: string;
  method: string;
  pattern: RegExp;
  parameters: number;
  statuses: ReadonlySet<number>;
}

const documentedOperations: readonly DocumentedOperation[] = Object.entries(openapi.paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods as unknown as Readonly<Record<string, { operationId: string; responses: object }>>).map(
      ([method, { operationId, responses }]) => ({
        id: operationId,
        method: method.toUpperCase(),
        pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
        parameters: path.split('{').length,
        statuses: new Set(Object.keys(responses).map(Number)),
      }),
    ),
  )
  .toSorted((one, other) => one.parameters - other.parameters);

/** The names of all operations of the document. */
export const documentedIds = documentedOperations.map(({ id }) => id);

/** What a foreign tool reported of a call. */
export interface ReportedCall {
  name: string;
  method: string;
  url: string;
  status: number;
  body: string;
}

export interface CallsByOutcome {
  succeeded: number;
  refused: string[];
  /** Of an operation that the document does not have, with a status that it does not have, or 5xx. */
  undocumented: string[];
  /** Operations that no call reached. */
  missing: string[];
}

/** How the calls were answered, measured by the document. */
export function againstDocument(calls: readonly ReportedCall[]): CallsByOutcome {
  const outcome: CallsByOutcome = { succeeded: 0, refused: [], undocumented: [], missing: [] };
  const reached = new Set<string>();
  for (const { name, method, url, status, body } of calls) {
    const { pathname } = new URL(url);
    const operation = documentedOperations.find((each) => each.method === method && each.pattern.test(pathname));
    if (operation) reached.add(operation.id);
    const line = `${operation?.id ?? 'no operation'} (${name}): ${method} ${pathname} ${status} ${body.slice(0, 200)}`;
    if (!operation?.statuses.has(status) || status >= 500) outcome.undocumented.push(line);
    else if (status < 400) outcome.succeeded++;
    else outcome.refused.push(line);
  }
  outcome.missing = documentedIds.filter((id) => !reached.has(id));
  return outcome;
}
