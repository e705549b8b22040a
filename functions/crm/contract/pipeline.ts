import * as z from 'zod';
import { paginated, success } from '../../../shared/contract/envelope.ts';
import { id, looseBoolean, paging, pathId, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { flag, owner, perPage, reader } from './fields.ts';

export const stageOutcome = z.enum(['open', 'won', 'lost']);

export const pipelineRecord = z
  .object({
    id: z.int().meta({ description: 'The id of the pipeline.' }),
    name: z.string().meta({ description: 'The name of the pipeline.' }),
    is_active: z.boolean().meta({ description: 'Whether new leads can be created in it.' }),
    stages: z
      .array(
        z.object({
          id: z.int().meta({ description: 'The id of the stage.' }),
          name: z.string().meta({ description: 'The name of the stage.' }),
          outcome: stageOutcome.meta({ description: 'What the stage means: open, won or lost.' }),
          order: z.int().meta({ description: 'The position of the stage, from 1.' }),
          is_default: z.boolean().meta({ description: 'New leads start in this stage.' }),
          is_archived: z.boolean().meta({ description: 'No lead can be moved into it any more.' }),
        }),
      )
      .meta({ description: 'The stages in order.' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Pipeline' });
export type PipelineRecord = z.output<typeof pipelineRecord>;

export const pipelineBody = z
  .object({
    name: text(100, 1).optional().meta({ description: 'The name, unique in the company; default: the name of the template.' }),
    template: z
      .enum(['simple', 'sales', 'appointments'], { error: 'Must be simple, sales or appointments.' })
      .optional()
      .meta({ description: 'The starter template; default: simple.' }),
  })
  .refine(({ name, template }) => name !== undefined || template !== undefined, {
    error: 'Give a name, a template, or both.',
    path: ['name'],
  });
export type PipelineBody = z.output<typeof pipelineBody>;

export const pipelineChanges = z
  .object({
    name: text(100, 1).optional().meta({ description: 'The new name, unique in the company.' }),
    is_active: looseBoolean.optional().meta({ description: 'False archives the pipeline: its leads stay, new ones are refused.' }),
    stages: z
      .array(
        z.object({
          id: id.optional().meta({ description: 'The stage; absent: a new one.' }),
          name: text(100, 1).optional().meta({ description: 'The name; required for a new stage.' }),
          outcome: stageOutcome.optional().meta({ description: 'Of a new stage: open (default), won or lost.' }),
          is_archived: looseBoolean.optional().meta({ description: 'Whether no lead can be moved into it any more.' }),
        }),
      )
      .min(1)
      .max(50)
      .optional()
      .meta({ description: 'All stages in their new order, each stage that exists by its id.' }),
  })
  .refine((given) => Object.values(given).some((value) => value !== undefined), {
    error: 'Give a name, is_active or stages.',
    path: ['name'],
  });
export type PipelineChanges = z.output<typeof pipelineChanges>;

export const pipelineRoutes = {
  listPipelines: route({
    method: 'GET',
    path: '/api/v1/crm/pipelines',
    summary: 'List pipelines',
    description: 'The active pipelines with their stages in order, oldest first; with archived=1 the archived ones too.',
    caller: reader,
    limit: 'crm',
    query: paging(perPage, 100, { archived: flag.meta({ description: '1: archived pipelines too.' }) }),
    answers: { 200: paginated(pipelineRecord) },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  createPipeline: route({
    method: 'POST',
    path: '/api/v1/crm/pipelines',
    summary: 'Create a pipeline',
    description: 'From a name, a starter template (simple, sales or appointments), or both.',
    caller: owner,
    limit: 'crm',
    body: pipelineBody.meta({ id: 'CreatePipelineRequest', minProperties: 1 }),
    answers: { 200: success(pipelineRecord) },
    refuses: ['taken'],
    errors: ['validation_failed', 'plan_limit_reached'],
  }),
  updatePipeline: route({
    method: 'PUT',
    path: '/api/v1/crm/pipelines/{id}',
    summary: 'Rename, reorder or archive a pipeline and its stages',
    description:
      'Changes what is given. `stages` is the whole list in its new order; a stage without id is added, and none can be left out: archive it. No lead leaves its stage by this.',
    caller: owner,
    limit: 'crm',
    params: z.object({ id: pathId }),
    body: pipelineChanges.meta({ id: 'UpdatePipelineRequest', minProperties: 1 }),
    answers: { 200: success(pipelineRecord) },
    refuses: ['combination', 'taken'],
    errors: ['validation_failed', 'not_found', 'conflict'],
  }),
};
