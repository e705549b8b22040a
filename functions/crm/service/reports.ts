import * as z from 'zod';
import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Page } from '../../../shared/http/reply.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { decodeCursor, encodeCursor } from '../../../shared/table/cursor.ts';
import { getCompany } from '../../account/service/companies.ts';
import type { ReportQuery, ReportRecord } from '../contract/report.ts';
import { type LeadFacts, toLeadFacts, decodeFacts, unpackEntries } from '../domain/lead-page.ts';
import {
  cohortsOf,
  comparisonRange,
  deltaOf,
  intakeOf,
  matchesFilter,
  maxDays,
  type Range,
  resolveRange,
  parseEdge,
  stageDurationsOf,
  totalsOf,
} from '../domain/report.ts';
import { dateText } from '../domain/zone.ts';
import { listLeadsByChange } from '../store/lead.ts';
import { listLeadPages } from '../store/row.ts';
import { getPipelinesById } from './pipelines.ts';

/** The most recently changed leads are read directly: the change stream may not have packed them yet. */
const liveCount = 40;

export interface Report {
  record: ReportRecord;
  cohorts: Page<ReportRecord['cohorts'][number]>;
}

/** GET /reports: reads the packed facts of all leads in parallel and counts them in the time zone of the query. */
export const getReport = async (
  companyId: number,
  query: ReportQuery,
): Promise<Report | Problem<'validation_failed' | 'invalid_cursor'>> => {
  const { page, limit, cursor, ...filters } = query;
  const scope = `report:${companyId}:${JSON.stringify(filters)}`;
  const position = cursor === undefined ? undefined : await decodeCursor(scope, cursor, z.object({ skip: z.int().min(0) }));
  if (cursor !== undefined && !position) return problem('invalid_cursor');
  const zone = query.timezone ?? (await getCompany(companyId))?.timezone ?? 'UTC';
  const range = parseRange(zone, query);
  if ('problem' in range) return range;
  const [pipelines, leadPages, live] = await Promise.all([
    getPipelinesById(companyId, query.pipeline_id === undefined ? [] : [query.pipeline_id]),
    listLeadPages(companyId, 'facts'),
    listLeadsByChange(companyId, undefined).then((read) => read(liveCount)),
  ]);
  if (query.pipeline_id !== undefined && !pipelines.has(query.pipeline_id)) return invalid('pipeline_id', 'There is no such pipeline.');
  const all = new Map<number, LeadFacts>();
  for (const leadPage of leadPages)
    for (const [id, entry] of Object.entries(unpackEntries(leadPage))) all.set(Number(id), decodeFacts(Number(id), entry));
  for (const lead of live.items) all.set(lead.id, toLeadFacts(lead));
  const filter = { pipelineId: query.pipeline_id, ownerId: query.owner_id, source: query.source };
  const facts = [...all.values()].filter((each) => matchesFilter(each, filter));
  const totals = totalsOf(facts, range);
  const cohorts = cohortsOf(zone, facts, range);
  const skip = position?.skip ?? (page - 1) * limit;
  const stages = [...pipelines.values()].flatMap((pipeline) => pipeline.stages);
  const order = new Map(stages.map(({ id }, index) => [id, index]));
  return {
    record: {
      range: toRangeRecord(range),
      timezone: zone,
      totals,
      intake: intakeOf(zone, facts, range),
      cohorts: cohorts.slice(skip, skip + limit),
      stage_durations: stageDurationsOf(facts, range)
        .toSorted((a, b) => (order.get(a.stageId) ?? 0) - (order.get(b.stageId) ?? 0))
        .map(({ stageId, ...rest }) => ({ stage_id: stageId, name: stages.find(({ id }) => id === stageId)?.name ?? '', ...rest })),
      comparison: query.compare ? toComparison(comparisonRange(zone, range, query.compare), facts, totals) : null,
    },
    cohorts: {
      items: cohorts.slice(skip, skip + limit),
      total: cohorts.length,
      page,
      limit,
      nextCursor: skip + limit < cohorts.length ? await encodeCursor(scope, { skip: skip + limit }) : undefined,
    },
  };
};

function toComparison(range: Range, facts: readonly LeadFacts[], totals: ReportRecord['totals']): NonNullable<ReportRecord['comparison']> {
  const before = totalsOf(facts, range);
  return { range: toRangeRecord(range), totals: before, delta: deltaOf(totals, before) };
}

function parseRange(zone: string, query: ReportQuery): Range | Problem<'validation_failed'> {
  const from = query.from === undefined ? undefined : parseEdge(zone, query.from);
  const to = query.to === undefined ? undefined : parseEdge(zone, query.to);
  const notReal = 'Must be a real date or time in ISO 8601.';
  if (query.from !== undefined && !from) return invalid('from', notReal);
  if (query.to !== undefined && !to) return invalid('to', notReal);
  const range = resolveRange(zone, from, to, now());
  if (range === 'reversed') return invalid('to', 'Must be after from.');
  if (range === 'too long') return invalid('to', `The range has at most ${maxDays} days.`);
  return range;
}

const toRangeRecord = ({ from, to, firstDay, lastDay }: Range) => ({
  from: isoTime(from),
  to: isoTime(to),
  first_date: dateText(firstDay),
  last_date: dateText(lastDay),
});
