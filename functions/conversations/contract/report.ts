import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { route } from '../../../shared/contract/route.ts';
import { projectionTarget } from '../../../shared/events/react.ts';
import { maxUsageDays, usageQuery } from '../../usage/contract/range.ts';

/** How quickly contacts are answered, by UTC day: docs/decisions/inbox-report.md */

export const inboxDayEntityName = 'inbox-day-part';

/** What some shards of the change stream counted of a day; the sum of a day's parts is what is shown. */
export const storedInboxDay = z.object({
  companyId: z.int(),
  day: z.string(),
  part: z.int().default(0),
  /** Counts: `a<user>:<bucket>` first answers by how long was waited, `c<user>:<bucket>` closings by how long it was open, `h<hour>` waits that began. */
  cells: z.record(z.string(), z.int()),
  rev: z.int().default(0),
  checkpoints: z.record(z.string(), z.string()).default({}),
});
export type StoredInboxDay = z.output<typeof storedInboxDay>;

export interface InboxDayId {
  companyId: number;
  day: string;
}
export const inboxDayTarget = projectionTarget<InboxDayId & { part: number }, StoredInboxDay>(inboxDayEntityName);

const date = z.string().meta({ format: 'date', example: '2026-11-21' });
const seconds = z.int().nullable();
const figures = {
  answered: z.int().meta({ description: 'Waits that an answer of a user or a program ended.' }),
  median_answer_seconds: seconds.meta({ description: 'Half of these waits were shorter: within a fifth. Null without any.' }),
  closed: z.int().meta({ description: 'Conversations that were closed.' }),
  median_close_seconds: seconds.meta({
    description:
      'From the message that opened a conversation until it was closed, half of them were shorter: within a fifth. Null without any.',
  }),
};

export const inboxReport = z
  .object({
    from: date.meta({ description: 'The first day.' }),
    to: date.meta({ description: 'The last day.' }),
    timezone: z.string().meta({ description: 'Of `hours`: that of the company. Days begin at midnight UTC.', example: 'Europe/Berlin' }),
    totals: z
      .object({ ...figures, slow_answer_seconds: seconds.meta({ description: 'Nine in ten waits were shorter. Null without any.' }) })
      .meta({ description: 'Of the range.' }),
    days: z
      .array(z.object({ date: date.meta({ description: 'The UTC day.' }), ...figures }))
      .meta({ description: 'Every day of the range, in order.' }),
    hours: z
      .array(
        z.object({
          weekday: z.int().min(1).max(7).meta({ description: '1 Monday to 7 Sunday.' }),
          hour: z.int().min(0).max(23).meta({ description: 'The hour of the day.' }),
          waits: z.int().meta({ description: 'Waits that began in it, of those that have ended.' }),
        }),
      )
      .meta({ description: 'When contacts begin to wait, by hour of the week; hours without any are left out.' }),
    users: z
      .array(
        z.object({
          user_id: z.int().nullable().meta({ description: 'Who answered or closed; null: programs, and what cannot be traced to a user.' }),
          ...figures,
        }),
      )
      .meta({ description: 'By who answered or closed, most answers first.' }),
  })
  .meta({ id: 'InboxReport', description: 'How quickly contacts were answered.' });
export type InboxReport = z.output<typeof inboxReport>;
export type InboxFigures = Pick<InboxReport['totals'], keyof typeof figures>;

export const inboxReportRoutes = {
  getInboxReport: route({
    method: 'GET',
    path: '/api/v1/conversations/report',
    summary: 'Report how quickly contacts are answered',
    description: `Waits and closings for a range of up to ${maxUsageDays} UTC days. A wait begins with a contact's message and ends with the next message that a user or a program of yours writes, on whose day it counts; campaigns and other automatic messages end none. What still waits is in the list of conversations, with \`waiting_since\`. Figures follow within seconds, and stay when contacts are erased.`,
    caller: { kind: 'token', scope: 'conversations:read', role: 'viewer' },
    query: usageQuery,
    answers: { 200: success(inboxReport) },
    errors: ['validation_failed'],
  }),
};
