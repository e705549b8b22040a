import * as z from 'zod';
import { day } from '../../../shared/contract/day.ts';
import { success } from '../../../shared/contract/envelope.ts';
import { pathId } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';

/** What the provider counted of a template. Our own counts are those of campaigns and of the usage. */

/** So many days back the provider has figures, today included. */
export const maxAnalyticsDays = 90;

const date = z.string().meta({ format: 'date', example: '2026-11-21' });
const figure = z.int().nullable();

const analyticsDay = z
  .object({
    date: date.meta({ description: 'The UTC day.' }),
    sent: figure.meta({ description: 'Messages that were sent; null when the provider does not say.' }),
    delivered: figure.meta({ description: 'Messages that were delivered; null when the provider does not say.' }),
    read: figure.meta({
      description: 'Messages that were read within seven days; the provider sets it to 0 after them. Null when it does not say.',
    }),
    clicked: z
      .array(
        z.object({
          type: z.string().meta({
            description: '`quick_reply_button`, `url_button` (all presses) or `unique_url_button` (customers who pressed it).',
          }),
          text: z.string().meta({ description: 'The label of the button.' }),
          count: z.int().meta({ description: 'How often, within seven days.' }),
        }),
      )
      .nullable()
      .meta({
        description:
          'Presses of buttons. Null where the provider counts none, as of AUTHENTICATION templates and those whose links are not tracked.',
      }),
    amount_spent: z.number().nullable().meta({
      description:
        'What it cost, about, in the currency of the business account; null when the provider does not say, as where a partner is billed.',
    }),
  })
  .meta({ id: 'TemplateAnalyticsDay' });
export type TemplateAnalyticsDay = z.output<typeof analyticsDay>;

const templateAnalytics = z
  .object({
    from: date.meta({ description: 'The first day.' }),
    to: date.meta({ description: 'The last day.' }),
    timezone: z.literal('UTC').meta({ description: 'Days begin at midnight UTC.' }),
    days: z.array(analyticsDay).meta({ description: 'The days of which the provider has figures, in order; it may have none of a day.' }),
  })
  .meta({ id: 'TemplateAnalytics', description: 'What the provider counted of a template, by UTC day.' });
export type TemplateAnalytics = z.output<typeof templateAnalytics>;

export const analyticsRoutes = {
  getTemplateAnalytics: route({
    caller: { kind: 'token', scope: 'templates:read', role: 'viewer' },
    limit: 'read',
    effect: 'read',
    method: 'GET',
    path: '/api/v1/templates/{id}/analytics',
    summary: 'Get what the provider counted of a template by day',
    description: `Reads from the provider how often a template was sent, delivered and read, how often its buttons were pressed, and what it cost, for each UTC day of the last ${maxAnalyticsDays}. The provider counts from the day on which analytics were switched on for the business account, which is done in its manager and cannot be taken back. It has none for accounts of the European Union, the United Kingdom and Japan.`,
    params: z.object({ id: pathId }),
    query: z.object({
      from: day.optional().meta({
        description: `The first UTC day, of the last ${maxAnalyticsDays}; default: 29 days before the last.`,
      }),
      to: day.optional().meta({ description: 'The last UTC day, included; default: today.' }),
    }),
    answers: { 200: success(templateAnalytics) },
    errors: [
      'validation_failed',
      'not_found',
      'template_analytics_unavailable',
      'number_missing',
      'provider_rejected',
      'temporarily_unavailable',
    ],
  }),
};
export type AnalyticsQuery = z.output<(typeof analyticsRoutes)['getTemplateAnalytics']['query']>;
