import type { AuditEntry } from '../../../client/client.ts';
import type { settingsText } from '../../text/settings.ts';
import type { TextOf } from '../../text/text.ts';

type Text = TextOf<typeof settingsText>;
type Changes = AuditEntry['changes'];
type Value = Changes[string]['from'];

/** The session of a sign-in, or of a sign-out in its own browser. There are many of them, and they change nothing of the account. */
export const isOfSession = ({ action, target, by, changes }: AuditEntry): boolean =>
  (action === 'credential.created' && changes['kind']?.to === 'session') ||
  (action === 'credential.updated' && by.credential_kind === 'session' && String(by.credential_id) === target.id);

/** Who did it: a session is made by the system for the user who signs in. */
export const userOf = ({ by, changes }: AuditEntry): number | null => {
  const signedIn = changes['user_id']?.to;
  return by.user_id ?? (changes['kind']?.to === 'session' && typeof signedIn === 'number' ? signedIn : null);
};

const nouns = (text: Text): Readonly<Record<string, string>> => ({
  company: text.company,
  user: text.auditUser,
  number: text.auditNumber,
  passkey: text.auditPasskey,
  verification_profile: text.auditProfile,
  webhook_endpoint: text.auditWebhook,
  rate_card: text.auditRates,
  spend_ceilings: text.auditCeilings,
  token_ceiling: text.auditTokenCeiling,
  contact: text.auditContact,
  credential: text.auditCredential,
  token: text.auditToken,
  erp_token: text.auditErp,
  webhook_token: text.auditAddress,
  public_key: text.auditKey,
  secret_key: text.auditKey,
  session: text.auditSession,
});

/** What was done: `Number added: 15550100001`. */
export const sentenceOf = (entry: AuditEntry, nameOfUser: (id: number) => string | undefined, text: Text): string => {
  const { action, target, changes } = entry;
  if (isOfSession(entry)) {
    if (action !== 'credential.created') return text.auditSignedOut;
    const ways: Readonly<Record<string, string>> = { token: text.byToken, email_code: text.byEmail, passkey: text.byPasskey };
    return text.auditSignedIn(ways[String(changes['signed_in_by']?.to)] ?? text.unknown);
  }
  const kind = target.kind === 'credential' ? String(changes['kind']?.to ?? 'credential') : target.kind;
  const name = target.kind === 'user' ? nameOfUser(Number(target.id)) : (changes['phone']?.to ?? changes['name']?.to);
  const verb = action.split('.')[1] ?? '';
  const done = changes['status']?.to === 'revoked' || changes['status']?.to === 'inactive' ? text.auditEnded : undefined;
  const verbs: Readonly<Record<string, string>> = {
    created: text.auditCreated,
    updated: done ?? (changes['secret'] ? text.auditReplaced : text.auditUpdated),
    deleted: text.auditDeleted,
    blocked: text.auditBlocked,
    unblocked: text.auditUnblocked,
  };
  const what = `${nouns(text)[kind] ?? nouns(text)[target.kind] ?? target.kind} ${verbs[verb] ?? verb}`;
  return typeof name === 'string' && name !== '' && !name.startsWith('(') ? `${what}: ${name}` : what;
};

/** What is different, each as `Role: member → admin`. A record that is new has nothing before. */
export const differencesOf = ({ action, changes }: AuditEntry, text: Text, timeOf: (ms: number) => string): string[] => {
  if (action.endsWith('.created') || action.endsWith('.deleted')) return [];
  const words = (field: string, value: Value | undefined): string => wordsOfValue(field, value, text, timeOf);
  return Object.entries(changes)
    .flatMap(([field, { from, to }]) => (field === 'settings' ? settingsOf(from, to) : [[field, from, to] as const]))
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([field, from, to]) =>
      to === '(secret)' || to === '(personal data)'
        ? nameOfField(field, text)
        : text.auditDifference(nameOfField(field, text), words(field, from), words(field, to)),
    );
};

/** The settings of the company are one value as stored: those that differ. */
const settingsOf = (from: Value, to: Value): (readonly [string, Value | undefined, Value | undefined])[] => {
  const [before, after] = [recordOf(from), recordOf(to)];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => before[name] !== after[name])
    .map((name) => [snakeOf(name), before[name], after[name]] as const);
};

const snakeOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const recordOf = (value: Value): Readonly<Record<string, Value>> => {
  if (typeof value !== 'string') return {};
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, Value>) : {};
  } catch {
    return {};
  }
};

const nameOfField = (field: string, text: Text): string => {
  const names: Readonly<Record<string, string>> = {
    name: text.name,
    role: text.role,
    status: text.status,
    timezone: text.timezone,
    plan: text.plan,
    scopes: text.auditScopes,
    networks: text.auditNetworks,
    expires_at: text.ends,
    phone: text.phone,
    phone_number_id: text.phoneNumberId,
    waba_id: text.wabaId,
    rate: text.pace,
    is_default: text.isDefault,
    events: text.auditEvents,
    secret: text.auditSecret,
    shared_secret: text.auditSecret,
    access_token: text.accessToken,
    app_secret: text.appSecret,
    window_policy: text.windowPolicy,
    default_country: text.defaultCountry,
    strict_fields: text.strictFields,
    strict_input: text.strictInput,
    request_log: text.requestLog,
    request_bodies: text.requestBodies,
    query_tokens: text.queryTokens,
    subscribed_by_default: text.subscribedByDefault,
    task_reminder_minutes: text.reminderMinutes,
    task_reminder_template_id: text.reminderTemplate,
    assign_on_reply: text.assignOnReply,
    retention_days: text.retentionDays,
  };
  return names[field] ?? field.replaceAll('_', ' ');
};

/** A value as it is read: times as times, and what is not there as that. */
export const wordsOfValue = (field: string, value: Value | undefined, text: Text, timeOf: (ms: number) => string): string => {
  if (value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return text.empty;
  if (typeof value === 'boolean') return value ? text.yes : text.no;
  if (field.endsWith('_at') && typeof value === 'number') return timeOf(value);
  return Array.isArray(value) ? value.join(', ') : String(value);
};
