import * as z from 'zod';
import { orderStatuses } from '../domain/status.ts';

/** The order and cart fields that may fill a template placeholder. */
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
export const templateField = z.enum(templateFields, { error: `Must be one of ${templateFields.join(', ')}.` }).meta({ id: 'ShopField' });
export type TemplateField = z.output<typeof templateField>;

/** The parts of a template that have placeholders. */
export const templateParts = ['body', 'header', 'buttons'] as const;

const templateValues = z.record(z.enum(templateParts), z.record(z.string(), z.string()));
const templateMatches = z.record(z.enum(templateParts), z.record(z.string(), templateField));
const templateSetting = z
  .object({
    template_id: z.int().describe('Id of an approved template.'),
    paramvalues: templateValues.describe('Fixed values by part and placeholder.'),
    parammatch: templateMatches.describe('Fields of the order or cart by part and placeholder.'),
  })
  .meta({ id: 'ShopTemplate', description: 'A template and the values of its placeholders.' });
export type TemplateSetting = z.output<typeof templateSetting>;

/** The shop automation of a company. Everything is off by default. */
export const settingsRecord = z
  .object({
    abandoned_cart: z
      .object({
        enabled: z.boolean().describe('Whether customers are reminded of abandoned carts.'),
        delay_minutes: z.int().describe('Minutes from the last change of a cart to its reminder.'),
        template_id: z.int().nullable().describe('Id of the template of the reminder, or null.'),
        paramvalues: templateValues.describe('Fixed values by part and placeholder.'),
        parammatch: templateMatches.describe('Fields of the cart by part and placeholder.'),
      })
      .describe('Reminders of abandoned carts.'),
    quiet_hours: z
      .object({
        start: z.string().describe('First minute, as HH:MM.'),
        end: z.string().describe('First minute after the quiet hours, as HH:MM.'),
        timezone: z.string().describe('IANA time zone.'),
      })
      .nullable()
      .describe('Hours without cart reminders, or null. Order notifications are sent at any hour.'),
    order_notifications: z.partialRecord(z.enum(orderStatuses), templateSetting).describe('Templates by the order status that sends them.'),
    strict_order_transitions: z.boolean().describe('Whether the API rejects status changes that skip steps or move back.'),
    platform_currency: z.string().describe('Currency of products of a connected store, whose webhooks name none.'),
  })
  .meta({ id: 'ShopSettings', description: 'What the shop sends and checks on its own.' });
export type SettingsRecord = z.output<typeof settingsRecord>;

export const storedSettings = settingsRecord.extend({ companyId: z.int() });
export type ShopSettings = z.output<typeof storedSettings>;
