import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { id, jsonBoolean, text, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { orderStatuses } from '../domain/status.ts';
import { currency } from './amount.ts';
import { shopPaths, shopReader } from './product.ts';
import { templateFields, type templateParts, settingsRecord } from './settings.ts';

/** Values by placeholder: a list is the body's in order, an object the body's by number or name, or one object for each part. */
const byPlaceholder = <V extends string>(value: z.ZodType<V>) => {
  const flat = z.record(z.string().regex(/^\w{1,64}$/, { error: 'Must be the number or name of a placeholder.' }), value);
  const nested = z.strictObject({ body: flat.optional(), header: flat.optional(), buttons: flat.optional() });
  return z.union(
    [
      z
        .array(value)
        .max(50)
        .transform((given) => byPart({ body: Object.fromEntries(given.map((each, index) => [String(index + 1), each])) })),
      nested.transform(byPart),
      flat.transform((body) => byPart({ body })),
    ],
    { error: 'Must be a list, or an object by placeholder.' },
  );
};
const byPart = <V extends string>({
  body = {},
  header = {},
  buttons = {},
}: Partial<Record<(typeof templateParts)[number], Record<string, V> | undefined>>) => ({ body, header, buttons });
const values = byPlaceholder(text(1_000));
const matches = byPlaceholder(z.enum(templateFields, { error: `Must be one of ${templateFields.join(', ')}.` }));
const template = z.object({ template_id: id, paramvalues: values.optional(), parammatch: matches.optional() });

const timeOfDay = text(5).regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'Must be a time of day as HH:MM.' });
const timezone = text(64, 1).refine(isTimeZone, { error: 'Must be a time zone of the IANA list, as Europe/Berlin.' });

/** Given parts replace; what is not given stays; null clears. */
export const settingsBody = z.object({
  abandoned_cart: z
    .object({
      enabled: jsonBoolean.optional(),
      delay_minutes: wholeNumber(15, 72 * 60).optional(),
      template_id: id.nullish(),
      paramvalues: values.optional(),
      parammatch: matches.optional(),
    })
    .optional(),
  quiet_hours: z.object({ start: timeOfDay, end: timeOfDay, timezone }).nullish(),
  order_notifications: z
    .partialRecord(z.enum(orderStatuses, { error: `Must be one of ${orderStatuses.join(', ')}.` }), template.nullable())
    .optional(),
  strict_order_transitions: jsonBoolean.optional(),
  platform_currency: currency.optional(),
});
export type SettingsBody = z.output<typeof settingsBody>;

const admin = { kind: 'token', scope: 'shop:write', role: 'admin' } as const;

export const settingsRoutes = {
  getShopSettings: route({
    method: 'GET',
    ...shopPaths('/settings'),
    summary: 'What the shop does by itself (extension)',
    caller: shopReader,
    limit: 'shop_read',
    effect: 'read',
    answers: { 200: success(settingsRecord) },
    errors: [],
  }),
  updateShopSettings: route({
    method: 'PUT',
    ...shopPaths('/settings'),
    summary: 'Change what the shop does by itself (extension)',
    caller: admin,
    limit: 'shop_write',
    effect: 'write',
    body: settingsBody,
    answers: { 200: success(settingsRecord) },
    errors: ['validation_failed'],
  }),
};

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format() !== '';
  } catch {
    return false;
  }
}
