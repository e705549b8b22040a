import * as z from 'zod';
import { deleted, paginated, success } from '../../../shared/contract/envelope.ts';
import { id, paging, pathId, text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { missingReason } from '../../../shared/contract/refusal-words.ts';
import { route } from '../../../shared/contract/route.ts';
import { flag, perPage, reader, version, writer } from './fields.ts';
import { pipelineRecord, stageOutcome } from './pipeline.ts';
import { leadSources } from './stored-lead.ts';

const reference = z.object({ id: z.int().meta({ description: 'The id.' }), name: z.string().meta({ description: 'The name.' }) });

/** A lead as lists show it. */
export const leadListRecord = z
  .object({
    id: z.int().meta({ description: 'The id of the lead.' }),
    contact_id: z.int(),
    pipeline_id: z.int().meta({ description: 'The id of the pipeline.' }),
    pipeline: reference.nullable().meta({ description: 'The pipeline; null when it no longer exists.' }),
    stage_id: z.int().meta({ description: 'The id of the current stage.' }),
    stage: reference
      .extend({ outcome: stageOutcome.meta({ description: 'open, won or lost.' }) })
      .meta({ id: 'LeadStage' })
      .nullable()
      .meta({ description: 'The current stage; null when it no longer exists.' }),
    title: z.string().meta({ description: 'The title of the lead.' }),
    requirement: z.string().nullable().meta({ description: 'What the customer needs, or null.' }),
    owner_id: z.int().nullable().meta({ description: 'The user who owns the lead, or null.' }),
    owner: reference.nullable().meta({ description: 'The owner, or null.' }),
    value: z.number().nullable().meta({ description: 'The value in `currency`, or null.' }),
    currency: z.string().nullable().meta({ description: 'ISO 4217 code, or null.' }),
    source: z.enum(leadSources).meta({ description: 'Where the lead came from.' }),
    outcome: stageOutcome.meta({ description: 'The outcome of the current stage: open, won or lost.' }),
    lost_reason: z.string().nullable().meta({ description: 'Why the lead was lost, or null.' }),
    version: z.int().meta({ description: 'Send it with a change; an outdated one is 409.' }),
    creation_key: z.string().meta({ description: 'The UUID with which the lead was created.' }),
    next_action: z
      .object({
        task_id: z.int().meta({ description: 'The id of the task.' }),
        title: z.string().meta({ description: 'The title of the task.' }),
        due_at: timestamp.meta({ description: 'When the task is due.' }),
      })
      .meta({ id: 'LeadNextAction' })
      .nullable()
      .meta({ description: 'The pending task that is due next, or null.' }),
    pending_tasks_count: z.int().meta({ description: 'Tasks that are not completed or cancelled.' }),
    overdue_tasks_count: z.int().meta({ description: 'Pending tasks whose due time has passed.' }),
    closed_at: timestamp.nullable().meta({ description: 'When the lead was won or lost, or null.' }),
    stage_entered_at: timestamp.meta({ description: 'When the lead entered its current stage.' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'LeadListItem' });
export type LeadListRecord = z.output<typeof leadListRecord>;

/** With the contact; null once the contact was deleted. */
export const leadRecord = leadListRecord
  .extend({
    contact: z
      .object({
        id: z.int().meta({ description: 'The id of the contact.' }),
        name: z.string().nullable().meta({ description: 'The name, or null.' }),
        phone: z.string().meta({ description: 'Digits with country code, no plus.' }),
      })
      .nullable()
      .meta({ description: 'The contact; null when it was deleted.' }),
  })
  .meta({ id: 'Lead' });
export type LeadRecord = z.output<typeof leadRecord>;

/** Cents inside; two decimals at most. */
const value = z
  .number({ error: 'Must be a number.' })
  .min(0, { error: 'Must not be negative.' })
  .max(9_999_999_999.99, { error: 'Must be at most 9999999999.99.' })
  .refine((given) => Math.abs(given * 100 - Math.round(given * 100)) < 1e-4, { error: 'Must have at most two decimals.' })
  .transform((given) => Math.round(given * 100));

const currencies = new Set(Intl.supportedValuesOf('currency'));
const currency = text(3, 3)
  .transform((given) => given.toUpperCase())
  .refine((given) => currencies.has(given), { error: 'Must be an ISO 4217 currency code, such as EUR.' })
  .meta({ override: { type: 'string', pattern: '^[A-Za-z]{3}$' } });

const title = text(255, 1);
const requirement = text(5_000);

const mustBeUuid = 'Must be a UUID, such as 0b6f8f9e-6f0c-4b6e-9a53-3f6a1f0f5c11.';
const creationKeyHint = 'It is a UUID that you make, a new one for each lead: a repeated call with it makes no second lead.';

export const leadBody = z.object({
  contact_id: id,
  pipeline_id: id.meta({ description: 'The pipeline that the lead starts in.' }),
  title: title.meta({ description: 'The title of the lead.' }),
  creation_key: z
    .string({ error: ({ input }) => (input === undefined ? `${missingReason} ${creationKeyHint}` : mustBeUuid) })
    .trim()
    .length(36, { error: mustBeUuid })
    .regex(/^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/, { error: mustBeUuid })
    .transform((key) => key.toLowerCase())
    .meta({ description: 'A UUID of the caller for this lead: a repeated call with it returns the same lead.' }),
  requirement: requirement.nullish().meta({ description: 'What the customer needs.' }),
  owner_id: id.nullish().meta({ description: 'The user who owns the lead.' }),
  value: value.nullish().meta({ description: 'The value in `currency`, at most two decimals.' }),
  currency: currency.nullish().meta({ description: 'ISO 4217 code, such as EUR.' }),
  source: z
    .enum(leadSources, { error: `Must be one of ${leadSources.join(', ')}.` })
    .optional()
    .meta({ description: 'Where the lead came from; default: api.' }),
});
export type LeadBody = z.output<typeof leadBody>;

export const leadChanges = z.object({
  version,
  title: title.optional().meta({ description: 'The title of the lead.' }),
  requirement: requirement.nullish().meta({ description: 'What the customer needs; null clears it.' }),
  owner_id: id.nullish().meta({ description: 'The user who owns the lead; null clears it.' }),
  value: value.nullish().meta({ description: 'The value in `currency`; null clears it.' }),
  currency: currency.nullish().meta({ description: 'ISO 4217 code; null clears it.' }),
  lost_reason: text(500, 1).optional().meta({ description: 'Why the lead was lost; only of a lost lead.' }),
  contact_id: id.optional().meta({ description: 'Not changed by this: that of the lead is accepted, any other refused.' }),
  pipeline_id: id.optional().meta({
    description: 'Not changed by this: that of the lead is accepted, any other refused. Move the lead with PUT /leads/{id}/stage.',
  }),
  stage_id: id.optional().meta({
    description: 'Not changed by this: that of the lead is accepted, any other refused. Move the lead with PUT /leads/{id}/stage.',
  }),
});
export type LeadChanges = z.output<typeof leadChanges>;

export const stageBody = z.object({
  stage_id: id.meta({ description: 'The stage to move to.' }),
  pipeline_id: id.optional().meta({ description: 'The pipeline of the stage, where it is another one.' }),
  version,
  lost_reason: text(500, 1).optional().meta({ description: 'Required for a stage of outcome lost.' }),
});
export type StageBody = z.output<typeof stageBody>;

export const assignee = z
  .object({
    id: z.int().meta({ description: 'The id of the user.' }),
    name: z.string().meta({ description: 'The name of the user.' }),
    email: z.string().meta({ description: 'The email of the user.' }),
    role: z.string().meta({ description: 'The role of the user: owner, admin or member.' }),
    is_me: z.boolean().meta({ description: 'Whether it is the caller.' }),
  })
  .meta({ id: 'Assignee' });
export type Assignee = z.output<typeof assignee>;

export const activityRecord = z
  .object({
    id: z.int().meta({ description: 'The id of the entry.' }),
    type: z.string().meta({ description: 'What happened, such as lead.created, stage.changed, note.added or task.completed.' }),
    actor: z
      .object({
        type: z.enum(['user', 'system', 'api', 'customer']).meta({ description: 'What kind of actor it is.' }),
        id: z.int().nullable().meta({ description: 'The id of the user, or null.' }),
        name: z.string().nullable().meta({ description: 'The name of the user, or null.' }),
      })
      .meta({ description: 'The author of the change.' }),
    data: z.record(z.string(), z.unknown()).meta({ description: 'Details of the change, by type.' }),
    created_at: timestamp,
  })
  .meta({ id: 'LeadActivity' });
export type ActivityRecord = z.output<typeof activityRecord>;

export const leadFilters = {
  contact_id: id.optional(),
  pipeline_id: id.optional().meta({ description: 'Only leads of this pipeline.' }),
  stage_id: id.optional().meta({ description: 'Only leads in this stage.' }),
  owner_id: id.optional().meta({ description: 'Only leads of this owner.' }),
  outcome: z
    .enum(['open', 'won', 'lost'], { error: 'Must be open, won or lost.' })
    .optional()
    .meta({ description: 'The outcome of the current stage: open, won or lost.' }),
  unassigned: flag.meta({ description: '1: leads without an owner; 0: leads with one.' }),
  needs_next_action: flag.meta({ description: '1: leads without a pending task; 0: leads with one.' }),
  overdue_follow_up: flag.meta({ description: '1: leads whose next task is overdue; 0: all others.' }),
  search: text(255).optional().meta({ description: 'Finds title, requirement, and the name and phone of the contact.' }),
  deleted: flag.meta({ description: '1: only deleted leads.' }),
};
export const leadQuery = paging(perPage, 100, leadFilters);
export type LeadQuery = z.output<typeof leadQuery>;

export const boardQuery = z.object({
  pipeline_id: id.meta({ description: 'The pipeline.' }),
  limit: wholeNumber(1, 50).optional().meta({ description: 'Leads of each stage, at most 50; default 20.' }),
  owner_id: id.optional().meta({ description: 'Only leads of this owner.' }),
  search: text(255).optional().meta({ description: 'Finds title, requirement, and the name and phone of the contact.' }),
});
export type BoardQuery = z.output<typeof boardQuery>;

export const board = z
  .object({
    pipeline: pipelineRecord.meta({ description: 'The pipeline with its stages.' }),
    columns: z
      .array(
        z.object({
          stage_id: z.int().meta({ description: 'The id of the stage.' }),
          total: z.int().meta({ description: 'Leads in the stage.' }),
          values: z
            .array(
              z.object({
                currency: z.string().meta({ description: 'The ISO 4217 currency.' }),
                value: z.number().meta({ description: 'What the leads with this currency are worth together.' }),
              }),
            )
            .nullable()
            .meta({
              description:
                'What all leads of the stage are worth, by currency, within seconds of a change; null with `search`, and while leads that a former version wrote are among them.',
            }),
          leads: z.array(leadListRecord).meta({ description: 'The first of them, latest change first. More: `GET /crm/leads?stage_id=`.' }),
        }),
      )
      .meta({ description: 'A column for each stage, in order; an archived stage only while it has leads.' }),
  })
  .meta({ id: 'Board', description: 'The leads of a pipeline by stage.' });
export type Board = z.output<typeof board>;

const params = z.object({ id: pathId });
const path = '/api/v1/crm/leads';
const stale = ['validation_failed', 'not_found', 'version_conflict'] as const;

export const leadRoutes = {
  listLeads: route({
    method: 'GET',
    path,
    summary: 'List leads',
    description:
      'The leads of all pipelines, latest change first, with any combination of filters. A change is visible at once. Pagination by page or cursor.',
    caller: reader,
    limit: 'crm',
    query: leadQuery,
    answers: { 200: paginated(leadListRecord) },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  getBoard: route({
    method: 'GET',
    path: '/api/v1/crm/board',
    summary: 'Get the board of a pipeline',
    description: 'The stages of a pipeline with their counts and first leads, in one call.',
    caller: reader,
    limit: 'crm',
    query: boardQuery,
    answers: { 200: success(board) },
    errors: ['validation_failed'],
  }),
  createLead: route({
    method: 'POST',
    path,
    summary: 'Create a lead',
    description:
      'Starts a lead of a contact in the first open stage of a pipeline. The same `creation_key` with the same body returns the same lead, so a retry never creates two.',
    caller: writer,
    limit: 'crm',
    body: leadBody.meta({ id: 'CreateLeadRequest' }),
    answers: { 200: success(leadRecord) },
    errors: ['validation_failed', 'creation_key_reused'],
  }),
  getLead: route({
    method: 'GET',
    path: `${path}/{id}`,
    summary: 'Get a lead',
    description: 'A lead with contact, owner, stage, next action and task counts.',
    caller: reader,
    limit: 'crm',
    params,
    answers: { 200: success(leadRecord) },
    errors: ['not_found'],
  }),
  updateLead: route({
    method: 'PATCH',
    path: `${path}/{id}`,
    summary: 'Update a lead',
    description: 'Changes the given fields. `version` must be the current one; else 409 with the current record.',
    caller: writer,
    limit: 'crm',
    params,
    body: leadChanges.meta({ id: 'UpdateLeadRequest' }),
    answers: { 200: success(leadRecord) },
    refuses: ['field', 'state'],
    errors: stale,
  }),
  moveLead: route({
    method: 'PUT',
    path: `${path}/{id}/stage`,
    summary: 'Move a lead to another stage',
    description:
      'A stage of outcome won or lost closes the lead, an open one reopens it. A lost lead needs `lost_reason`. With `pipeline_id` the lead moves to another pipeline.',
    caller: writer,
    limit: 'crm',
    params,
    body: stageBody.meta({ id: 'MoveLeadRequest' }),
    answers: { 200: success(leadRecord) },
    refuses: ['combination', 'state'],
    errors: stale,
  }),
  deleteLead: route({
    method: 'DELETE',
    path: `${path}/{id}`,
    summary: 'Delete a lead',
    description:
      'The lead is in no list, board or report any more, and its pending tasks are cancelled. It can be restored, and is listed with `deleted=1`.',
    caller: writer,
    limit: 'crm',
    params,
    answers: { 200: deleted },
    errors: ['not_found'],
  }),
  restoreLead: route({
    method: 'POST',
    path: `${path}/{id}/restore`,
    summary: 'Restore a deleted lead',
    description: 'The lead is in its stage again, with its notes and timeline. Its tasks stay cancelled.',
    caller: writer,
    limit: 'crm',
    params,
    answers: { 200: success(leadRecord) },
    errors: ['not_found'],
  }),
  listLeadPeople: route({
    method: 'GET',
    path: `${path}/{id}/people`,
    summary: 'List team members who can own a lead',
    description: 'The active team members with write access, who can own the lead or its tasks.',
    caller: reader,
    limit: 'crm',
    params,
    answers: { 200: success(z.array(assignee)) },
    errors: ['not_found'],
  }),
  listLeadActivities: route({
    method: 'GET',
    path: `${path}/{id}/activities`,
    summary: 'List the timeline of a lead',
    description: 'Every change of the lead, its tasks and notes, newest first: when, by whom, and what.',
    caller: reader,
    limit: 'crm',
    params,
    query: paging(perPage),
    answers: { 200: paginated(activityRecord) },
    errors: ['validation_failed', 'not_found', 'invalid_cursor'],
  }),
};
