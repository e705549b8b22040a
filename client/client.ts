import { type Operations, operations, type ProblemCode } from './operations.generated.ts';

export type * from './operations.generated.ts';
export { type RequestHeaders, verifyWebhook } from './webhooks.ts';

/**
 * A client of Switchboard: a method for each operation of openapi.json, by resource (`contacts.create`), with its types. It runs wherever
 * `fetch` does.
 *
 * Every write carries an Idempotency-Key, its own unless given, and the same for each try; so a lost answer, a refusal for a moment
 * (429, 503, a key still at work) or a broken connection is tried again without happening twice.
 */
export const switchboard = (options: ClientOptions): Switchboard => {
  const methodOf =
    (operation: Operation) =>
    (input: Given = {}, call: CallOptions = {}) =>
      request(operation, input, call, options);
  return {
    ...mapped(operationsById, methodOf),
    ...mapped(operations, (resource) => mapped(resource, methodOf)),
    call: (id: OperationName, input?: Given, call?: CallOptions) => methodOf(operationsById[id])(input, call),
  } as unknown as Switchboard;
};

export interface ClientOptions {
  /** Where the product is: `https://api.example.com`. */
  baseUrl: string;
  /** A personal access token, `swb_...`. */
  token?: string | undefined;
  /**
   * For a page of the deployment itself, in place of a token: the browser sends the session that `createSession` started. No script sees it.
   */
  session?: true | undefined;
  /** An ERP token, for the operations of an ERP. */
  erpToken?: string | undefined;
  /** Of a verification profile, for the operations of verification; the secret key makes a trusted caller, and belongs on a server. */
  publicKey?: string | undefined;
  secretKey?: string | undefined;
  /** How often a call is tried in all, 1 to 10; 4 unless given. */
  attempts?: number;
  /** Of each try; 30,000 unless given. */
  timeoutMs?: number;
  /** Another `fetch`, for tests and proxies. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

export interface CallOptions {
  /** 1 to 255 printable ASCII characters; writes get one of their own. */
  idempotencyKey?: string;
  signal?: AbortSignal;
  headers?: Readonly<Record<string, string>>;
}

export type OperationName = keyof Operations;
export type Input<Name extends OperationName> = Operations[Name]['input'];
export type Answer<Name extends OperationName> = Operations[Name]['answer'];

/** Where nothing has to be given, nothing need be. */
type Arguments<Name extends OperationName> =
  Record<never, never> extends Input<Name> ? [input?: Input<Name>, call?: CallOptions] : [input: Input<Name>, call?: CallOptions];

type Method<Name extends OperationName> = (...given: Arguments<Name>) => Promise<Answer<Name>>;
type Resource<Methods extends Readonly<Record<string, Operation>>> = { readonly [Name in keyof Methods]: Method<Methods[Name]['id']> };

export type Switchboard = { readonly [Name in keyof typeof operations]: Resource<(typeof operations)[Name]> } & {
  /** An operation by the `operationId` of openapi.json. */
  readonly call: <Name extends OperationName>(id: Name, ...given: Arguments<Name>) => Promise<Answer<Name>>;
} & { readonly [Name in keyof Operations]: Method<Name> };

/** What an operation is called by: in the client, `contacts.create`, and over HTTP. */
export interface Operation {
  readonly id: OperationName;
  readonly method: string;
  readonly path: string;
  readonly credential: 'token' | 'erpToken' | 'publicKey' | undefined;
  /** Whether it takes an Idempotency-Key. */
  readonly isWrite?: true;
}

/** The operations by the `operationId` of openapi.json, each with its name in the client. */
export const operationsById = Object.fromEntries(
  Object.entries(operations).flatMap(([resource, methods]) =>
    Object.entries<Operation>(methods).map(([name, operation]) => [operation.id, { ...operation, name: `${resource}.${name}` }]),
  ),
) as Readonly<Record<OperationName, Operation & { readonly name: string }>>;

