import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { id, text } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { contents } from './campaign-input.ts';

const body = z
  .object({
    phone: text(40, 1)
      .optional()
      .meta({ description: 'The phone to send to, with country code. It or contact_id.', example: '+4915112345678' }),
    contact_id: id.optional().meta({ description: 'The contact to send to, in place of the phone.' }),
    template_id: id.meta({ description: 'The approved template to send.' }),
    number_id: id.optional().meta({ description: 'The number to send from. Default: the default number of the company.' }),
    ...contents,
  })
  // beside what else is missing: all of it is named at once
  .refine(({ phone, contact_id }) => phone !== undefined || contact_id !== undefined, {
    error: 'Required.',
    path: ['phone'],
    when: ({ value }) => typeof value === 'object' && value !== null,
  })
  .refine(({ phone, contact_id }) => phone === undefined || contact_id === undefined, {
    error: 'Not together with phone.',
    path: ['contact_id'],
  });
export type TestMessageInput = z.output<typeof body>;

const result = z
  .object({
    message_id: z.int().meta({ description: 'The id of the message.' }),
    contact_id: z.int().meta({ description: 'The contact that gets it, in whose conversation it stands.' }),
  })
  .meta({ id: 'TestMessage' });
export type TestMessageResult = z.output<typeof result>;

export const testMessageRoutes = {
  sendTestMessage: route({
    method: 'POST',
    path: '/api/v1/campaigns/test',
    summary: 'Send the message of a campaign as a test, before there is a campaign',
    description:
      'Sends one message with the template, values and file that createCampaign would take, filled with the fields of the contact: what its recipients will see. It is no campaign and counts in none; it costs what a message costs. Contacts who opted out get no test either.',
    caller: { kind: 'token', scope: 'campaigns:write', role: 'member' },
    limit: 'sends',
    unknownFields: 'refuse',
    sends: true,
    body: body.meta({ id: 'SendTestMessageRequest' }),
    answers: { 200: success(result) },
    refuses: ['time', 'template', 'media'],
    errors: [
      'validation_failed',
      'recipient_opted_out',
      'recipient_blocked',
      'plan_limit_reached',
      'number_missing',
      'spend_limit_reached',
      'price_unknown',
    ],
  }),
};
