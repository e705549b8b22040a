import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { withSafeNumbers, safeNumber, pathId, text } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { link, sendOptions, phone, sendAccess } from './send-fields.ts';

const parameterText = z.union([z.string(), safeNumber, z.boolean()], { error: 'Must be a text.' }).transform(String).pipe(text(4_096));

export const templateParameter = withSafeNumbers(z.looseObject({ type: text(30, 1) }, { error: 'Must be an object with a type.' }));
export const templateComponentInput = z.looseObject(
  {
    type: text(40, 1),
    sub_type: text(40).optional(),
    index: z.union([safeNumber, z.string()], { error: 'Must be a whole number.' }).optional(),
    parameters: z.array(templateParameter, { error: 'Must be a list of parameters.' }).nullish(),
  },
  { error: 'Must be an object with type and parameters.' },
);

const templateFields = {
  phone,
  template_name: text(512, 1),
  template_language: text(20, 1).optional().meta({ description: 'en unless given' }),
  language: text(20, 1).optional().meta({ description: 'Deprecated: template_language', deprecated: true }),
  components: z
    .array(templateComponentInput, { error: 'Must be a list of components.' })
    .max(20, { error: 'Must have at most 20 components.' })
    .nullish()
    .meta({ description: "The provider's components, as `[{type, parameters}]`; the legacy fields are ignored beside it" }),
  variables: z
    .union([z.array(parameterText), z.record(z.string(), parameterText)], { error: 'Must be a list of texts or an object.' })
    .nullish()
    .meta({ description: 'Deprecated: values of the placeholders of the body, by order, number or name', deprecated: true }),
  header_variables: z
    .union([z.array(parameterText), z.record(z.string(), parameterText)], { error: 'Must be a list of texts or an object.' })
    .nullish()
    .meta({ description: 'Deprecated: values of the placeholders of the header', deprecated: true }),
  document: link.optional().meta({ description: 'Address of the document of the header' }),
  image: link.optional().meta({ description: 'Address of the image of the header' }),
  video: link.optional().meta({ description: 'Address of the video of the header' }),
  audio: link.optional().meta({ description: 'Accepted for old clients; no template header is audio' }),
  ...sendOptions,
};

export const sendTemplateBody = z.object(templateFields);
export type SendTemplateInput = z.output<typeof sendTemplateBody>;

const templateErrors = [
  'validation_failed',
  'template_not_found',
  'template_not_approved',
  'recipient_opted_out',
  'number_missing',
  'plan_limit_reached',
  'provider_rejected',
] as const;

export const templateSendRoutes = {
  sendTemplate: route({
    ...sendAccess,
    method: 'POST',
    path: '/api/v1/messages/template',
    summary: 'Send an approved template',
    body: sendTemplateBody,
    errors: templateErrors,
  }),
  sendTemplateByGet: route({
    ...sendAccess,
    method: 'GET',
    path: '/api/v1/messages/template',
    summary: 'Send an approved template (deprecated GET form)',
    query: sendTemplateBody,
    errors: templateErrors,
    deprecated: { successor: '/api/v1/messages/template' },
  }),
  cancelMessage: route({
    method: 'DELETE',
    path: '/api/v1/messages/{id}',
    summary: 'Cancel a message that is still scheduled',
    caller: sendAccess.caller,
    limit: 'write',
    effect: 'write',
    params: z.object({ id: pathId }),
    answers: { 200: success(z.object({ id: z.int(), deleted: z.literal(true) })) },
    errors: ['not_found', 'message_not_scheduled'],
  }),
};
