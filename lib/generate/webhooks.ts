import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { eventName, type EventSpec, webhookBodyOf } from '../../shared/contract/event.ts';

/** The document's `webhooks`: each outgoing event with the body that an endpoint receives. */
export const webhooksOf = (events: readonly EventSpec[]): ZodOpenApiPathsObject =>
  Object.fromEntries(
    events.map((event) => [
      event.name,
      {
        post: {
          operationId: eventName(event.name).replace(/^./, (first) => first.toLowerCase()),
          summary: event.purpose,
          description: event.description ?? `${event.purpose}. Sent to endpoints that chose \`${event.name}\`.`,
          tags: ['webhooks'],
          security: [],
          parameters: signatureHeaders,
          requestBody: {
            required: true,
            content: { 'application/json': { schema: webhookBodyOf(event) } },
          },
          responses: {
            '2XX': { description: 'Received. Respond within ten seconds, then do the work.' },
            '4XX': { description: 'Not received; the event is sent again later. 410 disables the endpoint.' },
          },
        },
      },
    ]),
  );

/** The headers of every delivery, as components. */
export const webhookHeaders = Object.fromEntries(
  [
    ['webhook-id', 'The id of the event: the same for every attempt. Process each id once.'],
    ['webhook-timestamp', 'When this attempt was signed, in Unix seconds.'],
    ['webhook-signature', 'Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<raw body>`.'],
  ].map(([name = '', description = '']) => [
    name,
    { name, in: 'header' as const, required: true, description, schema: { type: 'string' as const } },
  ]),
);

const signatureHeaders = Object.keys(webhookHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` }));
