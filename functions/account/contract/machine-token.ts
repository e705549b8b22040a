import * as z from 'zod';
import { text } from '../../../shared/contract/fields.ts';
import { receivers } from './receiver.ts';

const label = text(100);
const sharedSecret = text(255, 8);

export const erpTokenInput = z.object({ name: label.optional(), shared_secret: sharedSecret.optional() });
export type ErpTokenInput = z.input<typeof erpTokenInput>;

export const webhookTokenInput = erpTokenInput.extend({
  receiver: z.enum(receivers, { error: `Must be one of ${receivers.join(', ')}.` }),
});
export type WebhookTokenInput = z.input<typeof webhookTokenInput>;
