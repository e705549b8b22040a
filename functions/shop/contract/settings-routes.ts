import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { id, jsonBoolean, text, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { orderStatuses } from '../domain/status.ts';
import { currency } from './amount.ts';
import { shopPaths, shopReader } from './product.ts';
import { templateField, templateFields, type templateParts, settingsRecord } from './settings.ts';

/** Nine templates with three parts each are one item. */
const maxChars = 3_000;

/**
 * Values by placeholder: an array holds the body's values in order; an object maps the body's placeholders by number or name, or holds one
 * object for each part.
 */
const byPlaceholder = <V extends string>(value: z.ZodType<V>, id: string, error: string) => {
  const flat = z
    .record(z.string().regex(/^\w{1,64}$/, { error: 'Must be the number or name of a placeholder.' }), value)
    .refine((values) => Object.entries(values).flat().join('').length <= maxChars, {
      error: `Must have at most ${maxChars} characters together.`,
    })
    .meta({ id });
  const nested = z.strictObject(
    {
      body: flat.optional().describe('For the body.'),
      header: flat.optional().describe('For the header.'),
      buttons: flat.optional().describe('For the buttons, by their position from 0.'),
    },
    // without it, a wrong value of a flat object is answered with its placeholders, which are no parts of a template
    { error },
  );
  return z.union(
    [
      z
        .array(value)
        .max(50)
        .refine((given) => given.join('').length <= maxChars, { error: `Must have at most ${maxChars} characters together.` })
        .transform((given) => byPart({ body: Object.fromEntries(given.map((each, index) => [String(index + 1), each])) })),
      nested.transform(byPart),
      flat.transform((body) => byPart({ body })),
    ],
    { error },
  );
};
const byPart = <V extends string>({
  body = {},
  header = {},
  buttons = {},
}: Partial<Record<(typeof templateParts)[number], Record<string, V> | undefined>>) => ({ body, header, buttons });
const values = byPlaceholder(text(1_000), 'TextsByPlaceholder', 'Must be an array of texts, or an object of texts by placeholder.');
const matches = byPlaceholder(
  templateField,
  'ShopFieldsByPlaceholder',
  `Must be an array, or an object by placeholder, of these fields: ${templateFields.join(', ')}.`,
);
const template = z.object({
  template_id: id.describe('Id of an approved template.'),
  paramvalues: values.optional().describe('Fixed values: an array in the order of the placeholders, or an object by placeholder.'),
  parammatch: matches.optional().describe('Fields of the order or cart, by placeholder.'),
});

const timeOfDay = text(5).regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'Must be a time of day in the form HH:MM.' });
const timezone = text(64, 1).refine(isTimeZone, { error: 'Must be an IANA time zone, for example Europe/Berlin.' });

/** Fields in the request replace stored ones, omitted fields stay, null clears. */
export const settingsBody = z.object({
  abandoned_cart: z
    .object({
      enabled: jsonBoolean.optional().describe('Whether customers are reminded of abandoned carts.'),
      delay_minutes: wholeNumber(15, 72 * 60)
        .optional()
        .describe('Minutes from the last change of a cart to its reminder.'),
      template_id: id.nullish().describe('Id of an approved template. Required before you enable reminders.'),
      paramvalues: values.optional().describe('Fixed values: an array in the order of the placeholders, or an object by placeholder.'),
      parammatch: matches.optional().describe('Fields of the cart, by placeholder.'),
    })
    .optional()
    .describe('Reminders of abandoned carts.'),
  quiet_hours: z
    .object({
      start: timeOfDay.describe('First minute, as HH:MM.'),
      end: timeOfDay.describe('First minute after the quiet hours, as HH:MM. Earlier than start, it lies on the next day.'),
      timezone: timezone.describe('IANA time zone.'),
    })
    .nullish()
    .describe('Hours without cart reminders. Null clears them.'),
  order_notifications: z
    .partialRecord(z.enum(orderStatuses), template.nullable(), { error: `Must be an object by status: ${orderStatuses.join(', ')}.` })
    .optional()
    .describe('Templates by the order status that sends them. Null removes one.'),
  strict_order_transitions: jsonBoolean.optional().describe('Whether the API rejects status changes that skip steps or move back.'),
  platform_currency: currency.optional().describe('Currency of products of a connected store, whose webhooks name none.'),
});
export type SettingsBody = z.output<typeof settingsBody>;

const admin = { kind: 'token', scope: 'shop:write', role: 'admin' } as const;

export const settingsRoutes = {
  getShopSettings: route({
    method: 'GET',
    ...shopPaths('/settings'),
    summary: 'Get the shop automation settings',
    description: 'What the shop sends and checks on its own.',
    caller: shopReader,
    limit: 'shop_read',
    answers: { 200: success(settingsRecord) },
    errors: [],
  }),
  updateShopSettings: route({
    method: 'PUT',
    ...shopPaths('/settings'),
    summary: 'Update the shop automation settings',
    description:
      'Changes the given settings; omitted ones stay and null clears one. Placeholders take fields of the order or cart (`parammatch`), or where those are empty fixed values (`paramvalues`).',
    caller: admin,
    limit: 'shop_write',
    body: settingsBody.meta({ id: 'UpdateShopSettingsRequest' }),
    answers: { 200: success(settingsRecord) },
    refuses: ['template', 'state'],
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
