import * as z from 'zod';
import { text } from '../../../shared/contract/fields.ts';
import { channels } from '../contract/stored.ts';
import { isNetwork } from '../../../shared/access/networks.ts';

/**
 * A profile's settings, with the default of every key that is not stored; a new default therefore applies to existing profiles. An
 * invalid stored value falls back to its default, so that a broken profile does not stop customers from signing in.
 */
const whole = (min: number, max: number, fallback: number) =>
  z
    .int({ error: 'Must be a whole number.' })
    .min(min, { error: `Must be at least ${min}.` })
    .max(max, { error: `Must be at most ${max}.` })
    .default(fallback)
    .catch(fallback);
const flag = (fallback: boolean) => z.boolean().default(fallback).catch(fallback);
const texts = (each: z.ZodString = z.string()) => z.array(each).default([]).catch([]);
/** Values of rules and of whitelist entries. */
export const network = z.string().refine(isNetwork, { error: 'Must be an address, or a network such as 10.0.0.0/8.' });
export const country = z.string().regex(/^[A-Za-z]{2}$/, { error: 'Must be a country of two letters, such as DE.' });
export const domain = text(253).regex(/^[^\s@.]+(\.[^\s@.]+)+$/, { error: 'Must be a domain.' });

export type Channel = (typeof channels)[number];

const otp = z.object({
  length: whole(4, 10, 6).meta({ description: 'Characters of a code.' }),
  type: z
    .enum(['numeric', 'alphanumeric'])
    .default('numeric')
    .catch('numeric')
    .meta({ description: 'numeric, or alphanumeric without characters that look alike.' }),
  expiry_seconds: whole(60, 3_600, 600).meta({ description: 'How long a code is valid, seconds.' }),
  max_lifetime_seconds: whole(60, 86_400, 3_600).meta({ description: 'How long a repeated request can extend a code, seconds.' }),
  max_attempts: whole(3, 10, 5).meta({ description: 'Wrong codes until the request fails.' }),
  resend_cooldown_seconds: whole(1, 3_600, 30).meta({ description: 'Seconds before the first resend; later ones wait longer.' }),
  max_sends: whole(1, 20, 5).meta({ description: 'Messages of a request.' }),
});
export const captchaSettings = z.object({
  mode: z
    .enum(['disabled', 'always', 'risk_based', 'after_x_attempts'])
    .default('disabled')
    .catch('disabled')
    .meta({ description: 'When a CAPTCHA is required.' }),
  provider: z
    .enum(['turnstile', 'hcaptcha', 'recaptcha'])
    .default('turnstile')
    .catch('turnstile')
    .meta({ description: 'The CAPTCHA provider.' }),
  site_key: text(500).default('').catch('').meta({ description: 'The public key of the CAPTCHA provider.' }),
  secret_key: text(500).default('').catch('').meta({ description: 'The secret key of the CAPTCHA provider; never shown.' }),
  hostnames: texts(domain).meta({
    description: 'When not empty, a CAPTCHA answer counts only from these host names, which the CAPTCHA provider reports.',
  }),
  action: text(100)
    .default('')
    .catch('')
    .meta({ description: 'When not empty, a CAPTCHA answer counts only for this action of the widget.' }),
  after_attempts: whole(0, 100, 3).meta({ description: 'For after_x_attempts: sends or failed attempts before a CAPTCHA is required.' }),
});
const bombing = z.object({
  window_seconds: whole(10, 86_400, 600).meta({ description: 'The time in which sends to an identifier are counted, seconds.' }),
  max_requests: whole(1, 100, 5).meta({ description: 'Sends to an identifier within the window.' }),
  block_seconds: whole(1, 604_800, 3_600).meta({ description: 'How long the first block lasts, seconds.' }),
});
const velocity = z.object({
  window_seconds: whole(10, 86_400, 3_600).meta({ description: 'The time in which identifiers of an address are counted, seconds.' }),
  max_identifiers: whole(1, 1_000, 20).meta({ description: 'Identifiers of an address within the window.' }),
  block_seconds: whole(1, 604_800, 3_600).meta({ description: 'How long the block lasts, seconds.' }),
});
const countries = z.object({
  mode: z
    .enum(['all', 'allow', 'block'])
    .default('all')
    .catch('all')
    .meta({ description: 'Which countries are allowed: all, only the list, or all but the list.' }),
  list: texts(country).meta({ description: 'Countries of two letters, such as DE.' }),
  max_per_hour: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .catch(null)
    .meta({ description: 'Requests of a country within an hour; null: no limit.' }),
});
const ceilings = z.object({
  per_hour: whole(1, 1_000_000, 2_000).meta({ description: 'Codes of the profile within an hour, to all identifiers.' }),
  per_day: whole(1, 10_000_000, 20_000).meta({ description: 'Codes of the profile within a day (UTC), to all identifiers.' }),
  countries: z
    .record(
      z.string().regex(/^([A-Z]{2}|\*)$/, { error: 'Must be a country code, such as DE, or * for all others.' }),
      z.int().min(0).max(10_000_000),
    )
    .default({})
    .catch({})
    .meta({
      description:
        'Codes of the profile within a day (UTC) to phones of a country, such as {"NG": 200, "*": 50}: `*` is the limit of each country that is not named. What codes to a country may cost is so many times its price.',
    }),
});
const domains = z.object({
  allow: texts(domain).meta({ description: 'When not empty, only these domains and their subdomains are allowed.' }),
  block: texts(domain).meta({ description: 'Domains that are refused, with their subdomains.' }),
});
const trust = z.object({
  ttl_days: whole(0, 365, 30).meta({ description: 'How long a trust key is valid, days; 0: no trust keys.' }),
  cross_purpose: flag(false).meta({ description: 'Whether a trust key is valid for other purposes.' }),
});
const magicLink = z.object({
  enabled: flag(true).meta({ description: 'Whether magic links are sent and valid.' }),
  confirm_page: flag(false).meta({ description: 'Whether a magic link shows a button first.' }),
  redirect_url: z
    .url({ protocol: /^https$/ })
    .optional()
    .catch(undefined)
    .meta({ description: 'The https URL to continue at after a magic link.' }),
});
const oneClick = z.object({ enabled: flag(true).meta({ description: 'Whether users can verify by a WhatsApp message.' }) });
const polling = z.object({
  interval_ms: whole(500, 60_000, 3_000).meta({ description: 'Milliseconds between two polls of the status.' }),
  timeout_seconds: whole(10, 3_600, 300).meta({ description: 'Seconds after which polling should end.' }),
});

