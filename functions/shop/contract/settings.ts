import * as z from 'zod';
import { orderStatuses } from '../domain/status.ts';

/** What may stand for a placeholder: a word of the order, or of the cart. */
export const templateFields = [
  'customer_name',
  'customer_phone',
  'customer_email',
  'order_number',
  'status',
  'total_amount',
  'currency',
  'tracking_number',
  'tracking_url',
  'cart_url',
  'items',
] as const;
export type TemplateField = (typeof templateFields)[number];

/** The parts of a template that have placeholders. */
export const templateParts = ['body', 'header', 'buttons'] as const;

const templateValues = z.record(z.enum(templateParts), z.record(z.string(), z.string()));
const templateMatches = z.record(z.enum(templateParts), z.record(z.string(), z.enum(templateFields)));
const templateSetting = z.object({ template_id: z.int(), paramvalues: templateValues, parammatch: templateMatches });
export type TemplateSetting = z.output<typeof templateSetting>;

/** Extension (S25, S13): what a company's shop does by itself. All off until set. */
export const settingsRecord = z
  .object({
    abandoned_cart: z.object({
      enabled: z.boolean(),
      delay_minutes: z.int(),
      template_id: z.int().nullable(),
      paramvalues: templateValues,
      parammatch: templateMatches,
    }),
    quiet_hours: z
      .object({ start: z.string(), end: z.string(), timezone: z.string() })
      .nullable()
      .meta({ description: 'Hours in which nobody is reminded of a cart; what an order becomes is told at once.' }),
    order_notifications: z.partialRecord(z.enum(orderStatuses), templateSetting),
    strict_order_transitions: z.boolean(),
    platform_currency: z.string().meta({ description: 'Of products of a store platform, whose payloads name none.' }),
  })
  .meta({ id: 'ShopSettings' });
export type SettingsRecord = z.output<typeof settingsRecord>;

export const storedSettings = settingsRecord.extend({ companyId: z.int() });
export type ShopSettings = z.output<typeof storedSettings>;
