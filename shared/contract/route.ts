import type * as z from 'zod';
import type { ProblemFormat } from './envelope.ts';
import type { Problem, ProblemCode } from './problems.ts';
import type { RefusalKind } from './refusal-kinds.ts';

/**
 * A route: one operation's address, callers, limits, schemas, answers and errors, declared once as a value.
 * Read by the Lambda handler, the CDK app, the local runner, the OpenAPI document and the generated tests.
 */

export const scopes = [
  'profile:read',
  'contacts:read',
  'contacts:write',
  'messages:send',
  'templates:read',
  'templates:write',
  'campaigns:read',
  'campaigns:write',
  'conversations:read',
  'crm:read',
  'crm:write',
  'shop:read',
  'shop:write',
  'verification:request',
  'verification:manage',
  'webhooks:manage',
  'audit:read',
  'account:read',
  'account:manage',
  'tokens:manage',
] as const;
export type Scope = (typeof scopes)[number];

/** Least to most: a role may do what the roles before it may. */
export const roles = ['viewer', 'member', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

/** Who may call. The role is the least one that may. */
export type CallerRule =
  | { kind: 'token'; scope: Scope; role: Role }
  /** Any valid token or session of a user, whatever its scopes: what every user may do with the own sessions. */
  | { kind: 'token'; role: 'viewer' }
  | { kind: 'erp_token' }
  | { kind: 'webhook_token' }
  /** A verification key, or a user's token that has the scope. */
  | { kind: 'public_key'; scope: Scope; role: Role }
  | { kind: 'public' };

/** Requests a minute, and what they are counted by (decision G12, S30, V16). */
export const limits = {
  read: { perMinute: 1_200, by: 'token' },
  write: { perMinute: 600, by: 'token' },
  sends: { perMinute: 3_000, by: 'company' },
  bulk: { perMinute: 60, by: 'token' },
  crm: { perMinute: 60, by: 'token' },
  check_phone: { perMinute: 120, by: 'token' },
  shop_read: { perMinute: 300, by: 'token' },
  shop_write: { perMinute: 300, by: 'token' },
  erp: { perMinute: 30, by: 'token' },
  /** Posts to a receiver without a valid signature; signed ones have no limit. */
  receiver: { perMinute: 1_200, by: 'token' },
  test_receiver: { perMinute: 60, by: 'token' },
  public: { perMinute: 60, by: 'ip' },
  storefront: { perMinute: 120, by: 'ip' },
  /** The limit of a whole verification key; the operation itself counts the 30 a minute of V16 by identifier or request. */
  verification: { perMinute: 6_000, by: 'token' },
  /** The limit by address of V16, beside the limit of the credential. */
  verification_ip: { perMinute: 300, by: 'ip' },
  magic: { perMinute: 10, by: 'ip' },
  /** Sign-in with a browser. */
  sign_in: { perMinute: 20, by: 'ip' },
  /** Not of routes: refused credentials by address, those of receivers apart, and the read units of a company. */
  refused_credentials: { perMinute: 60, by: 'ip' },
  refused_receivers: { perMinute: 60, by: 'ip' },
  read_units: { perMinute: 200_000, by: 'company' },
} as const satisfies Record<string, { perMinute: number; by: 'token' | 'company' | 'ip' }>;
export type LimitClass = keyof typeof limits;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface DocumentedBody {
  /** The media type of the body, `application/json` by default. */
  contentType?: string;
  schema: z.ZodType;
  /** At least one body that the route accepts, by a short name. */
  examples: Readonly<Record<string, { summary: string; value: unknown }>>;
}

export const madeKinds = ['session', 'token', 'passkey', 'user', 'receiver', 'key', 'number', 'endpoint', 'upload'] as const;
export type MadeKind = (typeof madeKinds)[number];

export interface RouteSpec {
  method: Method;
  /** As API Gateway writes it: `/api/v1/contacts/{id}`. */
  path: string;
  /** Other paths that are the same route; the first one is canonical. */
  aliases?: readonly string[];
  /** Where it is served: the HTTP API alone, or the function's own URL too (webhooks: no limit of the API holds for a burst of them). */
  via?: 'api' | 'url';
  /** The operation in a few words, in the imperative: `List contacts`. */
  summary: string;
  /** What it does, when to use it, what follows from it. Scope, role, limit and errors are added to the reference by the generator. */
  description?: string;
  caller: CallerRule;
  limit: LimitClass;
  /** A second limit, by address, for callers that share one credential (a public key). */
  addressLimit?: LimitClass;
  /** A narrower limit that the operation itself counts, in words, with what it is counted by. */
  ownLimit?: string;
  /** A read can be repeated at will; a write takes an Idempotency-Key (G19), for 24 hours by default. */
  effect: 'read' | 'write';
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  /** What becomes of a body field that the schema does not know: named in the answer (`warn`, the default), or 422 `unknown_field`. */
  unknownFields?: 'warn' | 'refuse';
  /** A message or code leaves by it, which no one takes back: a misspelt field, such as `schedule_at`, is always 422 `unknown_field`. */
  sends?: true;
  /** How the body may be encoded; JSON by default. `raw` bodies reach the operation as bytes, because their signature covers the bytes. */
  accepts?: readonly ('json' | 'multipart' | 'raw')[];
  /** The body that a route understands, for the API reference only: the route itself parses the bytes, or takes the body apart. */
  documents?: DocumentedBody;
  /** Every 2xx, each with its schema. `z.undefined()` is an empty body. */
  answers: Readonly<Record<number, z.ZodType>>;
  /** Content types of the answers, `application/json` by default. An operation that can send several names one; otherwise the first is sent. */
  contentTypes?: readonly [string, ...string[]];
  /** The shape of error bodies, `standard` by default. */
  problemFormat?: ProblemFormat;
  /** The codes of its own; problemsOf adds those that every such route can answer with. */
  errors: readonly ProblemCode[];
  /** Why it refuses a body that its schema allows, where neither the schema nor a code of its own shows it (lib/generate/refusals.ts). */
  refuses?: readonly RefusalKind[];
  /** What it makes that lets someone in, or is sent what the company has. docs/access.md lists what each may carry. */
  makes?: MadeKind;
  /** In a session it needs a fresh proof: its user signed in within the last ten minutes. */
  freshProof?: true;
  /** Answered to pages of the product's own origin alone, as sessions are: it sets or reads a cookie. */
  sameOrigin?: true;
  /** A file that is the same for all callers: a cache before the API may answer with it, and a low throttle bounds what its transfer costs. */
  isStatic?: true;
  /** The answer depends on the calling user, as of an own record or of one that names its author: an Idempotency-Key holds for this user only. */
  isOwnRecord?: true;
  /** Secrets go in or out: under an Idempotency-Key the answer is kept sealed, and of the body only a keyed hash. */
  secret?: true;
  /** A deprecated form, with the path of its successor (G20). */
  deprecated?: { successor: string };
}

/** A route as a context writes it: a GET is a read with the limit of reads, all else a write, unless it says otherwise. */
export type DeclaredRoute = Omit<RouteSpec, 'effect' | 'limit'> & Partial<Pick<RouteSpec, 'effect' | 'limit'>>;

/** Checks a route's shape and keeps its literal types. */
export const route = <const R extends DeclaredRoute>(spec: R): R & Pick<RouteSpec, 'effect' | 'limit'> => {
  const usual = spec.method === 'GET' ? 'read' : 'write';
  return { effect: usual, limit: usual, ...spec };
};

/** The content types of a route's answers. */
export const contentTypesOf = (spec: Pick<RouteSpec, 'contentTypes'>): readonly [string, ...string[]] =>
  spec.contentTypes ?? ['application/json'];

/** Codes that any authenticated route may answer with, so that routes list only what is their own. */
const commonProblems = [
  'token_missing',
  'token_invalid',
  'token_expired',
  'token_revoked',
  'insufficient_scope',
  'cross_origin_request',
  'other_session',
  'company_suspended',
  'ip_not_allowed',
  'rate_limited',
  'internal_error',
  'temporarily_unavailable',
] as const satisfies readonly ProblemCode[];

/** What a route with a body may answer besides. */
const bodyProblems = [
  'invalid_json',
  'payload_too_large',
  'unsupported_content_type',
  'validation_failed',
  'unknown_field',
] as const satisfies readonly ProblemCode[];

/** What a write may answer besides, because it takes an Idempotency-Key. */
const writeProblems = [
  'invalid_idempotency_key',
  'idempotency_key_reused',
  'idempotency_in_progress',
] as const satisfies readonly ProblemCode[];

/** Every code that a route may answer with: its own, and those that its caller, body and effect bring with them. */
export const problemsOf = (spec: RouteSpec): ProblemCode[] => [
  ...new Set<ProblemCode>([
    ...(spec.caller.kind === 'public' ? (['rate_limited', 'internal_error', 'temporarily_unavailable'] as const) : commonProblems),
    ...(spec.sameOrigin ? (['cross_origin_request'] as const) : []),
    ...(spec.freshProof ? (['fresh_proof_required'] as const) : []),
    ...('role' in spec.caller && spec.caller.role !== 'viewer' ? (['role_required'] as const) : []),
    ...(spec.body && !spec.accepts?.includes('raw') ? bodyProblems : []),
    ...(spec.sends ? (['unknown_field'] as const) : []),
    ...(spec.accepts?.includes('multipart') ? (['invalid_multipart'] as const) : []),
    ...(spec.effect === 'write' ? writeProblems : []),
    ...spec.errors,
  ]),
];

/** The authenticated caller of a request. */
export interface Principal {
  companyId: number;
  userId: number;
  credentialId: number;
  credentialKind: 'token' | 'session' | 'erp_token' | 'webhook_token' | 'public_key' | 'secret_key';
  role: Role;
  scopes: readonly Scope[];
  /** Of a session: when its user proved to be there, epoch milliseconds. */
  provenAt?: number | undefined;
  /** Epoch milliseconds; undefined: never. */
  expiresAt?: number | undefined;
  /** What the credential is for beyond its company: a receiver's name, a profile's id. */
  subject: string | undefined;
  /** Addresses and networks that may use it; undefined: all. */
  networks?: readonly string[] | undefined;
  /** Of the profile a verification key is for: inactive refuses all but its configuration. */
  subjectStatus: 'active' | 'inactive';
  /** Counts the changes of that profile: one that was read at this revision is the latest. */
  subjectRevision?: number | undefined;
  /** A verification key for tests. */
  isTest: boolean;
  /** Whether the company takes no token in the query (G18). */
  refusesQueryToken?: boolean;
  /** Whether the company takes no unknown field in a body. */
  refusesUnknownFields?: boolean;
  /** Which of its calls the company has in its request log. */
  logsRequests?: 'refused' | 'all' | 'none';
  /** Whether with what they sent and got. */
  logsBodies?: boolean;
}

export type CallerOf<R extends RouteSpec> = R['caller'] extends { kind: 'public' } ? undefined : Principal;

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/**
 * Draws the id of what is about to be made. Under an Idempotency-Key what was drawn is kept with the key (1 WRU) before it is used, and a
 * repetition after a crash gets the same: so it finds what the first try made, in place of making another. Without a key it only draws.
 */
export type Once = <T extends string | number>(name: string, draw: () => T | Promise<T>) => Promise<T>;
export const drawWithoutKey: Once = async (_name, draw) => draw();

/** What an operation sees of a request: only what its route declares. */
export interface Request<R extends RouteSpec = RouteSpec> {
  /** The method of the request: a GET route is also called with HEAD. */
  method: string;
  caller: CallerOf<R>;
  params: Parsed<R['params']>;
  query: Parsed<R['query']>;
  body: Parsed<R['body']>;
  /** The id of the operation: the same for every retry under one Idempotency-Key, so that effects can be tied to it. */
  operationId: string;
  /** When the operation began, epoch milliseconds; like operationId, kept over retries under one Idempotency-Key. */
  startedAt: number;
  once: Once;
  requestId: string;
  /** The address called, without its query: `https://host/api/v1/contacts`. */
  url: string;
  /** The query as sent, without the token; what page links repeat. */
  rawQuery: URLSearchParams;
  /** Lower-case header names; secrets are already taken out. */
  headers: Readonly<Record<string, string>>;
  cookies: Readonly<Record<string, string>>;
  /** The body's bytes exactly as sent. */
  rawBody: Buffer;
  sourceIp: string;
  /**
   * Counts the call against the company's limit; for routes whose limit is by company only. Call it beside the first reads,
   * and return the problem it gives.
   */
  spendCompanyLimit: () => Promise<Problem<'rate_limited'> | undefined>;
  /**
   * For receivers, whose signed posts have no limit (G12): counts a post that has no valid signature against the route's limit. Call it
   * before such a post is accepted or refused, and return the problem it gives.
   */
  countUnsigned: () => Promise<Problem<'rate_limited'> | undefined>;
}

export type AnswerOf<R extends RouteSpec> = {
  [S in keyof R['answers'] & number]: {
    status: S;
    body: z.input<R['answers'][S]>;
    headers?: Record<string, string>;
    cookies?: readonly string[];
  };
}[keyof R['answers'] & number];

type CommonProblem = (typeof commonProblems)[number];

export type Outcome<R extends RouteSpec> = AnswerOf<R> | Problem<R['errors'][number] | CommonProblem>;

export type Operation<R extends RouteSpec> = (request: Request<R>) => Promise<Outcome<R>>;

/** One operation for every route: leaving one out does not compile. */
export type Operations<Routes extends Record<string, RouteSpec>> = { [K in keyof Routes]: Operation<Routes[K]> };
