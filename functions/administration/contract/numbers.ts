import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { besideFields, pathId } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { numberChanges, numberInput, numberSecrets } from '../../account/contract/number.ts';
import { addedNumber, numberRecord } from '../../account/contract/record.ts';

/** Where the provider is, the operator decides: an access token goes to no address that a caller names. */
/** Over HTTP the app secret must be given: what the provider posts unsigned moves no contact, changes no consent and no status. */
const newNumber = numberInput
  .omit({ base_url: true })
  .refine(({ app_secret, app_id }) => app_secret !== undefined || app_id !== undefined, {
    path: ['app_secret'],
    error: 'Required, unless the number names an app (app_id), which has one.',
    ...besideFields,
  });
const changes = numberChanges.omit({ base_url: true, quality: true });
const newSecrets = numberSecrets.refine((secrets) => Object.values(secrets).some((each) => each !== undefined), {
  path: ['access_token'],
  error: 'Send at least one secret.',
});
export const pin = z
  .string()
  .regex(/^\d{6}$/, { error: 'Must be six digits.' })
  .optional()
  .meta({ description: 'Registers the phone: six digits, of its two-step verification if it has one.' });

const finding = z
  .object({
    level: z.enum(['ok', 'doubtful', 'wrong']).meta({ description: 'wrong: the number cannot send or receive until it is fixed.' }),
    message: z.string().meta({ description: 'What was found.' }),
    remedy: z.string().nullable().meta({ description: 'What to do about it.' }),
  })
  .meta({ id: 'NumberFinding', description: 'What a check of a number found.' });
export const findings = z.array(finding).meta({ description: 'What was found, with remedies.' });
const checkedNumber = z
  .object({ is_ready: z.boolean().meta({ description: 'Whether nothing is wrong.' }), findings })
  .meta({ id: 'NumberCheck', description: 'The setup of a number at the provider.' });
const connectedNumber = z
  .object({
    is_connected: z.boolean().meta({ description: 'Whether the provider sends its webhooks here and nothing is wrong.' }),
    webhook_token_id: z.int().nullable().meta({
      description:
        'The machine token in the new webhook URL; null: the app is a record, of the company or of the deployment, and its own URL stays.',
    }),
    former_webhook_token_ids: z
      .array(z.int())
      .meta({ description: 'Tokens of former URLs; revoke them eight days later, when the provider repeats nothing to them.' }),
    templates: z.int().nullable().meta({ description: 'How many templates the provider has; null: they were not read.' }),
    findings,
  })
  .meta({ id: 'NumberConnection', description: 'What connecting a number did.' });

const manager = { kind: 'token', scope: 'account:manage', role: 'admin' } as const;
const reader = { kind: 'token', scope: 'account:read', role: 'viewer' } as const;
const params = z.object({ id: pathId });
const path = '/api/v1/numbers';

export const numberRoutes = {
  listNumbers: route({
    method: 'GET',
    path,
    summary: 'List business numbers',
    description: 'All numbers of the company, oldest first, with what the provider states of them: quality, limit, restrictions.',
    caller: reader,
    answers: { 200: success(z.array(numberRecord)) },
    errors: ['not_found'],
  }),
  addNumber: route({
    method: 'POST',
    path,
    freshProof: true,
    makes: 'number',
    summary: 'Add a business number',
    description: 'Stores the number with its secrets, sealed. Then connect it, so that the provider sends its webhooks here.',
    caller: manager,
    body: newNumber.meta({ id: 'AddNumberRequest' }),
    secret: true,
    answers: { 200: success(addedNumber) },
    refuses: ['taken'],
    errors: ['not_found', 'validation_failed', 'plan_limit_reached'],
  }),
  getNumber: route({
    method: 'GET',
    path: `${path}/{id}`,
    summary: 'Get a business number',
    description: 'Returns the number, with what the provider states of it.',
    caller: reader,
    params,
    answers: { 200: success(numberRecord) },
    errors: ['not_found'],
  }),
  updateNumber: route({
    method: 'PUT',
    path: `${path}/{id}`,
    freshProof: true,
    makes: 'number',
    summary: 'Change a business number',
    description: 'Changes what is sent and leaves the rest: its pace, whether it sends, whether it is the default.',
    caller: manager,
    params,
    body: changes.meta({ id: 'UpdateNumberRequest' }),
    answers: { 200: success(numberRecord) },
    refuses: ['taken'],
    errors: ['not_found', 'validation_failed', 'plan_limit_reached', 'conflict'],
  }),
  rotateNumberSecrets: route({
    method: 'POST',
    path: `${path}/{id}/rotate`,
    freshProof: true,
    makes: 'number',
    summary: 'Replace secrets of a business number',
    description: 'Replaces the secrets that are sent; the next call to the provider and the next webhook use them.',
    caller: manager,
    params,
    body: newSecrets.meta({ id: 'RotateNumberSecretsRequest', minProperties: 1 }),
    secret: true,
    answers: { 200: success(numberRecord) },
    errors: ['not_found', 'validation_failed'],
  }),
  checkNumber: route({
    method: 'POST',
    path: `${path}/{id}/check`,
    summary: 'Check a business number at the provider',
    description: 'Reads its setup at the provider and probes its webhook URL. Changes nothing. Each finding has its remedy.',
    caller: manager,
    limit: 'bulk',
    params,
    answers: { 200: success(checkedNumber) },
    errors: ['not_found'],
  }),
  connectNumber: route({
    method: 'POST',
    path: `${path}/{id}/connect`,
    freshProof: true,
    makes: 'number',
    summary: 'Connect a business number',
    description:
      'Has the provider send the webhooks of its account here, under a URL of its own: registers the phone if a PIN is given, subscribes, posts a test, and fetches the templates. Repeatable; each time the account gets a new URL.',
    caller: manager,
    limit: 'bulk',
    params,
    body: z.object({ pin }).meta({ id: 'ConnectNumberRequest' }),
    answers: { 200: success(connectedNumber) },
    errors: ['not_found', 'validation_failed', 'conflict'],
  }),
};
