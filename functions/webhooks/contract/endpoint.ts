import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { pathId, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { eventChoices } from './catalog.ts';

/** Outgoing webhooks: where a company's own systems hear what happened (decisions A53, V31-V35). */
export const maxEndpoints = 10;

export const endpointRecord = z
  .object({
    id: z.int(),
    url: z.string(),
    events: z.array(z.string()),
    profile_id: z.string().nullable(),
    status: z.enum(['active', 'disabled']),
    disabled_reason: z.enum(['by_user', 'gone', 'failing']).nullable().meta({ description: 'gone: it answered 410; failing: for 5 days.' }),
    failing_since: timestamp.nullable(),
    last_success_at: timestamp.nullable(),
    /** When the secret before the last rotation dies. */
    previous_secret_expires_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'WebhookEndpoint' });
export type EndpointRecord = z.output<typeof endpointRecord>;

const secret = z.string().meta({ description: 'whsec_ and base64; shown this once.' });
export const endpointWithSecret = endpointRecord.extend({ secret });

const url = text(2_000, 1).meta({ format: 'uri', description: 'https, and public.' });
const events = z
  .array(z.enum(eventChoices, { error: `Must be one of ${eventChoices.join(', ')}.` }), { error: 'Must be a list of events.' })
  .min(1, { error: 'Must name at least one event.' })
  .max(eventChoices.length)
  .transform((names) => [...new Set(names)]);
const profile_id = z.uuid({ error: 'Must be the id of a verification profile.' }).nullish();

export const endpointBody = z.object({ url, events, profile_id });
export type EndpointBody = z.output<typeof endpointBody>;
export const endpointChanges = z.object({
  url: url.optional(),
  events: events.optional(),
  profile_id,
  status: z.enum(['active', 'disabled']).optional(),
});
export type EndpointChanges = z.output<typeof endpointChanges>;

export const byEndpoint = z.object({ id: pathId });
export const manager = { kind: 'token', scope: 'webhooks:manage', role: 'admin' } as const;

export const endpointRoutes = {
  listWebhooks: route({
    method: 'GET',
    path: '/api/v1/webhooks',
    summary: 'List the endpoints',
    caller: manager,
    limit: 'read',
    effect: 'read',
    answers: { 200: success(z.array(endpointRecord)) },
    errors: [],
  }),
  createWebhook: route({
    method: 'POST',
    path: '/api/v1/webhooks',
    aliases: ['/api/v1/verification/admin/webhooks'],
    summary: 'Create an endpoint; its secret is shown once',
    caller: manager,
    limit: 'write',
    effect: 'write',
    body: endpointBody,
    answers: { 200: success(endpointWithSecret) },
    errors: ['validation_failed', 'plan_limit_reached', 'conflict'],
    secret: true,
  }),
  getWebhook: route({
    method: 'GET',
    path: '/api/v1/webhooks/{id}',
    summary: 'An endpoint',
    caller: manager,
    limit: 'read',
    effect: 'read',
    params: byEndpoint,
    answers: { 200: success(endpointRecord) },
    errors: ['not_found'],
  }),
  updateWebhook: route({
    method: 'PUT',
    path: '/api/v1/webhooks/{id}',
    summary: 'Change an endpoint; what is not given stays',
    caller: manager,
    limit: 'write',
    effect: 'write',
    params: byEndpoint,
    body: endpointChanges,
    answers: { 200: success(endpointRecord) },
    errors: ['validation_failed', 'not_found', 'conflict'],
  }),
  deleteWebhook: route({
    method: 'DELETE',
    path: '/api/v1/webhooks/{id}',
    summary: 'Delete an endpoint; what it has not heard yet is dropped',
    caller: manager,
    limit: 'write',
    effect: 'write',
    params: byEndpoint,
    answers: { 200: success(z.object({ id: z.int(), deleted: z.literal(true) })) },
    errors: ['not_found', 'conflict'],
  }),
  rotateWebhookSecret: route({
    method: 'POST',
    path: '/api/v1/webhooks/{id}/rotate',
    summary: 'A new secret; for 24 hours both sign',
    caller: manager,
    limit: 'write',
    effect: 'write',
    params: byEndpoint,
    answers: { 200: success(endpointWithSecret) },
    errors: ['not_found', 'conflict'],
    secret: true,
  }),
};
