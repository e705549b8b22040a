import { invalid, isProblem, type Problem } from '../../../shared/contract/problems.ts';
import type { Board, BoardQuery } from '../contract/lead.ts';
import { toPipelineRecord } from '../domain/record.ts';
import { listLeads } from './list-leads.ts';
import { getPipelinesById } from './pipelines.ts';

const leadsOfStage = 20;

/** GET /crm/board: each stage as `GET /crm/leads?stage_id=` lists it, at that cost for each. */
export const getBoard = async (
  companyId: number,
  { pipeline_id, limit = leadsOfStage, owner_id, search }: BoardQuery,
): Promise<Board | Problem<'validation_failed'>> => {
  const pipeline = (await getPipelinesById(companyId, [pipeline_id])).get(pipeline_id);
  if (!pipeline) return invalid('pipeline_id', 'There is no such pipeline.');
  const columns: Board['columns'] = [];
  for (const { id: stage_id, isArchived } of pipeline.stages) {
    const page = await listLeads(companyId, { pipeline_id, stage_id, owner_id, search, limit, page: 1, cursor: undefined });
    if (isProblem(page)) throw new Error(`A column of a board was refused: ${page.problem}.`);
    if (isArchived !== true || page.total > 0) columns.push({ stage_id, total: page.total, leads: page.items });
  }
  return { pipeline: toPipelineRecord(pipeline), columns };
};
