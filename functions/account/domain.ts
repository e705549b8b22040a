import { type Role, type Scope, scopes } from '../../shared/contract/route.ts';
import { dayMs, isoTime } from '../../shared/runtime/clock.ts';
import type { CompanyRecord, NumberRecord, PlanLimits, ProfileRecord, UserRecord } from './contract.ts';
import type { Company } from './store/company.ts';
import type { NumberItem } from './store/number.ts';
import type { User } from './store/user.ts';
import type { VerificationProfile } from './store/verification-profile.ts';

/**
 * What a role may do (decision A70): a viewer reads; a member does all the daily work, sending and campaigns and templates included;
 * settings (verification, webhooks) are an admin's. What only an owner may (pipelines) is asked by role, not by scope.
 */
const readerScopes: readonly Scope[] = [
  'profile:read',
  'contacts:read',
  'templates:read',
  'campaigns:read',
  'conversations:read',
  'crm:read',
  'shop:read',
];
const memberScopes: readonly Scope[] = ['contacts:write', 'messages:send', 'templates:write', 'campaigns:write', 'crm:write', 'shop:write'];

export const roleScopes: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: readerScopes,
  member: inScopeOrder([...readerScopes, ...memberScopes]),
  admin: scopes,
  owner: scopes,
};

/** What a token may do now: what was asked for it, as far as its user's role goes; all of the role when nothing was asked (G16). */
export const effectiveScopes = (role: Role, requested: readonly Scope[] | undefined): Scope[] =>
  roleScopes[role].filter((scope) => requested === undefined || requested.includes(scope));

export const maxTokensPerUser = 50;
export const defaultLifeDays = 365;
export const defaultOverlapHours = 24;
/** Secrets that may live beside the newest one; the oldest dies early when rotations come faster. */
export const maxPrevious = 4;

export const unlimited: PlanLimits = { contacts: null, users: null, numbers: null, pipelines: null };
export const defaultVersion = 'v19.0';
export const defaultRatePerSecond = 80;

/** Epoch milliseconds at which a secret made now dies; undefined: never. */
export const expiryOf = (nowMs: number, lifeDays: number | undefined): number | undefined =>
  lifeDays === undefined ? undefined : nowMs + lifeDays * dayMs;

interface Expiring {
  status: 'active' | 'revoked';
  expiresAt?: number | undefined;
}

/** Dead from the very millisecond of its expiry, as the check of a call has it. */
export const isUsable = ({ status, expiresAt }: Expiring, nowMs: number): boolean =>
  status === 'active' && (expiresAt === undefined || expiresAt > nowMs);

export const credentialStatus = (credential: Expiring, nowMs: number): 'active' | 'expired' | 'revoked' => {
  if (credential.status === 'revoked') return 'revoked';
  return isUsable(credential, nowMs) ? 'active' : 'expired';
};

/** After a rotation: which old secrets live on, and which must die now because too many would. `current` is the one just replaced. */
export const splitPrevious = <P extends { hash: string; expiresAt: number }>(
  current: P,
  previous: readonly P[],
  nowMs: number,
): { kept: P[]; dropped: P[] } => {
  const alive = [current, ...previous].filter(({ expiresAt }) => expiresAt > nowMs);
  return { kept: alive.slice(0, maxPrevious), dropped: alive.slice(maxPrevious) };
};

export const time = (epochMs: number | undefined): string | null => (epochMs === undefined ? null : isoTime(epochMs));

export const toCompanyRecord = (company: Company): CompanyRecord => ({
  id: company.companyId,
  name: company.name,
  timezone: company.timezone,
  status: company.status,
  plan: company.plan,
  settings: {
    window_policy: company.settings.windowPolicy,
    strict_fields: company.settings.strictFields,
    task_reminder_minutes: company.settings.taskReminderMinutes,
  },
  users_count: company.userCount,
  numbers_count: company.numberCount,
  created_at: isoTime(company.createdAt),
  updated_at: isoTime(company.updatedAt),
});

export const toUserRecord = (user: User): UserRecord => ({
  id: user.id,
  name: user.name,
  email: user.email,
  role: user.role,
  status: user.status,
  created_at: isoTime(user.createdAt),
  updated_at: isoTime(user.updatedAt),
});

export const toNumberRecord = (number: NumberItem): NumberRecord => ({
  id: number.id,
  phone: number.phone,
  phone_number_id: number.phoneNumberId,
  waba_id: number.wabaId,
  status: number.status,
  version: number.version,
  base_url: number.baseUrl ?? null,
  rate: number.ratePerSecond,
  quality: number.quality,
  has_app_secret: number.sealedAppSecret !== undefined,
  created_at: isoTime(number.createdAt),
  updated_at: isoTime(number.updatedAt),
});

export const toProfileRecord = (profile: VerificationProfile): ProfileRecord => ({
  id: profile.id,
  name: profile.name,
  status: profile.status,
  is_default: profile.isDefault,
  settings_json: profile.settings,
  created_at: isoTime(profile.createdAt),
  updated_at: isoTime(profile.updatedAt),
});

function inScopeOrder(some: readonly Scope[]): Scope[] {
  return scopes.filter((scope) => some.includes(scope));
}
