import { type Role, type Scope, scopes } from '../../../shared/contract/route.ts';
import { dayMs } from '../../../shared/runtime/clock.ts';
import type { PlanLimits } from '../contract/plan.ts';

/**
 * Scopes of the roles (A70): a viewer reads, a member also writes and sends, an admin also changes settings (verification, webhooks).
 * Operations only for owners (pipelines) require the role itself, not a scope.
 */
const readerScopes: readonly Scope[] = [
  'profile:read',
  'contacts:read',
  'templates:read',
  'campaigns:read',
  'conversations:read',
  'crm:read',
  'shop:read',
  'account:read',
  'tokens:manage',
];
const memberScopes: readonly Scope[] = [
  'contacts:write',
  'messages:send',
  'templates:write',
  'campaigns:write',
  'crm:write',
  'shop:write',
  'verification:request',
];

export const roleScopes: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: readerScopes,
  member: inScopeOrder([...readerScopes, ...memberScopes]),
  admin: scopes,
  owner: scopes,
};

/** Current scopes of a token (G16): the requested ones that the user's role has, or all scopes of the role. */
export const effectiveScopes = (role: Role, requested: readonly Scope[] | undefined): Scope[] =>
  roleScopes[role].filter((scope) => requested === undefined || requested.includes(scope));

/** Whether only an owner may do it: change an owner, or make one. `by`: the role of the calling user; undefined: the operator. */
export const isOwnersAlone = (by: Role | undefined, ...concerned: readonly Role[]): boolean =>
  by !== undefined && by !== 'owner' && concerned.includes('owner');

export const maxTokensPerUser = 50;
/** Browsers in which a user is signed in at once; the next one ends the oldest. */
export const maxSessionsPerUser = 20;
export const defaultLifeDays = 365;
export const defaultOverlapHours = 24;
/** Former secrets that may be valid beside the newest one; faster rotations end the oldest one early. */
export const maxPrevious = 4;

export const unlimited: PlanLimits = { contacts: null, users: null, numbers: null, pipelines: null };
/** Business numbers of a company, inactive ones included: every send and webhook reads them in one Query. */
export const maxNumbers = 500;
/** Of a number that names none, where its deployment names none either. */
export const defaultVersion = 'v19.0';
export const defaultRatePerSecond = 80;

/** Epoch milliseconds at which a secret created now expires; undefined: never. */
export const expiryOf = (nowMs: number, lifeDays: number | undefined): number | undefined =>
  lifeDays === undefined ? undefined : nowMs + lifeDays * dayMs;

interface Expiring {
  status: 'active' | 'revoked';
  expiresAt?: number | undefined;
}

/** Whether calls accept the secret. It is invalid from the millisecond of its expiry on. */
export const isUsableCredential = ({ status, expiresAt }: Expiring, nowMs: number): boolean =>
  status === 'active' && (expiresAt === undefined || expiresAt > nowMs);

export const credentialStatus = (credential: Expiring, nowMs: number): 'active' | 'expired' | 'revoked' => {
  if (credential.status === 'revoked') return 'revoked';
  return isUsableCredential(credential, nowMs) ? 'active' : 'expired';
};

/** After a rotation: the former secrets that stay valid, and those that end now because of the limit. `current`: the one just replaced. */
export const splitPrevious = <P extends { hash: string; expiresAt: number }>(
  current: P,
  previous: readonly P[],
  nowMs: number,
): { valid: P[]; ended: P[] } => {
  const usable = [current, ...previous].filter(({ expiresAt }) => expiresAt > nowMs);
  return { valid: usable.slice(0, maxPrevious), ended: usable.slice(maxPrevious) };
};

function inScopeOrder(some: readonly Scope[]): Scope[] {
  return scopes.filter((scope) => some.includes(scope));
}