const section = <S extends z.ZodObject>(schema: S) => z.preprocess((value) => (isObject(value) ? value : {}), schema);

export const settingsSchema = z.object({
  channels: z
    .array(z.enum(channels))
    .min(1)
    .default([...channels])
    .catch([...channels])
    .meta({ description: 'The allowed channels.' }),
  default_channel: z.enum(channels).default('whatsapp').catch('whatsapp').meta({ description: 'The channel to offer first.' }),
  otp: section(otp).meta({ description: 'The codes.' }),
  guess_budget_per_day: whole(1, 1_000, 15).meta({
    description:
      'Failed attempts of one source at an identifier within 24 hours; all sources together have three times as many, within odds of 1 in 10,000 a day.',
  }),
  captcha: section(captchaSettings).meta({ description: 'CAPTCHA.' }),
  bombing: section(bombing).meta({ description: 'The limit of sends to one identifier.' }),
  ceilings: section(ceilings).meta({
    description: 'The limit of codes of the profile; an event `verification.ceiling_reached` is published when it is reached.',
  }),
  velocity: section(velocity).meta({ description: 'The limit of identifiers of one address.' }),
  countries: section(countries).meta({ description: 'Allowed countries.' }),
  ip_whitelist: texts(network).meta({
    description: 'When not empty, only these addresses and networks are allowed, without velocity limit.',
  }),
  email_domains: section(domains).meta({ description: 'Allowed and blocked email domains.' }),
  block_disposable: flag(true).meta({ description: 'Whether disposable email domains are refused.' }),
  trust: section(trust).meta({ description: 'Trust keys.' }),
  magic_link: section(magicLink).meta({ description: 'Magic links.' }),
  one_click: section(oneClick).meta({ description: 'Verification by a WhatsApp message.' }),
  polling: section(polling).meta({ description: 'How clients should poll the status.' }),
  require_signature: flag(false).meta({ description: 'Whether calls with a public key must be signed.' }),
  test_identifiers: z
    .record(z.string(), z.string())
    .default({})
    .catch({})
    .meta({ description: 'Test identifiers with their fixed codes; nothing is sent.' }),
});
export type Settings = z.output<typeof settingsSchema>;

/** The codes that a profile may send to phones of a country within a day; undefined: the country has no limit of its own. */
export const countryCeiling = ({ ceilings: { countries: limits } }: Settings, country: string | undefined): number | undefined =>
  country === undefined ? undefined : (limits[country] ?? limits['*']);

export const parseSettings = (stored: Readonly<Record<string, unknown>>): Settings => settingsSchema.parse(stored);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
