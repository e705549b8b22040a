import * as z from 'zod';
import { pageLinks, pageMeta } from '../../../shared/contract/envelope.ts';
import { id, paging, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { timezone } from '../../account/contract/timezone.ts';
import { perPage, reader } from './fields.ts';
import { leadSources } from './stored-lead.ts';

const date = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
const range = z.object({
  from: timestamp.meta({ description: 'The start of the range.' }),
  to: timestamp.meta({ description: 'The range ends before this moment.' }),
  first_date: date.meta({ description: 'The first day in the time zone.' }),
  last_date: date.meta({ description: 'The last day in the time zone.' }),
});

const totals = z.object({
  created: z.int().meta({ description: 'Leads created in the range.' }),
  won: z.int().meta({ description: 'Of them, now won.' }),
  lost: z.int().meta({ description: 'Of them, now lost.' }),
  open: z.int().meta({ description: 'Of them, now open.' }),
  won_value: z.number().meta({ description: 'The value of the won leads.' }),
  conversion_rate: z.number().nullable().meta({ description: 'Won of created, 0 to 1; null when none was created.' }),
});
const delta = z.object({
  created: z.int().meta({ description: 'The difference of created.' }),
  won: z.int().meta({ description: 'The difference of won.' }),
  lost: z.int().meta({ description: 'The difference of lost.' }),
  open: z.int().meta({ description: 'The difference of open.' }),
  won_value: z.number().meta({ description: 'The difference of the won value.' }),
  conversion_rate: z.number().nullable().meta({ description: 'The difference of the rates, or null.' }),
});

/** Leads count by the day of their creation, with their current outcome. */
export const reportRecord = z
  .object({
    range: range.meta({ description: 'The range of the report.' }),
    timezone: z.string().meta({ description: 'The time zone of days and weeks.' }),
    totals: totals.meta({ description: 'The totals of the range.' }),
    intake: z
      .array(
        z.object({
          date: date.meta({ description: 'The day.' }),
          count: z.int().meta({ description: 'Leads created on the day.' }),
          value: z.number().meta({ description: 'Their value.' }),
        }),
      )
      .meta({ description: 'One entry for every day of the range.' }),
    cohorts: z
      .array(
        z.object({
          period: z.string().meta({ description: 'The ISO week in which they were created, such as 2026-W05.' }),
          created: z.int().meta({ description: 'Leads created in the week.' }),
          won: z.int().meta({ description: 'Of them, now won.' }),
          lost: z.int().meta({ description: 'Of them, now lost.' }),
          open: z.int().meta({ description: 'Of them, now open.' }),
          conversion_rate: z.number().nullable().meta({ description: 'Won of created, 0 to 1; null when none was created.' }),
          median_days_to_close: z.number().nullable().meta({ description: 'The median of days from creation to closing, or null.' }),
        }),
      )
      .meta({ description: 'One entry for every week of the range.' }),
    stage_durations: z
      .array(
        z.object({
          stage_id: z.int().meta({ description: 'The id of the stage.' }),
          name: z.string().meta({ description: 'The name of the stage.' }),
          entries: z.int().meta({ description: 'How often the stage was entered in the range.' }),
          median_seconds: z
            .number()
            .nullable()
            .meta({ description: 'The median of the seconds in the stage, of visits that have ended; or null.' }),
          p90_seconds: z.number().nullable().meta({ description: 'The 90th percentile of their seconds, or null.' }),
        }),
      )
      .meta({ description: 'Durations of stage visits that began in the range.' }),
    comparison: z
      .object({
        range: range.meta({ description: 'The compared range.' }),
        totals: totals.meta({ description: 'The totals of the compared range.' }),
        delta: delta.meta({ description: 'The totals minus the compared totals.' }),
      })
      .nullable()
      .meta({ description: 'The compared range, or null.' }),
  })
  .meta({ id: 'CrmReport' });
export type ReportRecord = z.output<typeof reportRecord>;

const edge = text(40, 1).refine(
  (value) => /^\d{4}-\d{2}-\d{2}([Tt ]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})?)?$/.test(value),
  {
    error: 'Must be a date or a time in ISO 8601.',
  },
);

export const reportQuery = paging(perPage, 100, {
  from: edge.optional().meta({ description: 'The start: a date or a time; default: 30 days before the end.' }),
  to: edge.optional().meta({ description: 'The end: a date (included) or a time (excluded); default: today.' }),
  timezone: timezone
    .optional()
    .meta({ description: 'The time zone of days and weeks, such as Europe/Berlin; default: the one of the company.' }),
  pipeline_id: id.optional().meta({ description: 'Only leads of this pipeline.' }),
  owner_id: id.optional().meta({ description: 'Only leads of this owner.' }),
  source: z
    .enum(leadSources, { error: `Must be one of ${leadSources.join(', ')}.` })
    .optional()
    .meta({ description: 'Only leads of this source.' }),
  compare: text(20)
    .transform((value, context) => {
      const given = value.toLowerCase();
      if (['previous_period', '1', 'true', 'yes'].includes(given)) return 'previous_period' as const;
      if (given === 'previous_year') return 'previous_year' as const;
      if (['', '0', 'false', 'no'].includes(given)) return undefined;
      context.addIssue({ code: 'custom', message: 'Must be previous_period or previous_year.' });
      return z.NEVER;
    })
    .optional()
    .meta({ description: 'previous_period or previous_year.' }),
});
export type ReportQuery = z.output<typeof reportQuery>;

export const reportRoutes = {
  getReport: route({
    method: 'GET',
    path: '/api/v1/crm/reports',
    summary: 'Get the CRM report',
    description:
      'Leads by the day of their creation, weekly cohorts with conversion, and stage durations, in a time zone; optionally compared with the previous period or year. Pagination pages through the cohorts.',
    caller: reader,
    limit: 'crm',
    query: reportQuery,
    answers: {
      200: z.object({ status: z.literal('success'), message: z.string().min(1), data: reportRecord, links: pageLinks, meta: pageMeta }),
    },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
};
