import * as z from 'zod';
import { invalid, type Problem } from '../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { cutPage, listPage, type Page } from '../../../shared/table/page.ts';
import { getCompany } from '../../account/service/companies.ts';
import type { ReportQuery, ReportRecord } from '../contract/report.ts';
import { type LeadFacts, toLeadFacts, decodeFacts, unpackEntries } from '../domain/lead-page.ts';
import {
  cohortsOf,
  comparisonRange,
  deltaOf,
  intakeOf,
  matchesReportFilter,
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

export interface Report extends Page<ReportRecord['cohorts'][number]> {
  record: ReportRecord;
}

const position = z.object({ skip: z.int().min(0) });

/** GET /reports: reads the packed facts of all leads in parallel and counts them in the time zone of the query; pages are of cohorts. */
export const getReport = (companyId: number, query: ReportQuery): Promise<Report | Problem<'validation_failed' | 'invalid_cursor'>> => {
  const { page, limit, cursor, ...filters } = query;
  return listPage({ scope: `report:${companyId}:${JSON.stringify(filters)}`, query: { page, limit, cursor }, position }, (range) =>
    readReport(companyId, query, { skip: range.after?.skip ?? range.skip, limit }),
  );
};

async function readReport(companyId: number, query: ReportQuery, { skip, limit }: { skip: number; limit: number }) {
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
  const facts = [...all.values()].filter((each) => matchesReportFilter(each, filter));
  const totals = totalsOf(facts, range);
  const cohorts = cohortsOf(zone, facts, range);
  const { items, next } = cutPage(cohorts, { skip, limit }, () => ({ skip: skip + limit }));
  const stages = [...pipelines.values()].flatMap((pipeline) => pipeline.stages);
  const order = new Map(stages.map(({ id }, index) => [id, index]));
  return {
    record: {
      range: toRangeRecord(range),
      timezone: zone,
      totals,
      intake: intakeOf(zone, facts, range),
      cohorts: items,
      stage_durations: stageDurationsOf(facts, range)
        .toSorted((a, b) => (order.get(a.stageId) ?? 0) - (order.get(b.stageId) ?? 0))
        .map(({ stageId, ...rest }) => ({ stage_id: stageId, name: stages.find(({ id }) => id === stageId)?.name ?? '', ...rest })),
      comparison: query.compare ? toComparison(comparisonRange(zone, range, query.compare), facts, totals) : null,
    },
    items,
    total: cohorts.length,
    next,
  };
}

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
