import * as z from 'zod';
import { paginated, success } from '../../../shared/contract/envelope.ts';
import { paging, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { owner, perPage, reader } from './fields.ts';

export const stageOutcome = z.enum(['open', 'won', 'lost']);

export const pipelineRecord = z
  .object({
    id: z.int(),
    name: z.string(),
    is_active: z.boolean(),
    stages: z.array(
      z.object({
        id: z.int(),
        name: z.string(),
        outcome: stageOutcome,
        order: z.int(),
        is_default: z.boolean().meta({ description: 'New enquiries begin here.' }),
      }),
    ),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Pipeline' });
export type PipelineRecord = z.output<typeof pipelineRecord>;

export const pipelineBody = z
  .object({
    name: text(100, 1).optional(),
    template: z.enum(['simple', 'sales', 'appointments'], { error: 'Must be simple, sales or appointments.' }).optional(),
  })
  .refine(({ name, template }) => name !== undefined || template !== undefined, {
    error: 'Give a name, a template, or both.',
    path: ['name'],
  });
export type PipelineBody = z.output<typeof pipelineBody>;

export const pipelineRoutes = {
  listPipelines: route({
    method: 'GET',
    path: '/api/v1/crm/pipelines',
    summary: 'Active pipelines with their stages in order',
    caller: reader,
    limit: 'crm',
    effect: 'read',
    query: paging(perPage),
    answers: { 200: paginated(pipelineRecord) },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  createPipeline: route({
    method: 'POST',
    path: '/api/v1/crm/pipelines',
    summary: 'Create a pipeline from a name or a starter template',
    caller: owner,
    limit: 'crm',
    effect: 'write',
    body: pipelineBody,
    answers: { 200: success(pipelineRecord) },
    errors: ['validation_failed', 'plan_limit_reached'],
  }),
};