/** A refusal in the product's own words; `code` says which, the reference says what to do. */
export class SwitchboardProblem extends Error {
  override name = 'SwitchboardProblem';
  readonly status: number;
  readonly code: ProblemCode | (string & Record<never, never>);
  /** By field, of a 422. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
  readonly details: Readonly<Record<string, unknown>>;
  /** What the caller can do about it. */
  readonly remedy: string | undefined;
  /** The page of the reference about the code. */
  readonly docUrl: string | undefined;
  /** Quote it in a support request. */
  readonly requestId: string | undefined;

  constructor(status: number, body: unknown, requestId: string | undefined) {
    const problem = isRecord(body) ? body : {};
    const errors = reasonsIn(problem);
    const title = textIn(problem, 'message') ?? textIn(problem, 'error') ?? `Answered ${status}`;
    // a log has the message alone
    super([title, ...Object.entries(errors).map(([field, reasons]) => `${field}: ${[reasons].flat().join(' ')}`)].join(' '));
    this.status = status;
    this.code = textIn(problem, 'code') ?? codesOfGateway[status] ?? 'unknown';
    this.details = isRecord(problem['details']) ? problem['details'] : {};
    this.errors = errors;
    this.remedy = textIn(problem, 'remedy') ?? (status === 413 ? tooLarge : undefined);
    this.docUrl = textIn(problem, 'doc_url');
    this.requestId = requestId;
  }
}

/** The reasons by field; the operations of verification name them in `details`. */
function reasonsIn(problem: Readonly<Record<string, unknown>>): Record<string, string[]> {
  const { details, errors } = problem;
  const areReasons = 'error' in problem && isRecord(details) && Object.values(details).every(Array.isArray);
  const reasons = areReasons ? details : errors;
  return (isRecord(reasons) ? reasons : {}) as Record<string, string[]>;
}

/** What the gateway before the API refuses has no code: the one that the API has for the same. */
const codesOfGateway: Readonly<Record<number, ProblemCode>> = {
  413: 'payload_too_large',
  429: 'rate_limited',
  503: 'temporarily_unavailable',
};
const tooLarge = 'A request has at most 6 MB. Send less at once, and larger media by POST /media/uploads.';

/** One page of a list that has cursors. Lists end: the feed of events does not, and has `follow` below. */
interface Page<T> {
  data: readonly T[];
  meta: { next_cursor: string | null };
}

/** Only lists that end: of one that never says so, as the feed of events, every page would be followed by itself. */
type Ending<P extends Page<unknown>> = null extends P['meta']['next_cursor'] ? P : never;

/**
 * Every record of a list, page by page, at the same cost at any depth:
 * `for await (const contact of paginate((cursor) => api.contacts.list({ query: { limit: 100, ...cursor } })))`.
 */
export async function* paginate<P extends Page<unknown>>(
  list: (cursor: { cursor?: string }) => Promise<P & Ending<P>>,
): AsyncGenerator<P extends Page<infer T> ? T : never> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: P = await list(cursor === undefined ? {} : { cursor });
    yield* page.data as (P extends Page<infer T> ? T : never)[];
    const next = page.meta.next_cursor;
    if (next === cursor) return;
    cursor = next;
  }
}

interface FeedPage<T> {
  data: readonly T[];
  meta: { has_more: boolean; next_cursor: string };
}

/**
 * The events of the feed as they happen, without end, from `after` on, or from now:
 * `for await (const event of follow((place) => api.events.list({ query: { limit: 100, ...place } }), { after }))`. Keep the `id` of the last one that was
 * worked through: it is where a program that starts again goes on. `pauseMs` between two looks while nothing happens; 5,000 unless given. Aborted, it throws as a call does.
 */
export async function* follow<T>(
  list: (place: { after?: string }) => Promise<FeedPage<T>>,
  { after, pauseMs = 5_000, signal }: { after?: string; pauseMs?: number; signal?: AbortSignal } = {},
): AsyncGenerator<T> {
  // without a place the feed gives its newest events: they are the past of who follows from now
  let place = after ?? (await list({})).meta.next_cursor;
  for (;;) {
    signal?.throwIfAborted();
    const page = await list({ after: place });
    yield* page.data;
    place = page.meta.next_cursor;
    if (!page.meta.has_more) await pause(pauseMs, signal);
  }
}

type Scalar = string | number | boolean;

