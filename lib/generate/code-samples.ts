import type { RouteSpec } from '../../shared/contract/route.ts';
import { sampleOf } from './sample.ts';

/** How an operation is called, ready to be copied: with curl and in TypeScript. */
export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

export const codeSamples = (name: string, route: RouteSpec): CodeSample[] => {
  const { url, body } = sampleOf(name, route);
  const headers = headersOf(route, body !== undefined);
  const { method } = route;
  return [
    { lang: 'Shell', label: 'curl', source: curl(method, url, headers, body) },
    { lang: 'TypeScript', label: 'TypeScript', source: typescript(method, url, headers, body) },
  ];
};

type Body = Record<string, unknown> | undefined;

function headersOf({ caller, effect, via, accepts }: RouteSpec, hasBody: boolean): [string, string][] {
  const credential: Record<RouteSpec['caller']['kind'], [string, string][]> = {
    token: [['Authorization', 'Bearer swb_TOKEN']],
    erp_token: [['Authorization', 'Bearer erp_TOKEN']],
    public_key: [['X-Public-Key', 'pk_KEY']],
    // in the address
    webhook_token: [],
    nobody: [],
  };
  const isKeyed = effect === 'write' && via !== 'url' && !accepts?.includes('raw');
  return [
    ...credential[caller.kind],
    ...(hasBody ? ([['Content-Type', 'application/json']] as [string, string][]) : []),
    ...(isKeyed ? ([['Idempotency-Key', 'order-1042-shipped']] as [string, string][]) : []),
  ];
}

function curl(method: string, url: string, headers: readonly [string, string][], body: Body): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$SWITCHBOARD_URL"${quoted(url)}`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body ? [`-d ${quoted(JSON.stringify(body))}`] : []),
  ].join(' \\\n  ');
}

function typescript(method: string, url: string, headers: readonly [string, string][], body: Body): string {
  const lines = (value: unknown): string => JSON.stringify(value, null, 2).replaceAll('\n', '\n  ');
  return [
    `const answer = await fetch(new URL(${JSON.stringify(url)}, process.env.SWITCHBOARD_URL), {`,
    `  method: ${JSON.stringify(method)},`,
    ...(headers.length > 0 ? [`  headers: ${lines(Object.fromEntries(headers))},`] : []),
    ...(body ? [`  body: JSON.stringify(${lines(body)}),`] : []),
    `});`,
    `if (!answer.ok) throw new Error((await answer.json()).code);`,
    ...(method === 'DELETE' || method === 'GET' || body ? ['const { data } = await answer.json();'] : []),
  ].join('\n');
}
