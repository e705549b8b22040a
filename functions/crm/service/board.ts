import { invalid, isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { inParallel } from '../../../shared/runtime/parallel.ts';
import type { Board, BoardQuery } from '../contract/lead.ts';
import { worthOfStage } from '../domain/cell.ts';
import { toPipelineRecord } from '../domain/record.ts';
import { listCells } from '../store/row.ts';
import { listLeads, textMatches } from './list-leads.ts';
import { getPipelinesById } from './pipelines.ts';

const leadsOfStage = 20;

/** GET /crm/board: each stage as `GET /crm/leads?stage_id=` lists it, at that cost for each; a text is searched once. Its values are those of its cells. */
export const getBoard = async (
  companyId: number,
  { pipeline_id, limit = leadsOfStage, owner_id, search }: BoardQuery,
): Promise<Board | Problem<'validation_failed'>> => {
  const pipeline = (await getPipelinesById(companyId, [pipeline_id])).get(pipeline_id);
  if (!pipeline) return invalid('pipeline_id', 'There is no such pipeline.');
  const cells = new Map((await listCells(companyId, 'lead')).map((row) => [row.group, row]));
  const found = textMatches(companyId, search);
  const columns = await inParallel(pipeline.stages, 8, async ({ id: stage_id, isArchived }): Promise<Board['columns']> => {
    const page = await listLeads(companyId, { pipeline_id, stage_id, owner_id, search, limit, page: 1, cursor: undefined }, found);
    if (isProblem(page)) throw new Error(`A column of a board was refused: ${page.problem}.`);
    if (isArchived === true && page.total === 0) return [];
    const worth = search === undefined ? worthOfStage(cells.get(`${pipeline_id}:${stage_id}`), owner_id) : undefined;
    return [{ stage_id, total: page.total, values: worth ? valuesOf(worth) : null, leads: page.items }];
  });
  return { pipeline: toPipelineRecord(pipeline), columns: columns.flat() };
};

const valuesOf = (worth: ReadonlyMap<string, number>): { currency: string; value: number }[] =>
  [...worth].map(([currency, cents]) => ({ currency, value: cents / 100 })).toSorted((a, b) => (a.currency < b.currency ? -1 : 1));
