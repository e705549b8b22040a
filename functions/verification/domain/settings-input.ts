import type { FieldErrors } from '../../../shared/contract/problems.ts';
import * as z from 'zod';
import { maxOddsADay } from './attempt-limits.ts';
import { codeSpace } from './code.ts';
import { captchaSettings, type Settings, settingsSchema } from './settings.ts';

/**
 * The input schema of settings: the fields and bounds of the stored ones, but without fallbacks. Every key is optional; null removes a key,
 * which restores its default.
 */
const toStrictSchema = (schema: z.ZodType): z.ZodType => {
  if (schema instanceof z.ZodCatch || schema instanceof z.ZodDefault) return toStrictSchema(schema.def.innerType as z.ZodType);
  if (schema instanceof z.ZodPipe) return toStrictSchema(schema.def.out as z.ZodType);
  // null removes one of its keys
  if (schema instanceof z.ZodRecord) return z.record(schema.def.keyType, (schema.def.valueType as z.ZodType).nullable());
  if (schema instanceof z.ZodObject)
    return z.strictObject(
      Object.fromEntries(Object.entries(schema.shape).map(([name, field]) => [name, toStrictField(field as z.ZodType)])),
      { error: (issue) => (issue.code === 'unrecognized_keys' ? `There is no setting ${issue.keys.join(', ')}.` : 'Must be an object.') },
    );
  return schema;
};

/** An optional field, with the description of the stored one. */
const toStrictField = (field: z.ZodType): z.ZodType => {
  const strict = toStrictSchema(field).nullish();
  return field.description === undefined ? strict : strict.meta({ description: field.description });
};

/** Accepts what the API shows: `has_secret_key` is read-only and ignored. */
const shownSchema = settingsSchema.extend({
  captcha: captchaSettings
    .extend({ has_secret_key: z.boolean().meta({ description: 'Read-only: whether a secret key is stored. Ignored on input.' }) })
    .meta({ description: 'CAPTCHA.' }),
});

export const profileSettingsInput = toStrictSchema(shownSchema).pipe(z.record(z.string(), z.unknown()));
export type SettingsInput = Record<string, unknown>;

export const withoutReadOnlyFields = (given: SettingsInput): SettingsInput => {
  const { captcha } = given;
  if (!isObject(captcha)) return given;
  const { has_secret_key: _, ...writable } = captcha;
  return { ...given, captcha: writable };
};

/** Merges settings key by key, to any depth. Lists are replaced, null removes a key. */
export const mergeSettings = (stored: SettingsInput, given: SettingsInput): SettingsInput => {
  const merged: SettingsInput = { ...stored };
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (value === null) delete merged[key];
    else merged[key] = isObject(value) ? mergeSettings(isObject(merged[key]) ? merged[key] : {}, value) : value;
  }
  return merged;
};

/** Contradictions between valid fields, by field. */
export const findContradictions = (settings: Settings): FieldErrors => ({
  ...(settings.captcha.mode !== 'disabled' && settings.captcha.secret_key === ''
    ? { 'settings_json.captcha.secret_key': ['A CAPTCHA needs the secret key of its service.'] }
    : {}),
  ...(settings.guess_budget_per_day > maxOddsADay * codeSpace(settings.otp)
    ? {
        'settings_json.guess_budget_per_day': [
          `Codes of ${settings.otp.length} ${settings.otp.type === 'numeric' ? 'digits' : 'characters'} allow at most ${Math.floor(maxOddsADay * codeSpace(settings.otp))} failed attempts a day. Use longer codes, or a smaller budget.`,
        ],
      }
    : {}),
  ...(settings.channels.includes(settings.default_channel) ? {} : { 'settings_json.default_channel': ['Must be one of the channels.'] }),
});

/** Settings as the API shows them: every key with its value, but of the CAPTCHA secret only whether it is set. */
export const toPublicSettings = (settings: Settings): SettingsInput => {
  const { secret_key: secret, ...captcha } = settings.captcha;
  return { ...settings, captcha: { ...captcha, has_secret_key: secret !== '' } };
};

function isObject(value: unknown): value is SettingsInput {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
