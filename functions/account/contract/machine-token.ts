import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { jsonBoolean, pathId, text } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { receivers } from './receiver.ts';
import { createdMachineToken, credentialRecord } from './record.ts';
import { rotationInput } from './token.ts';

const label = text(100);
const sharedSecret = text(255, 8);

export const erpTokenInput = z.object({ name: label.optional(), shared_secret: sharedSecret.optional() });
export type ErpTokenInput = z.input<typeof erpTokenInput>;

export const webhookTokenInput = erpTokenInput.extend({
  receiver: z.enum(receivers, { error: `Must be one of ${receivers.join(', ')}.` }),
});
export type WebhookTokenInput = z.input<typeof webhookTokenInput>;

/** The addresses of the functions that receive posts, by variable: a burst of posts meets no limit of the API there. */
export const receiverUrls = {
  MESSAGING_RECEIVER_BASE_URL: 'messaging-webhook',
  SHOP_RECEIVER_BASE_URL: 'shop-webhook',
  CUSTOM_RECEIVER_BASE_URL: 'shop-custom',
} as const;

const machineKind = z.enum(['erp_token', 'webhook_token'], { error: 'Must be erp_token or webhook_token.' });
const makeSharedSecret = jsonBoolean.optional().meta({
  description:
    'Generates the secret with which the sender signs; it is shown once. The default for receivers of stores, carts and carriers without a `shared_secret`; false: posts are accepted unsigned, and cause no message, no subscription and no link to a customer.',
  override: { type: 'boolean' },
});
const machineTokenInput = z
  .object({
    kind: machineKind.meta({ description: 'erp_token: product sync and custom orders. webhook_token: one receiver.' }),
    receiver: z
      .enum(receivers, { error: `Must be one of ${receivers.join(', ')}.` })
      .optional()
      .meta({ description: 'What a webhook token receives; messaging: the posts of the WhatsApp provider.' }),
    name: label.optional().meta({ description: 'What it is for.' }),
    shared_secret: sharedSecret.optional().meta({ description: 'The secret with which the sender signs, where the sender gives it.' }),
    make_shared_secret: makeSharedSecret,
  })
  .refine(({ kind, receiver }) => (kind === 'webhook_token') === (receiver !== undefined), {
    path: ['receiver'],
    error: 'Must be given for a webhook token, and for no other.',
  })
  .refine(({ shared_secret, make_shared_secret }) => shared_secret === undefined || make_shared_secret !== true, {
    path: ['shared_secret'],
    error: 'Give a secret, or have one generated, not both.',
  });
export type MachineTokenInput = z.output<typeof machineTokenInput>;
const machineTokenChanges = z.object({
  shared_secret: sharedSecret.nullable().meta({
    description:
      'The secret with which the sender signs from now on; null: posts are accepted unsigned, and cause no message, no subscription and no link to a customer.',
  }),
});

const caller = { kind: 'token', scope: 'account:manage', role: 'admin' } as const;
const params = z.object({ id: pathId });

export const machineTokenRoutes = {
  listMachineTokens: route({
    method: 'GET',
    path: '/api/v1/machine-tokens',
    summary: 'List ERP and webhook tokens',
    description:
      'The tokens of ERP systems and of receivers: the webhook of the WhatsApp provider, of shops, carts and logistics. With revoked ones.',
    caller,
    answers: { 200: success(z.array(credentialRecord)) },
    errors: ['not_found'],
  }),
  createMachineToken: route({
    method: 'POST',
    path: '/api/v1/machine-tokens',
    makes: 'receiver',
    summary: 'Create an ERP or webhook token',
    description:
      'Returns the whole address that the provider, the shop or the ERP posts to, the token and its secrets. They are shown once.',
    caller,
    freshProof: true,
    body: machineTokenInput.meta({ id: 'CreateMachineTokenRequest' }),
    secret: true,
    answers: { 200: success(createdMachineToken) },
    errors: ['not_found', 'validation_failed', 'conflict'],
  }),
  updateMachineToken: route({
    method: 'PUT',
    path: '/api/v1/machine-tokens/{id}',
    makes: 'receiver',
    summary: 'Replace the secret with which a sender signs',
    description: 'Sets, replaces or removes the secret of a receiver. The address stays as it is.',
    caller,
    freshProof: true,
    params,
    body: machineTokenChanges.meta({ id: 'UpdateMachineTokenRequest' }),
    secret: true,
    answers: { 200: success(credentialRecord) },
    errors: ['not_found', 'validation_failed', 'conflict'],
  }),
  rotateMachineToken: route({
    method: 'POST',
    path: '/api/v1/machine-tokens/{id}/rotate',
    makes: 'receiver',
    summary: 'Rotate an ERP or webhook token',
    description:
      'Gives the token a new secret, and so a new address. Former addresses stay valid for `overlap_hours` at most, 24 by default.',
    caller,
    freshProof: true,
    params,
    body: rotationInput.meta({ id: 'RotateMachineTokenRequest' }),
    secret: true,
    answers: { 200: success(createdMachineToken) },
    errors: ['not_found', 'validation_failed', 'conflict'],
  }),
  revokeMachineToken: route({
    method: 'DELETE',
    path: '/api/v1/machine-tokens/{id}',
    summary: 'Revoke an ERP or webhook token',
    description: 'Ends the token and its address; posts to a receiver are refused within 10 seconds.',
    caller,
    params,
    answers: { 200: success(credentialRecord) },
    errors: ['not_found', 'conflict'],
  }),
};
