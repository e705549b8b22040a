import type { Context } from '../../shared/contract/context.ts';
import type { RouteSpec } from '../../shared/contract/route.ts';
import { clientNameOf } from './client-names.ts';
import { compactJson } from './compact-json.ts';
import { withVariables } from './placeholders.ts';
import { type Sample, sampleOf } from './sample.ts';

/**
 * How an operation is called, ready to be copied: with curl and with the client. `$BASE`, `$TOKEN` and the like are the variables that the
 * guides set at their beginning.
 */
export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

/** The samples of every operation by its name: a file of the reference page, which adds them to the document when it shows it. */
export const generateCodeSamples = (contexts: readonly Context[]): { path: string; content: string } => {
  const routes = contexts.flatMap(({ functions }) =>
    functions.flatMap((each) => (each.trigger === 'http' ? Object.entries(each.routes) : [])),
  );
  const samples = Object.fromEntries(routes.map(([name, route]) => [name, codeSamples(name, route)]));
  return { path: 'functions/api-reference/files/code-samples.generated.json', content: compactJson(samples) };
};

export const codeSamples = (name: string, route: RouteSpec): CodeSample[] => {
  const sample = sampleOf(name, route);
  return [
    { lang: 'Shell', label: 'curl', source: curl(route, sample) },
    ...(isInClient(route)
      ? [{ lang: 'TypeScript', label: 'TypeScript', source: typescript(clientNameOf(name, route.path).join('.'), sample) }]
      : []),
  ];
};

/** URLs with a token in them, redirects and pages are not for the client. */
const isInClient = ({ path, contentTypes, answers }: RouteSpec): boolean =>
  !path.includes('_token}') && contentTypes === undefined && Object.keys(answers).some((status) => status.startsWith('2'));

/** Callers without an entry send no credential in a header. */
const credentials: Partial<Record<RouteSpec['caller']['kind'], string>> = {
  token: 'Authorization: Bearer $TOKEN',
  erp_token: 'Authorization: Bearer $ERP_TOKEN',
  public_key: 'X-Public-Key: $PUBLIC_KEY',
};

function curl(route: RouteSpec, { url, body }: Sample): string {
  const { method, path, caller, effect, accepts } = route;
  // where the URL carries the credential, no header does
  const credential = path.includes('_token}') ? undefined : credentials[caller.kind];
  const takesKey = effect === 'write' && caller.kind !== 'public' && !accepts?.includes('raw');
  const hasDefaultMethod = method === (body === undefined ? 'GET' : 'POST');
  return [
    `curl -s ${hasDefaultMethod ? '' : `-X ${method} `}"$BASE${withVariables(url, (name) => `$${name}`)}"`,
    ...(credential === undefined ? [] : [`-H "${credential}"`]),
    ...(takesKey ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(body === undefined
      ? []
      : [
          "-H 'Content-Type: application/json'",
          `-d '${withVariables(JSON.stringify(body).replaceAll("'", "'\\''"), (name) => `'$${name}'`)}'`,
        ]),
  ].join(' \\\n  ');
}

function typescript(name: string, { params, query, body }: Sample): string {
  const given = { ...filled('params', withNumbers(params)), ...filled('query', withNumbers(query)), ...filled('body', body) };
  const input = Object.keys(given).length === 0 ? '' : literal(given);
  const call = `const answer = await api.${name}(${input});`;
  return withVariables(call, (_, local) => `<<${local}>>`).replaceAll(/'?<<(\w+)>>'?/g, '$1');
}

/** Ids that the provider gave: digits, and texts all the same. */
const textsOfDigits: ReadonlySet<string> = new Set(['app_id']);

/** In a URL every value is a text; the client takes ids and counts as numbers. */
const withNumbers = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      typeof value === 'string' && /^\d+$/.test(value) && !textsOfDigits.has(key) ? Number(value) : value,
    ]),
  );

const filled = (name: string, value: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> =>
  value === undefined || Object.keys(value).length === 0 ? {} : { [name]: value };

/** A value as TypeScript source, on as few lines as are readable. */
function literal(value: unknown, indent = ''): string {
  const line = inline(value);
  if (line.length + indent.length <= 90 || typeof value !== 'object' || value === null) return line;
  const deeper = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((each) => literal(each, deeper))
    : Object.entries(value).map(([key, each]) => `${keyOf(key)}: ${literal(each, deeper)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${parts.map((part) => `${deeper}${part},`).join('\n')}\n${indent}${close}`;
}

function inline(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, each]) => `${keyOf(key)}: ${inline(each)}`)
    .join(', ')} }`;
}

const keyOf = (key: string): string => (/^[A-Za-z_]\w*$/.test(key) ? key : inline(key));
