import * as z from 'zod';
import { paginated, success } from '../../../shared/contract/envelope.ts';
import { id, paging, pathId, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { flag, perPage, reader, version, writer } from './fields.ts';
import { stageOutcome } from './pipeline.ts';
import { leadSources } from './stored.ts';

const reference = z.object({ id: z.int(), name: z.string() });

/** An enquiry as lists show it (A56). */
export const leadListRecord = z
  .object({
    id: z.int(),
    contact_id: z.int(),
    pipeline_id: z.int(),
    pipeline: reference.nullable(),
    stage_id: z.int(),
    stage: reference.extend({ outcome: stageOutcome }).nullable(),
    title: z.string(),
    requirement: z.string().nullable(),
    owner_id: z.int().nullable(),
    owner: reference.nullable(),
    value: z.number().nullable(),
    currency: z.string().nullable(),
    source: z.enum(leadSources),
    outcome: stageOutcome,
    lost_reason: z.string().nullable(),
    version: z.int(),
    creation_key: z.string(),
    next_action: z.object({ task_id: z.int(), title: z.string(), due_at: timestamp }).nullable(),
    pending_tasks_count: z.int(),
    overdue_tasks_count: z.int(),
    closed_at: timestamp.nullable(),
    stage_entered_at: timestamp,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'LeadListItem' });
export type LeadListRecord = z.output<typeof leadListRecord>;

/** With the contact; null once the contact was deleted. */
export const leadRecord = leadListRecord
  .extend({
    contact: z.object({ id: z.int(), name: z.string().nullable(), phone: z.string() }).nullable(),
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
  .refine((given) => currencies.has(given), { error: 'Must be an ISO 4217 currency code, such as EUR.' });

const title = text(255, 1);
const requirement = text(5_000);

export const leadBody = z.object({
  contact_id: id,
  pipeline_id: id,
  title,
  creation_key: text(36, 36)
    .regex(/^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/, { error: 'Must be a UUID.' })
    .transform((key) => key.toLowerCase()),
  requirement: requirement.nullish(),
  owner_id: id.nullish(),
  value: value.nullish(),
  currency: currency.nullish(),
  source: z.enum(leadSources, { error: `Must be one of ${leadSources.join(', ')}.` }).optional(),
});
export type LeadBody = z.output<typeof leadBody>;

const readOnly = (error: string) => z.undefined({ error }).optional();

export const leadChanges = z.object({
  version,
  title: title.optional(),
  requirement: requirement.nullish(),
  owner_id: id.nullish(),
  value: value.nullish(),
  currency: currency.nullish(),
  lost_reason: text(500, 1).optional(),
  contact_id: readOnly('The contact of an enquiry does not change.'),
  pipeline_id: readOnly('The pipeline of an enquiry does not change.'),
  stage_id: readOnly('Move the enquiry with PUT /leads/{id}/stage.'),
});
export type LeadChanges = z.output<typeof leadChanges>;

export const stageBody = z.object({ stage_id: id, version, lost_reason: text(500, 1).optional() });
export type StageBody = z.output<typeof stageBody>;

export const assignee = z.object({ id: z.int(), name: z.string(), email: z.string(), role: z.string(), is_me: z.boolean() });
export type Assignee = z.output<typeof assignee>;

export const activityRecord = z
  .object({
    id: z.int(),
    type: z.string(),
    actor: z.object({ type: z.enum(['user', 'system', 'api', 'customer']), id: z.int().nullable(), name: z.string().nullable() }),
    data: z.record(z.string(), z.unknown()),
    created_at: timestamp,
  })
  .meta({ id: 'LeadActivity' });
export type ActivityRecord = z.output<typeof activityRecord>;

export const leadFilters = {
  contact_id: id.optional(),
  pipeline_id: id.optional(),
  stage_id: id.optional(),
  owner_id: id.optional(),
  outcome: z.enum(['open', 'won', 'lost'], { error: 'Must be open, won or lost.' }).optional(),
  unassigned: flag,
  needs_next_action: flag,
  overdue_follow_up: flag,
  search: text(255).optional(),
};
export const leadQuery = paging(perPage, 100, leadFilters);
export type LeadQuery = z.output<typeof leadQuery>;

const params = z.object({ id: pathId });
const path = '/api/v1/crm/leads';
const stale = ['validation_failed', 'not_found', 'version_conflict'] as const;

export const leadRoutes = {
  listLeads: route({
    method: 'GET',
    path,
    summary: 'Enquiries, last changed first; any combination of filters',
    caller: reader,
    limit: 'crm',
    effect: 'read',
    query: leadQuery,
    answers: { 200: paginated(leadListRecord) },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  createLead: route({
    method: 'POST',
    path,
    summary: 'Create an enquiry; the same creation_key gives the same enquiry',
    caller: writer,
    limit: 'crm',
    effect: 'write',
    body: leadBody,
    answers: { 200: success(leadRecord) },
    errors: ['validation_failed', 'creation_key_reused'],
  }),
  getLead: route({
    method: 'GET',
    path: `${path}/{id}`,
    summary: 'An enquiry with contact, owner, stage, next action and task counts',
    caller: reader,
    limit: 'crm',
    effect: 'read',
    params,
    answers: { 200: success(leadRecord) },
    errors: ['not_found'],
  }),
  updateLead: route({
    method: 'PATCH',
    path: `${path}/{id}`,
    summary: 'Change fields of an enquiry',
    caller: writer,
    limit: 'crm',
    effect: 'write',
    params,
    body: leadChanges,
    answers: { 200: success(leadRecord) },
    errors: stale,
  }),
  moveLead: route({
    method: 'PUT',
    path: `${path}/{id}/stage`,
    summary: 'Move an enquiry to another stage of its pipeline',
    caller: writer,
    limit: 'crm',
    effect: 'write',
    params,
    body: stageBody,
    answers: { 200: success(leadRecord) },
    errors: stale,
  }),
  listLeadPeople: route({
    method: 'GET',
    path: `${path}/{id}/people`,
    summary: 'Team members who can own the enquiry or its tasks',
    caller: reader,
    limit: 'crm',
    effect: 'read',
    params,
    answers: { 200: success(z.array(assignee)) },
    errors: ['not_found'],
  }),
  listLeadActivities: route({
    method: 'GET',
    path: `${path}/{id}/activities`,
    summary: 'The timeline of an enquiry, newest first',
    caller: reader,
    limit: 'crm',
    effect: 'read',
    params,
    query: paging(perPage),
    answers: { 200: paginated(activityRecord) },
    errors: ['validation_failed', 'not_found', 'invalid_cursor'],
  }),
};
