import * as z from 'zod';
import { invalid, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { cutPage, listPage, type Page, type PageRange, pageOfWhole } from '../../../shared/table/page.ts';
import { getCounter } from '../../../shared/table/counter.ts';
import type { LeadListRecord, LeadQuery } from '../contract/lead.ts';
import { type Lead, leadEntityName } from '../contract/stored-lead.ts';
import { isCut, leadSearchTerms, searchText, unpackEntries } from '../domain/lead-page.ts';
import { cellParts, deletedGroup, toCountedCells, type CountedCell } from '../domain/cell.ts';
import { followUpOf, compareLatestFirst } from '../domain/lead.ts';
import type { Pipeline } from '../domain/pipeline.ts';
import { toLeadListRecord } from '../domain/record.ts';
import { getStoredLeads, listLeadIdsOfContacts, leadListKey, type LeadPosition, listLeadsByChange } from '../store/lead.ts';
import { listLeadPages, listCells, listLeadCell } from '../store/row.ts';
import { mergeLists, type ListSource } from '../store/ordered-list.ts';
import { getUserNames } from '../../account/service/user-names.ts';
import { getFiledIds } from '../../contacts/service/followed-contacts.ts';
import { getPipelinesById } from './pipelines.ts';

/**
 * Lists of leads, latest change first, with any filters; see docs/decisions/crm-lists.md. The newest part is read from the leads
 * themselves, so that a change is visible at once. Older leads are found through their cells, which are projections.
 */

/** How many of the newest leads a filtered list reads directly. A company with fewer leads is read whole. */
const liveCount = 24;
/** Up to this number, the matches of a search are read and sorted; beyond it the cells are read in order. */
const fewMatches = 300;

/** Deleted leads that are listed, the latest ones. */
const mostDeleted = 1_000;

interface Filter {
  groups: ReadonlySet<string> | undefined;
  owners: ((ownerId: number) => boolean) | undefined;
  followUp: ((followUp: number) => boolean) | undefined;
  contactId: number | undefined;
  terms: readonly string[];
  isDeleted: boolean;
}

interface FoundLeads {
  items: Lead[];
  next: LeadPosition | undefined;
  total: number;
}

type Range = PageRange<LeadPosition>;

/** @param found the matches of the query's text, where several lists share them */
export const listLeads = (
  companyId: number,
  query: LeadQuery,
  found: TextMatches = textMatches(companyId, query.search),
): Promise<Page<LeadListRecord> | Problem<'invalid_cursor' | 'validation_failed'>> => {
  const { page, limit, cursor, ...filters } = query;
  return listPage({ scope: `leads:${companyId}:${JSON.stringify(filters)}`, query: { page, limit, cursor }, position }, async (range) => {
    const pipelines = await getPipelinesById(companyId, query.pipeline_id === undefined ? [] : [query.pipeline_id]);
    if (query.pipeline_id !== undefined && !pipelines.has(query.pipeline_id)) return invalid('pipeline_id', 'There is no such pipeline.');
    const leads = await findLeadsByFilter(companyId, filterOf(query, pipelines), range, found);
    const ownerIds = leads.items.map(({ ownerId }) => ownerId);
    const people = await getUserNames(companyId, ownerIds);
    return { ...leads, items: leads.items.map((lead) => toLeadListRecord(lead, { pipelines, people }, now())) };
  });
};

const position: z.ZodType<LeadPosition> = z.object({ updatedAt: z.int(), id: z.int() });

async function findLeadsByFilter(companyId: number, filter: Filter, range: Range, found: TextMatches): Promise<FoundLeads> {
  if (filter.contactId !== undefined) {
    const filed = new Set([filter.contactId, ...(await getFiledIds(companyId, filter.contactId))]);
    const leads = await getStoredLeads(companyId, await listLeadIdsOfContacts(companyId, [...filed]), { deleted: filter.isDeleted });
    return pageOf(leads.filter(matching(filter)), range);
  }
  if (filter.isDeleted) {
    const { items } = await findInCells(companyId, filter, { skip: 0, limit: mostDeleted, after: undefined }, [], undefined);
    return pageOf(items, range);
  }
  const isFiltered = filter.groups !== undefined || filter.owners !== undefined || filter.followUp !== undefined;
  if (!isFiltered && filter.terms.length === 0) return findAll(companyId, range);
  const top = await (await listLeadsByChange(companyId, undefined))(liveCount + 1);
  if (top.done) return pageOf(top.items.filter(matching(filter)), range);
  const live = top.items.slice(0, liveCount);
  return filter.terms.length === 0
    ? findInCells(companyId, filter, range, live, undefined)
    : findText(companyId, filter, range, live, { isFiltered, found });
}

async function findAll(companyId: number, range: Range): Promise<FoundLeads> {
  const { skip, limit, after } = range;
  const [counter, page] = await Promise.all([
    getCounter(companyId, leadEntityName),
    listLeadsByChange(companyId, after).then((read) => read(Math.max(skip + limit, liveCount) + 1)),
  ]);
  // after a creation the counter may be behind
  const total = after || !page.done ? Math.max(counter.total, page.items.length) : page.items.length;
  return { ...cutPage(page.items, range, positionOf), total };
}

/** By the cells of the filter: the newest leads first, then rows, each checked against the lead itself. */
async function findInCells(
  companyId: number,
  filter: Filter,
  { skip, limit, after }: Range,
  live: readonly Lead[],
  isMatch: ((id: number) => boolean) | undefined,
): Promise<FoundLeads> {
  const matches = matching(filter);
  const seen = new Set(live.map(({ id }) => id));
  const top = live.filter((lead) => matches(lead) && isAfter(lead, after));
  const end = live.at(-1);
  const begin = after && end && compareLatestFirst(after, end) > 0 ? after : end;
  const cells = toCountedCells(await listCells(companyId, 'lead')).filter((cell) => isCellOf(filter, cell));
  const leads: Lead[] = top.slice(skip, skip + limit + 1);
  let left = Math.max(0, skip - top.length);
  const sources = await Promise.all(cells.map((cell) => sourceOf(companyId, cell, begin)));
  const rows = mergeLists(sources, leadListKey, 'descending');
  for (let exhausted = false; !exhausted && leads.length <= limit; ) {
    const ids: number[] = [];
    while (ids.length < limit + 1 - leads.length) {
      const row = await rows.next();
      if (row.done) {
        exhausted = true;
        break;
      }
      if (seen.has(row.value.id) || (isMatch && !isMatch(row.value.id))) continue;
      if (left > 0) left--;
      else ids.push(row.value.id);
    }
    leads.push(
      ...(await getStoredLeads(companyId, ids, { deleted: filter.isDeleted })).filter((lead) => matches(lead) && isAfter(lead, begin)),
    );
  }
  const counted = isMatch ? 0 : cells.reduce((sum, cell) => sum + cell.count, 0);
  return { ...cutPage(leads, { limit }, positionOf), total: Math.max(counted, skip + leads.length) };
}

async function sourceOf(
  companyId: number,
  { group, cell, bound }: CountedCell,
  begin: LeadPosition | undefined,
): Promise<ListSource<{ updatedAt: number; id: number }>> {
  return {
    bound: leadListKey({ updatedAt: begin ? Math.min(bound, begin.updatedAt) : bound, id: Number.MAX_SAFE_INTEGER }),
    read: await listLeadCell(companyId, group, cell, begin),
  };
}

/** The ids of the leads whose packed text a search finds. */
export type TextMatches = () => Promise<ReadonlySet<number>>;

/** Reads the packed texts of all leads when they are first wanted, and once. */
export const textMatches = (companyId: number, search: string | undefined): TextMatches => {
  const terms = search ? leadSearchTerms(search) : [];
  // of a text that is cut the lead itself decides
  const mayMatch = (text: string): boolean => isCut(text) || terms.some((term) => text.includes(term));
  const read = async (): Promise<ReadonlySet<number>> => {
    const pages = await listLeadPages(companyId, 'texts');
    const entries = pages.flatMap((page) => Object.entries(unpackEntries(page)));
    return new Set(entries.flatMap(([id, text]) => (mayMatch(text) ? [Number(id)] : [])));
  };
  let matches: Promise<ReadonlySet<number>> | undefined;
  return () => (matches ??= read());
};

/** Finds the ids by the packed texts, and the newest leads by their own text. */
async function findText(
  companyId: number,
  filter: Filter,
  range: Range,
  live: readonly Lead[],
  { isFiltered, found }: { isFiltered: boolean; found: TextMatches },
): Promise<FoundLeads> {
  const ids = new Set(await found());
  for (const lead of live) {
    if (hasText(filter, lead)) ids.add(lead.id);
    else ids.delete(lead.id);
  }
  if (ids.size > fewMatches) {
    const leads = await findInCells(companyId, filter, range, live, (id) => ids.has(id));
    return isFiltered ? leads : { ...leads, total: Math.max(ids.size, leads.total) };
  }
  const liveIds = new Set(live.map(({ id }) => id));
  const others = await getStoredLeads(
    companyId,
    [...ids].filter((id) => !liveIds.has(id)),
  );
  return pageOf([...live, ...others].filter(matching(filter)), range);
}

function filterOf(query: LeadQuery, pipelines: ReadonlyMap<number, Pipeline>): Filter {
  const { pipeline_id, stage_id, outcome, owner_id, unassigned, needs_next_action: needs, overdue_follow_up: overdue } = query;
  const groups = [...pipelines.values()].flatMap(({ id, stages }) =>
    stages
      .filter((stage) => (stage_id === undefined || stage.id === stage_id) && (outcome === undefined || stage.outcome === outcome))
      .filter(() => pipeline_id === undefined || id === pipeline_id)
      .map((stage) => `${id}:${stage.id}`),
  );
  return {
    groups: pipeline_id === undefined && stage_id === undefined && outcome === undefined ? undefined : new Set(groups),
    owners:
      owner_id === undefined && unassigned === undefined
        ? undefined
        : (id) => (owner_id === undefined || id === owner_id) && (unassigned === undefined || (id === 0) === unassigned),
    followUp:
      needs === undefined && overdue === undefined
        ? undefined
        : (state) => (needs === undefined || (state === 0) === needs) && (overdue === undefined || (state === 2) === overdue),
    contactId: query.contact_id,
    terms: query.search ? leadSearchTerms(query.search) : [],
    isDeleted: query.deleted ?? false,
  };
}

const matching = (filter: Filter) => {
  const at = now();
  return (lead: Lead): boolean =>
    (filter.groups?.has(`${lead.pipelineId}:${lead.stageId}`) ?? true) &&
    (filter.owners?.(lead.ownerId ?? 0) ?? true) &&
    (filter.followUp?.(followUpOf(lead, at)) ?? true) &&
    (filter.terms.length === 0 || hasText(filter, lead));
};

const hasText = ({ terms }: Filter, lead: Lead): boolean => {
  const text = searchText(lead);
  return terms.some((term) => text.includes(term));
};

function isCellOf({ groups, owners, followUp, isDeleted }: Filter, { group, cell }: CountedCell): boolean {
  const [ownerId, state] = cellParts(cell);
  if (isDeleted || group === deletedGroup) return isDeleted && group === deletedGroup && (owners?.(ownerId) ?? true);
  return (groups?.has(group) ?? true) && (owners?.(ownerId) ?? true) && (followUp?.(state) ?? true);
}

const isAfter = (lead: Lead, position: LeadPosition | undefined): boolean =>
  position === undefined || compareLatestFirst(lead, position) > 0;

const pageOf = (leads: readonly Lead[], range: Range): FoundLeads =>
  pageOfWhole(leads.toSorted(compareLatestFirst), range, compareLatestFirst, positionOf);

const positionOf = ({ updatedAt, id }: Lead): LeadPosition => ({ updatedAt, id });