interface Given {
  params?: Readonly<Record<string, Scalar>>;
  query?: Readonly<Record<string, Scalar | readonly unknown[] | Readonly<Record<string, unknown>> | null | undefined>>;
  body?: unknown;
}

async function request(operation: Operation, input: Given, call: CallOptions, options: ClientOptions): Promise<unknown> {
  const { attempts = 4, timeoutMs = 30_000 } = options;
  const send = options.fetch ?? fetch;
  const url = address(options.baseUrl, operation.path, input);
  const isForm = input.body instanceof FormData;
  const init: RequestInit = {
    method: operation.method,
    // a redirect would take the credentials to another address
    redirect: 'error',
    ...(options.session ? { credentials: 'same-origin' as const } : {}),
    headers: {
      accept: 'application/json',
      ...(input.body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      ...credentials(operation, options),
      // no form and no link of another site can send it; signing in is a write that takes no Idempotency-Key
      ...(options.session && operation.method !== 'GET' ? { 'x-session-request': '1' } : {}),
      ...(operation.isWrite ? { 'idempotency-key': call.idempotencyKey ?? crypto.randomUUID() } : {}),
      ...call.headers,
    },
    ...(input.body === undefined ? {} : { body: isForm ? (input.body as FormData) : JSON.stringify(input.body) }),
  };
  for (let attempt = 1; ; attempt++) {
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(call.signal ? [call.signal] : [])]);
    let answer: Response;
    try {
      answer = await send(url, { ...init, signal });
    } catch (error) {
      if (attempt >= attempts || call.signal?.aborted) throw error;
      await pause(backoffMs(attempt), call.signal);
      continue;
    }
    const body = await bodyOf(answer);
    if (answer.ok) return body;
    const problem = new SwitchboardProblem(answer.status, body, answer.headers.get('x-request-id') ?? undefined);
    if (attempt >= attempts || !isForAMoment(problem)) throw problem;
    await pause(Math.max(backoffMs(attempt), retryAfterMs(answer)), call.signal);
  }
}

/** Refusals that pass by themselves. What is refused for longer than a minute is the caller's to wait for. */
const isForAMoment = ({ status, code }: SwitchboardProblem): boolean =>
  status >= 500 || code === 'rate_limited' || code === 'idempotency_in_progress';

const retryAfterMs = (answer: Response): number => Math.min(60, Number(answer.headers.get('retry-after') ?? 0) || 0) * 1_000;

const backoffMs = (attempt: number): number => Math.random() * Math.min(8_000, 200 * 2 ** attempt);

function address(baseUrl: string, path: string, { params = {}, query = {} }: Given): string {
  const filled = path.replace(/\{([a-z_]+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined || value === '') throw new TypeError(`${path} needs params.${name}.`);
    return encodeURIComponent(String(value));
  });
  const url = new URL(baseUrl.replace(/\/$/, '') + filled);
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    url.searchParams.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return url.toString();
}

function credentials({ credential }: Operation, { token, session, erpToken, publicKey, secretKey }: ClientOptions): Record<string, string> {
  const needs = (name: string, value: string | undefined): string => {
    if (value === undefined) throw new TypeError(`This operation needs the option ${name}.`);
    return value;
  };
  switch (credential) {
    case 'token':
      return session ? {} : { authorization: `Bearer ${needs('token', token)}` };
    case 'erpToken':
      return { authorization: `Bearer ${needs('erpToken', erpToken)}` };
    case 'publicKey':
      return session && publicKey === undefined
        ? {}
        : { 'x-public-key': needs('publicKey', publicKey), ...(secretKey === undefined ? {} : { 'x-secret-key': secretKey }) };
    case undefined:
      return {};
  }
}

async function bodyOf(answer: Response): Promise<unknown> {
  const text = await answer.text();
  if (text === '') return undefined;
  return answer.headers.get('content-type')?.includes('json') ? (JSON.parse(text) as unknown) : text;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason instanceof Error ? signal.reason : new Error('Aborted.'));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

const mapped = <Value, Result>(record: Readonly<Record<string, Value>>, change: (value: Value) => Result): Record<string, Result> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));

function textIn(record: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = record[name];
  return typeof value === 'string' ? value : undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
