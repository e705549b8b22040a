import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { pathId, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { signupFailureNames, signupStatuses } from '../domain/signup.ts';
import { findings, pin } from './numbers.ts';

const providerId = text(40, 1).regex(/^[0-9]+$/, { error: 'Must be the digits of the provider id.' });

const signupFields = z.object({
  id: z.int().meta({ description: 'The id of the signup.' }),
  status: z.enum(signupStatuses).meta({
    description:
      'started: waits for the dialog. authorised: the code was exchanged. account_known: the provider named account and number. registered: the number can send. subscribed: its webhooks come here. connected: done. failed: create another one.',
  }),
  failure: z
    .object({
      reason: z.enum(signupFailureNames).meta({ description: 'Why, for programs.' }),
      message: z.string().meta({ description: 'Why, in a sentence.' }),
    })
    .nullable()
    .meta({ description: 'Why no number was connected; null unless failed.' }),
  number_id: z.int().nullable().meta({ description: 'The business number; null before it is stored.' }),
  phone: z.string().nullable().meta({ description: 'The number as the provider shows it; null before it is known.' }),
  created_at: timestamp,
});
const signup = signupFields.meta({ id: 'Signup', description: 'A number that is being connected by the dialog of the provider.' });
const newSignup = signupFields
  .extend({
    state: z.string().meta({ description: 'Proves that the code belongs to this signup. Shown once; good for ten minutes.' }),
    app_id: z.string().meta({ description: 'The app of the deployment at the provider.' }),
    configuration_id: z.string().meta({ description: 'The configuration of the dialog.' }),
    version: z.string().meta({ description: 'The version of the provider’s API, for its script.' }),
    script_url: z.string().meta({ description: 'The script of the provider that opens the dialog.' }),
    dialog_origins: z.array(z.string()).meta({ description: 'Origins whose messages are those of the dialog; all others are not.' }),
    hosted_url: z.string().nullable().meta({ description: 'A page of the provider that needs no script; null: there is none.' }),
    expires_at: timestamp.meta({ description: 'Until when the dialog may give its code.' }),
  })
  .meta({ id: 'NewSignup', description: 'A signup, with what a page needs to open the dialog of the provider.' });
const completedSignup = signupFields
  .extend({
    pin: z.string().nullable().meta({ description: 'The PIN with which the number was registered; save it. null: none was made.' }),
    findings,
  })
  .meta({ id: 'CompletedSignup', description: 'A signup after its steps, with what was found at the provider.' });

const manager = { kind: 'token', scope: 'account:manage', role: 'admin' } as const;
const path = '/api/v1/signups';
const params = z.object({ id: pathId.meta({ description: 'The id of the signup.' }) });

export const signupRoutes = {
  createSignup: route({
    method: 'POST',
    path,
    freshProof: true,
    summary: 'Start to connect a number by the dialog of the provider',
    description:
      'Returns what a page needs to open the dialog in which a user signs in at the provider and chooses a number. The dialog gives a code; complete the signup with it at once.',
    caller: manager,
    secret: true,
    answers: { 200: success(newSignup) },
    errors: ['not_found', 'signup_unavailable', 'conflict'],
  }),
  getSignup: route({
    method: 'GET',
    path: `${path}/{id}`,
    summary: 'Get a signup',
    description: 'How far a signup is. It is gone a day after it was created; the number stays.',
    caller: manager,
    params,
    answers: { 200: success(signup) },
    errors: ['not_found'],
  }),
  completeSignup: route({
    method: 'POST',
    path: `${path}/{id}/complete`,
    makes: 'number',
    summary: 'Complete a signup with the code of the dialog',
    description:
      'Exchanges the code, asks the provider which account and number it is for, stores the number, registers it, and has its webhooks come here. The user who created the signup completes it. Repeatable with the same body, and goes on where it stopped; a number that is here already keeps everything.',
    caller: manager,
    limit: 'bulk',
    params,
    body: z
      .object({
        state: text(100, 1).meta({ description: 'As the signup was created with.' }),
        code: text(4_000, 1).meta({ description: 'What the dialog gave; good once, and for about half a minute.' }),
        waba_id: providerId.optional().meta({ description: 'The account that the dialog named; absent: the only one of the sign-in.' }),
        phone_number_id: providerId
          .optional()
          .meta({ description: 'The number that the dialog named; absent: the only one of the account.' }),
        pin: pin.meta({ description: 'Of the two-step verification that the number has; absent: one is made where it needs one.' }),
      })
      .meta({ id: 'CompleteSignupRequest' }),
    secret: true,
    answers: { 200: success(completedSignup) },
    refuses: ['proof'],
    errors: [
      'not_found',
      'validation_failed',
      'conflict',
      'plan_limit_reached',
      'signup_refused',
      'signup_unavailable',
      'provider_rejected',
      'temporarily_unavailable',
    ],
  }),
};
