import * as z from 'zod';
import { text } from '../../../shared/contract/fields.ts';
import { channels } from '../contract/stored.ts';
import { isNetwork } from './network.ts';

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
  length: whole(4, 10, 6),
  type: z.enum(['numeric', 'alphanumeric']).default('numeric').catch('numeric'),
  expiry_seconds: whole(60, 3_600, 600),
  max_lifetime_seconds: whole(60, 86_400, 3_600),
  max_attempts: whole(3, 10, 5),
  resend_cooldown_seconds: whole(1, 3_600, 30),
  max_sends: whole(1, 20, 5),
});
export const captchaSettings = z.object({
  mode: z.enum(['disabled', 'always', 'risk_based', 'after_x_attempts']).default('disabled').catch('disabled'),
  provider: z.enum(['turnstile', 'hcaptcha', 'recaptcha']).default('turnstile').catch('turnstile'),
  site_key: text(500).default('').catch(''),
  secret_key: text(500).default('').catch(''),
  after_attempts: whole(0, 100, 3),
});
const bombing = z.object({
  window_seconds: whole(10, 86_400, 600),
  max_requests: whole(1, 100, 5),
  block_seconds: whole(1, 604_800, 3_600),
});
const velocity = z.object({
  window_seconds: whole(10, 86_400, 3_600),
  max_identifiers: whole(1, 1_000, 20),
  block_seconds: whole(1, 604_800, 3_600),
});
const countries = z.object({
  mode: z.enum(['all', 'allow', 'block']).default('all').catch('all'),
  list: texts(country),
  max_per_hour: z.int().min(1).nullable().default(null).catch(null),
});
const domains = z.object({ allow: texts(domain), block: texts(domain) });
const trust = z.object({ ttl_days: whole(0, 365, 30), cross_purpose: flag(false) });
const magicLink = z.object({
  enabled: flag(true),
  confirm_page: flag(false),
  redirect_url: z
    .url({ protocol: /^https$/ })
    .optional()
    .catch(undefined),
});
const oneClick = z.object({ enabled: flag(true) });
const polling = z.object({ interval_ms: whole(500, 60_000, 3_000), timeout_seconds: whole(10, 3_600, 300) });

const section = <S extends z.ZodObject>(schema: S) => z.preprocess((value) => (isObject(value) ? value : {}), schema);

export const settingsSchema = z.object({
  channels: z
    .array(z.enum(channels))
    .min(1)
    .default([...channels])
    .catch([...channels]),
  default_channel: z.enum(channels).default('whatsapp').catch('whatsapp'),
  otp: section(otp),
  guess_budget_per_day: whole(1, 1_000, 15),
  captcha: section(captchaSettings),
  bombing: section(bombing),
  velocity: section(velocity),
  countries: section(countries),
  ip_whitelist: texts(network),
  email_domains: section(domains),
  block_disposable: flag(true),
  trust: section(trust),
  magic_link: section(magicLink),
  one_click: section(oneClick),
  polling: section(polling),
  require_signature: flag(false),
  test_identifiers: z.record(z.string(), z.string()).default({}).catch({}),
});
export type Settings = z.output<typeof settingsSchema>;

export const parseSettings = (stored: Readonly<Record<string, unknown>>): Settings => settingsSchema.parse(stored);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
