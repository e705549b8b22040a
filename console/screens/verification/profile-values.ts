import type { VerificationProfile, VerificationSettings } from '../../../client/client.ts';

/** The settings of a profile that the page has fields for, with times in minutes as its sentences have them. */
export interface ProfileValues {
  name: string;
  first: 'whatsapp' | 'email';
  other: boolean;
  length: string;
  type: 'numeric' | 'alphanumeric';
  expiryMinutes: string;
  maxAttempts: string;
  resendSeconds: string;
  maxSends: string;
  bombingMax: string;
  bombingMinutes: string;
  bombingBlockMinutes: string;
  velocityMax: string;
  velocityMinutes: string;
  velocityBlockMinutes: string;
  perHour: string;
  perDay: string;
  attemptsPerDay: string;
  trustDays: string;
  countriesMode: 'all' | 'allow' | 'block';
  countries: string;
  blockDisposable: boolean;
  requireSignature: boolean;
}

type Record_ = Readonly<Record<string, unknown>>;
const partOf = (settings: Record_, name: string): Record_ => (settings[name] ?? {}) as Record_;
const minutes = (seconds: unknown): string => String(Math.round((Number(seconds) / 60) * 100) / 100);
const seconds = (given: string): number => Math.round(Number(given) * 60);

export const profileValues = ({ name, settings_json: settings }: Pick<VerificationProfile, 'name' | 'settings_json'>): ProfileValues => {
  const [otp, bombing, velocity, ceilings, countries] = ['otp', 'bombing', 'velocity', 'ceilings', 'countries'].map((each) =>
    partOf(settings, each),
  ) as [Record_, Record_, Record_, Record_, Record_];
  return {
    name,
    first: settings['default_channel'] === 'email' ? 'email' : 'whatsapp',
    other: Array.isArray(settings['channels']) && settings['channels'].length > 1,
    length: String(otp['length']),
    type: otp['type'] === 'alphanumeric' ? 'alphanumeric' : 'numeric',
    expiryMinutes: minutes(otp['expiry_seconds']),
    maxAttempts: String(otp['max_attempts']),
    resendSeconds: String(otp['resend_cooldown_seconds']),
    maxSends: String(otp['max_sends']),
    bombingMax: String(bombing['max_requests']),
    bombingMinutes: minutes(bombing['window_seconds']),
    bombingBlockMinutes: minutes(bombing['block_seconds']),
    velocityMax: String(velocity['max_identifiers']),
    velocityMinutes: minutes(velocity['window_seconds']),
    velocityBlockMinutes: minutes(velocity['block_seconds']),
    perHour: String(ceilings['per_hour']),
    perDay: String(ceilings['per_day']),
    attemptsPerDay: String(settings['guess_budget_per_day']),
    trustDays: String(partOf(settings, 'trust')['ttl_days']),
    countriesMode: countries['mode'] === 'allow' || countries['mode'] === 'block' ? countries['mode'] : 'all',
    countries: Array.isArray(countries['list']) ? countries['list'].join(', ') : '',
    blockDisposable: settings['block_disposable'] === true,
    requireSignature: settings['require_signature'] === true,
  };
};

/** Where the API has each field of the page, and how it is written there. */
const places = {
  length: ['otp', 'length', Number],
  type: ['otp', 'type', String],
  expiryMinutes: ['otp', 'expiry_seconds', seconds],
  maxAttempts: ['otp', 'max_attempts', Number],
  resendSeconds: ['otp', 'resend_cooldown_seconds', Number],
  maxSends: ['otp', 'max_sends', Number],
  bombingMax: ['bombing', 'max_requests', Number],
  bombingMinutes: ['bombing', 'window_seconds', seconds],
  bombingBlockMinutes: ['bombing', 'block_seconds', seconds],
  velocityMax: ['velocity', 'max_identifiers', Number],
  velocityMinutes: ['velocity', 'window_seconds', seconds],
  velocityBlockMinutes: ['velocity', 'block_seconds', seconds],
  perHour: ['ceilings', 'per_hour', Number],
  perDay: ['ceilings', 'per_day', Number],
  trustDays: ['trust', 'ttl_days', Number],
  countriesMode: ['countries', 'mode', String],
} as const satisfies Partial<Record<keyof ProfileValues, readonly [string, string, (given: string) => unknown]>>;
export type PlacedField = keyof typeof places;

/** The name of a field in a refusal. */
export const placeOf = (field: PlacedField): string => `settings_json.${places[field][0]}.${places[field][1]}`;

const isPlaced = (name: string): name is PlacedField => name in places;

/** What was changed, in the API's form: settings are merged, so that nothing else is touched. */
export const profileBody = (all: ProfileValues, changed: Partial<ProfileValues>) => {
  const settings: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(changed))
    if (isPlaced(name)) {
      const [part, field, write] = places[name];
      settings[part] = { ...(settings[part] as object | undefined), [field]: write(String(value)) };
    }
  if (changed.first !== undefined || changed.other !== undefined) {
    settings['default_channel'] = all.first;
    settings['channels'] = all.other ? ['whatsapp', 'email'] : [all.first];
  }
  if (changed.attemptsPerDay !== undefined) settings['guess_budget_per_day'] = Number(all.attemptsPerDay);
  if (changed.blockDisposable !== undefined) settings['block_disposable'] = all.blockDisposable;
  if (changed.requireSignature !== undefined) settings['require_signature'] = all.requireSignature;
  if (changed.countries !== undefined)
    settings['countries'] = { ...(settings['countries'] as object | undefined), list: countriesIn(all.countries) };
  return {
    ...(changed.name === undefined ? {} : { name: all.name.trim() }),
    ...(Object.keys(settings).length === 0 ? {} : { settings_json: settings as VerificationSettings }),
  };
};

const countriesIn = (given: string): string[] =>
  given
    .split(/[\s,;]+/)
    .filter((each) => each !== '')
    .map((each) => each.toUpperCase());
