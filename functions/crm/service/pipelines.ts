import * as z from 'zod';
import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Page } from '../../../shared/http/reply.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { decodeCursor, encodeCursor } from '../../../shared/table/cursor.ts';
import { getCompany } from '../../account/service/companies.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { PipelineBody, PipelineChanges, PipelineRecord } from '../contract/pipeline.ts';
import { arrangedStages, maxPipelines, normalizeName, type Pipeline, stagesOf, templates } from '../domain/pipeline.ts';
import { toPipelineRecord } from '../domain/record.ts';
import { createStoredPipeline, getStoredPipeline, listStoredPipelines, updateStoredPipeline } from '../store/pipeline.ts';

/** GET /pipelines: the active ones, oldest first; with `archived` all. */
export const listPipelines = async (
  companyId: number,
  { page, limit, cursor, archived = false }: { page: number; limit: number; cursor: string | undefined; archived?: boolean | undefined },
): Promise<Page<PipelineRecord> | Problem<'invalid_cursor'>> => {
  const scope = `pipelines:${companyId}`;
  const position = cursor === undefined ? undefined : await decodeCursor(scope, cursor, z.object({ after: z.int() }));
  if (cursor !== undefined && !position) return problem('invalid_cursor');
  const active = (await listStoredPipelines(companyId, { consistent: true })).filter(({ isActive }) => isActive || archived);
  const rest = position ? active.filter(({ id }) => id > position.after) : active.slice((page - 1) * limit);
  const shown = rest.slice(0, limit);
  const last = rest.length > limit ? shown.at(-1) : undefined;
  return {
    items: shown.map(toPipelineRecord),
    total: active.length,
    page,
    limit,
    nextCursor: last && (await encodeCursor(scope, { after: last.id })),
  };
};

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
