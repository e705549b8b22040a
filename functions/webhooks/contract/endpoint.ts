import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { pathId, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { eventChoices } from './catalog.ts';

/** Endpoints: the URLs at which a company's own systems receive events (decisions A53, V31-V35). */
export const maxEndpoints = 10;

export const endpointRecord = z
  .object({
    id: z.int().meta({ description: 'The id of the endpoint.' }),
    url: z.string().meta({ description: 'Where events are sent.' }),
    events: z.array(z.string()).meta({ description: 'The events it receives: single ones, families (`order.*`) or all (`*`).' }),
    profile_id: z.string().nullable().meta({ description: 'With a value, only events of this verification profile.' }),
    status: z.enum(['active', 'disabled']).meta({ description: '`active` or `disabled`.' }),
    disabled_reason: z
      .enum(['by_user', 'gone', 'failing'])
      .nullable()
      .meta({ description: 'Why it is disabled: `by_user`, `gone` (it responded 410) or `failing` (for five days); null while active.' }),
    failing_since: timestamp.nullable().meta({ description: 'Since when every delivery fails; null while deliveries succeed.' }),
    last_success_at: timestamp.nullable().meta({ description: 'When the last event was delivered; null before the first.' }),
    /** When the secret before the last rotation expires. */
    previous_secret_expires_at: timestamp
      .nullable()
      .meta({ description: 'Until when the previous secret signs too, after a rotation; null otherwise.' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'WebhookEndpoint' });
export type EndpointRecord = z.output<typeof endpointRecord>;

const secret = z.string().meta({ description: 'The signing secret: `whsec_` and base64. Shown only in this response.' });
export const endpointWithSecret = endpointRecord
  .extend({ secret })
  .meta({ id: 'WebhookEndpointWithSecret', description: 'A webhook endpoint with its signing secret.' });

const url = text(2_000, 1).meta({ format: 'uri', description: 'Where to send events: https, and publicly reachable.' });
const events = z
  .array(z.enum(eventChoices, { error: `Must be one of ${eventChoices.join(', ')}.` }), { error: 'Must be a list of events.' })
  .min(1, { error: 'Must name at least one event.' })
  .max(eventChoices.length)
  .transform((names) => [...new Set(names)])
  .meta({ description: 'The events to receive: single ones, families (`order.*`) or all (`*`).' });
const profile_id = z
  .uuid({ error: 'Must be the id of a verification profile.' })
  .nullish()
  .meta({ description: 'Only events of this verification profile; null for all events.' });

export const endpointBody = z.object({ url, events, profile_id });
export type EndpointBody = z.output<typeof endpointBody>;
export const endpointChanges = z.object({
  url: url.optional(),
  events: events.optional(),
  profile_id,
  status: z
    .enum(['active', 'disabled'])
    .optional()
    .meta({ description: '`active` enables a disabled endpoint again; waiting events are then delivered.' }),
});
export type EndpointChanges = z.output<typeof endpointChanges>;

export const byEndpoint = z.object({ id: pathId });
export const manager = { kind: 'token', scope: 'webhooks:manage', role: 'admin' } as const;

export const endpointRoutes = {
  listWebhooks: route({
    method: 'GET',
    path: '/api/v1/webhooks',
    summary: 'List webhook endpoints',
    description: 'All endpoints of the company with their status. Secrets are not shown.',
    caller: manager,
    answers: { 200: success(z.array(endpointRecord)) },
    errors: [],
  }),
  createWebhook: route({
    method: 'POST',
    path: '/api/v1/webhooks',
    aliases: ['/api/v1/verification/admin/webhooks'],
    freshProof: true,
    makes: 'endpoint',
    summary: 'Create a webhook endpoint',
    description:
      'The response shows the signing secret once. The endpoint receives every event from the answer on. A company has at most ten.',
    caller: manager,
    body: endpointBody.meta({ id: 'CreateWebhookRequest' }),
    answers: { 200: success(endpointWithSecret) },
    refuses: ['form'],
    errors: ['validation_failed', 'plan_limit_reached', 'conflict'],
    secret: true,
  }),
  getWebhook: route({
    method: 'GET',
    path: '/api/v1/webhooks/{id}',
    summary: 'Get a webhook endpoint',
    description: 'With its status and when it last succeeded.',
    caller: manager,
    params: byEndpoint,
    answers: { 200: success(endpointRecord) },
    errors: ['not_found'],
  }),
  updateWebhook: route({
    method: 'PUT',
    path: '/api/v1/webhooks/{id}',
    freshProof: true,
    makes: 'endpoint',
    summary: 'Update a webhook endpoint',
    description:
      'Changes the URL, the events or the status. What is not given stays. `{"status":"active"}` enables an endpoint that was disabled because it failed.',
    caller: manager,
    params: byEndpoint,
    body: endpointChanges.meta({ id: 'UpdateWebhookRequest' }),
    answers: { 200: success(endpointRecord) },
    refuses: ['form'],
    errors: ['validation_failed', 'not_found', 'conflict'],
  }),
  deleteWebhook: route({
    method: 'DELETE',
    path: '/api/v1/webhooks/{id}',
    summary: 'Delete a webhook endpoint',
    description: 'Events that wait for it are not delivered.',
    caller: manager,
    params: byEndpoint,
    answers: { 200: success(z.object({ id: z.int(), deleted: z.literal(true) })) },
    errors: ['not_found', 'conflict'],
  }),
  rotateWebhookSecret: route({
    method: 'POST',
    path: '/api/v1/webhooks/{id}/rotate',
    freshProof: true,
    makes: 'endpoint',
    summary: 'Rotate the signing secret of a webhook endpoint',
    description: 'Gives a new secret. Both the new and the previous one sign for 24 hours, so that you can switch without losing an event.',
    caller: manager,
    params: byEndpoint,
    answers: { 200: success(endpointWithSecret) },
    errors: ['not_found', 'conflict'],
    secret: true,
  }),
};
