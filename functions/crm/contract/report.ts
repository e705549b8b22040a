import * as z from 'zod';
import { pageLinks, pageMeta } from '../../../shared/contract/envelope.ts';
import { id, paging, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { timezone } from '../../account/contract.ts';
import { perPage, reader } from './fields.ts';
import { leadSources } from './stored.ts';

const date = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
const range = z.object({
  from: timestamp,
  to: timestamp.meta({ description: 'The range ends before this moment.' }),
  first_date: date,
  last_date: date,
});

const totals = z.object({
  created: z.int(),
  won: z.int(),
  lost: z.int(),
  open: z.int(),
  won_value: z.number(),
  conversion_rate: z.number().nullable().meta({ description: 'Won of created, 0 to 1; null when none was created.' }),
});
const delta = z.object({
  created: z.int(),
  won: z.int(),
  lost: z.int(),
  open: z.int(),
  won_value: z.number(),
  conversion_rate: z.number().nullable(),
});

/** Decision A68; enquiries count by the day they were created, with the outcome they have now. */
export const reportRecord = z
  .object({
    range,
    timezone: z.string(),
    totals,
    intake: z.array(z.object({ date, count: z.int(), value: z.number() })),
    cohorts: z.array(
      z.object({
        period: z.string().meta({ description: 'The ISO week in which they were created, such as 2026-W05.' }),
        created: z.int(),
        won: z.int(),
        lost: z.int(),
        open: z.int(),
        conversion_rate: z.number().nullable(),
        median_days_to_close: z.number().nullable(),
      }),
    ),
    stage_durations: z.array(
      z.object({
        stage_id: z.int(),
        name: z.string(),
        entries: z.int().meta({ description: 'How often the stage was entered in the range.' }),
        median_seconds: z.number().nullable().meta({ description: 'Of the stays that have ended.' }),
        p90_seconds: z.number().nullable(),
      }),
    ),
    comparison: z.object({ range, totals, delta }).nullable(),
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
  from: edge.optional(),
  to: edge.optional(),
  timezone: timezone.optional(),
  pipeline_id: id.optional(),
  owner_id: id.optional(),
  source: z.enum(leadSources, { error: `Must be one of ${leadSources.join(', ')}.` }).optional(),
  compare: text(20)
    .transform((value, context) => {
      const given = value.toLowerCase();
      if (['previous_period', '1', 'true', 'yes'].includes(given)) return 'previous_period' as const;
      if (given === 'previous_year') return 'previous_year' as const;
      if (['', '0', 'false', 'no'].includes(given)) return undefined;
      context.addIssue({ code: 'custom', message: 'Must be previous_period or previous_year.' });
      return z.NEVER;
    })
    .optional(),
});
export type ReportQuery = z.output<typeof reportQuery>;

export const reportRoutes = {
  getReport: route({
    method: 'GET',
    path: '/api/v1/crm/reports',
    summary: 'Intake, conversion cohorts and stage stays in a time zone; cohorts by page',
    caller: reader,
    limit: 'crm',
    effect: 'read',
    query: reportQuery,
    answers: {
      200: z.object({ status: z.literal('success'), message: z.string().min(1), data: reportRecord, links: pageLinks, meta: pageMeta }),
    },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
};
