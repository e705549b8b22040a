import type { Actor } from '../../../shared/runtime/actor.ts';
import { canonical } from '../../../shared/runtime/json.ts';
import { type AuditedEntity, auditedKinds, type AuditedValue, type StoredAuditEntry } from '../contract/audit.ts';

/** An audited item as stored: its attributes and who wrote it last (`by`). */
export type AuditedImage = Readonly<Record<string, unknown>>;

export type AuditDraft = Pick<StoredAuditEntry, 'companyId' | 'action' | 'targetKind' | 'id' | 'by' | 'changes'>;

/** The attributes that an entry shows, by the name that it shows. */
const shownFields: Readonly<Record<AuditedEntity, Readonly<Record<string, string>>>> = {
  company: {
    name: 'name',
    timezone: 'timezone',
    status: 'status',
    plan: 'plan',
    settings: 'settings',
    defaultProfileId: 'default_profile',
  },
  user: { role: 'role', status: 'status' },
  'credential-pointer': {
    credentialKind: 'kind',
    userId: 'user_id',
    status: 'status',
    requestedScopes: 'scopes',
    networks: 'networks',
    subject: 'subject',
    expiresAt: 'expires_at',
    signedInBy: 'signed_in_by',
  },
  passkey: { userId: 'user_id', name: 'name', status: 'status' },
  'business-number': {
    phone: 'phone',
    phoneNumberId: 'phone_number_id',
    wabaId: 'waba_id',
    status: 'status',
    version: 'version',
    baseUrl: 'base_url',
    appId: 'app_id',
    ratePerSecond: 'rate',
    isDefault: 'is_default',
    providerChange: 'at_provider',
  },
  'company-app': { name: 'name', status: 'status' },
  'verification-profile': { name: 'name', status: 'status', isDefault: 'is_default', trustFrom: 'trust_from' },
  'webhook-subscriptions': { events: 'events', status: 'status', profileId: 'profile_id' },
  'rate-card': {
    currency: 'currency',
    effectiveFrom: 'effective_from',
    rev: 'revision',
    source: 'source',
    sha256: 'sha256',
    adjustment: 'adjustment',
    reopens: 'reopens',
  },
  'spend-account': {
    currency: 'currency',
    dayLimit: 'day_micros',
    monthLimit: 'month_micros',
    reservePercent: 'code_reserve_percent',
    stops: 'stops',
    unknownPrice: 'unknown_price',
    onReached: 'on_reached',
  },
  'token-ceiling': { messages: 'messages', micros: 'day_micros', currency: 'currency' },
};

/** Attributes whose value is secret, may contain a secret, or is personal data: that they changed is shown, not what they are. */
const hiddenFields: Readonly<Partial<Record<AuditedEntity, Readonly<Record<string, string>>>>> = {
  user: { name: 'name' },
  'credential-pointer': { hash: 'secret', sealedSecret: 'shared_secret' },
  'business-number': { sealedAccessToken: 'access_token', sealedAppSecret: 'app_secret', verifyTokenHash: 'verify_token' },
  'company-app': { sealedSecret: 'app_secret' },
  'verification-profile': { settings: 'settings' },
};

/** The entries of a stored change: none when nothing that is audited changed; one for each endpoint of the company's list. */
export const auditDrafts = (entity: AuditedEntity, before: AuditedImage | undefined, after: AuditedImage | undefined): AuditDraft[] => {
  const image = after ?? before;
  if (!image) return [];
  // the item of a session that has ended, of a revoked passkey and of a deleted app goes by itself
  if (!after && (image['credentialKind'] === 'session' || entity === 'passkey' || entity === 'company-app')) return [];
  const by = actorOf(image);
  const companyId = Number(image['companyId']);
  // a card of the operator is of no company: the card itself says who imported it, and it is never changed
  if (companyId === 0) return [];
  const targetKind = auditedKinds[entity];
  const parts =
    entity === 'webhook-subscriptions' ? endpointParts(before, after) : [{ id: idOf(entity, image), before, after, changes: {} }];
  return parts.flatMap((part) => {
    const changes = { ...changesOf(entity, part.before, part.after), ...part.changes };
    if (Object.keys(changes).length === 0) return [];
    const verb = !part.before ? 'created' : !part.after ? 'deleted' : 'updated';
    return [{ companyId, action: `${targetKind}.${verb}`, targetKind, id: part.id, by, changes }];
  });
};

const secret = '(secret)';
const personal = '(personal data)';

function changesOf(entity: AuditedEntity, before: AuditedImage | undefined, after: AuditedImage | undefined): AuditDraft['changes'] {
  const changes: AuditDraft['changes'] = {};
  for (const [field, name] of Object.entries(shownFields[entity])) {
    const [from, to] = [valueOf(before, field), valueOf(after, field)];
    if (canonical(from ?? null) !== canonical(to ?? null)) changes[name] = { from: shown(from), to: shown(to) };
  }
  const replacement = entity === 'user' ? personal : secret;
  for (const [field, name] of Object.entries(hiddenFields[entity] ?? {})) {
    const [from, to] = [before?.[field], after?.[field]];
    const hide = (value: unknown): AuditedValue => (value === undefined ? null : replacement);
    if (canonical(from ?? null) !== canonical(to ?? null)) changes[name] = { from: hide(from), to: hide(to) };
  }
  return changes;
}

/** The credential of a system is stored with user 0: it belongs to no user. */
const valueOf = (image: AuditedImage | undefined, field: string): unknown =>
  field === 'userId' && image?.[field] === 0 ? undefined : image?.[field];

function shown(value: unknown): AuditedValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(String);
  return canonical(value);
}

interface AuditedPart {
  id: string;
  before: AuditedImage | undefined;
  after: AuditedImage | undefined;
  changes: AuditDraft['changes'];
}

/** The endpoints of a company are listed in one item, which each of their changes writes. */
function endpointParts(before: AuditedImage | undefined, after: AuditedImage | undefined): AuditedPart[] {
  const [earlier, later] = [endpointsOf(before), endpointsOf(after)];
  const hidden = after?.['hiddenChange'] as { endpointId: number; field: string } | undefined;
  const isNew = hidden !== undefined && canonical(hidden) !== canonical(before?.['hiddenChange'] ?? null);
  return [...new Set([...earlier.keys(), ...later.keys()])].map((id) => ({
    id,
    before: earlier.get(id),
    after: later.get(id),
    changes: isNew && String(hidden.endpointId) === id ? { [hidden.field]: { from: secret, to: secret } } : {},
  }));
}

function endpointsOf(image: AuditedImage | undefined): Map<string, AuditedImage> {
  const endpoints = (image?.['endpoints'] ?? []) as readonly AuditedImage[];
  return new Map(endpoints.map((endpoint) => [String(endpoint['id']), endpoint]));
}

const idOf = (entity: AuditedEntity, image: AuditedImage): string =>
  String(entity === 'company' || entity === 'spend-account' ? image['companyId'] : image['id']);

const actorOf = (image: AuditedImage): AuditDraft['by'] => {
  const by = image['by'] as Actor | undefined;
  return by ? { ...by } : { via: 'system' };
};
