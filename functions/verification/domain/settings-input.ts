import * as z from 'zod';
import { type Settings, settingsSchema } from './settings.ts';

/**
 * Settings as they may be given (decision V3): the same fields and bounds as they are read with, but nothing falls back. Every key may be
 * left out; null takes it away, and with it goes back to its default.
 */
const toStrictSchema = (schema: z.ZodType): z.ZodType => {
  if (schema instanceof z.ZodCatch || schema instanceof z.ZodDefault) return toStrictSchema(schema.def.innerType as z.ZodType);
  if (schema instanceof z.ZodPipe) return toStrictSchema(schema.def.out as z.ZodType);
  if (schema instanceof z.ZodObject)
    return z.strictObject(
      Object.fromEntries(Object.entries(schema.shape).map(([name, field]) => [name, toStrictSchema(field as z.ZodType).nullish()])),
      { error: (issue) => (issue.code === 'unrecognized_keys' ? `There is no setting ${issue.keys.join(', ')}.` : 'Must be an object.') },
    );
  return schema;
};

export const settingsInput = toStrictSchema(settingsSchema).pipe(z.record(z.string(), z.unknown()));
export type SettingsInput = Record<string, unknown>;

/** Key by key, to any depth; lists are replaced. */
export const mergeSettings = (stored: SettingsInput, given: SettingsInput): SettingsInput => {
  const merged: SettingsInput = { ...stored };
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (value === null) delete merged[key];
    else merged[key] = isObject(value) ? mergeSettings(isObject(merged[key]) ? merged[key] : {}, value) : value;
  }
  return merged;
};

/** What contradicts itself though every field is in order, by field. */
export const findContradictions = (settings: Settings): Record<string, string[]> => ({
  ...(settings.captcha.mode !== 'disabled' && settings.captcha.secret_key === ''
    ? { 'settings_json.captcha.secret_key': ['A CAPTCHA needs the secret key of its service.'] }
    : {}),
  ...(settings.channels.includes(settings.default_channel) ? {} : { 'settings_json.default_channel': ['Must be one of the channels.'] }),
});

/** As they are shown: every key with its value, the secret only as being there. */
export const toPublicSettings = (settings: Settings): SettingsInput => {
  const { secret_key: secret, ...captcha } = settings.captcha;
  return { ...settings, captcha: { ...captcha, has_secret_key: secret !== '' } };
};

function isObject(value: unknown): value is SettingsInput {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
