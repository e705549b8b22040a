import * as z from 'zod';
import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { cutPage, listPage, type Page, type PageQuery } from '../../../shared/table/page.ts';
import { getCompany } from '../../account/service/companies.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { PipelineBody, PipelineChanges, PipelineRecord } from '../contract/pipeline.ts';
import { arrangedStages, maxPipelines, normalizeName, type Pipeline, stagesOf, templates } from '../domain/pipeline.ts';
import { toPipelineRecord } from '../domain/record.ts';
import { createStoredPipeline, getStoredPipeline, listStoredPipelines, updateStoredPipeline } from '../store/pipeline.ts';

const position = z.object({ after: z.int() });

/** GET /pipelines: the active ones, oldest first; with `archived` all. */
export const listPipelines = (
  companyId: number,
  { archived = false, ...query }: PageQuery & { archived?: boolean | undefined },
): Promise<Page<PipelineRecord> | Problem<'invalid_cursor'>> =>
  listPage({ scope: `pipelines:${companyId}`, query, position }, async ({ after, skip, limit }) => {
    const listed = (await listStoredPipelines(companyId, { consistent: true })).filter(({ isActive }) => isActive || archived);
    const rest = after ? listed.filter(({ id }) => id > after.after) : listed;
    const { items, next } = cutPage(rest, { skip, limit }, ({ id }) => ({ after: id }));
    return { items: items.map(toPipelineRecord), total: listed.length, next };
  });

export const createPipeline = async (
  companyId: number,
  { name: givenName, template: givenTemplate }: PipelineBody,
): Promise<PipelineRecord | Problem<'validation_failed' | 'plan_limit_reached'>> => {
  const template = givenTemplate ?? 'simple';
  const name = givenName ?? templates[template].name;
  const [company, existing] = await Promise.all([getCompany(companyId), listStoredPipelines(companyId, { consistent: true })]);
  if (existing.some((each) => normalizeName(each.name) === normalizeName(name))) return nameTaken();
  const limit = Math.min(company?.plan.limits.pipelines ?? maxPipelines, maxPipelines);
  const full = problem('plan_limit_reached', {
    message: `A company may have ${limit} pipelines.`,
    details: { resource: 'pipelines', limit, used: existing.length },
  });
  if (existing.length >= limit) return full;
  const [id, firstStageId] = await Promise.all([
    nextIds(companyId, 'pipeline', 1),
    nextIds(companyId, 'stage', templates[template].stages.length),
  ]);
  const at = now();
  const pipeline: Pipeline = {
    companyId,
    id,
    name,
    isActive: true,
    stages: stagesOf(template, firstStageId),
    createdAt: at,
    updatedAt: at,
  };
  const created = await createStoredPipeline(pipeline, limit);
  if (created === 'done') return toPipelineRecord(pipeline);
  return created === 'taken' ? nameTaken() : full;
};

/** PUT /pipelines/{id}. */
export const updatePipeline = async (
  companyId: number,
  id: number,
  body: PipelineChanges,
): Promise<PipelineRecord | Problem<'validation_failed' | 'not_found' | 'conflict'>> => {
  const added = (body.stages ?? []).filter((stage) => stage.id === undefined).length;
  const firstStageId = added > 0 ? await nextIds(companyId, 'stage', added) : 0;
  return retryOnConflict<PipelineRecord | Problem<'validation_failed' | 'not_found' | 'conflict'>>(
    maxAttempts,
    async () => {
      const seen = await getStoredPipeline(companyId, id);
      if (!seen) return problem('not_found');
      const stages = body.stages ? arrangedStages(seen.stages, body.stages, firstStageId) : seen.stages;
      if ('refused' in stages) return invalid('stages', stages.refused);
      const next = {
        ...seen,
        name: body.name ?? seen.name,
        isActive: body.is_active ?? seen.isActive,
        stages,
        updatedAt: Math.max(now(), seen.updatedAt + 1),
      };
      const written = await updateStoredPipeline(seen, next);
      if (written === 'done') return toPipelineRecord(next);
      return written === 'taken' ? nameTaken() : conflict;
    },
    () => problem('conflict'),
  );
};

/** All pipelines by id. When a needed one is missing, a second consistent read finds pipelines that were created a moment ago. */
export const getPipelinesById = async (companyId: number, needed: readonly number[] = []): Promise<Map<number, Pipeline>> => {
  const byId = (pipelines: readonly Pipeline[]) => new Map(pipelines.map((each) => [each.id, each]));
  const found = byId(await listStoredPipelines(companyId));
  return needed.every((id) => found.has(id)) ? found : byId(await listStoredPipelines(companyId, { consistent: true }));
};

const maxAttempts = 8;

const nameTaken = (): Problem<'validation_failed'> => invalid('name', 'Another pipeline has this name.');
