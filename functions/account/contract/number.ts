import * as z from 'zod';
import { inHeader, text } from '../../../shared/contract/fields.ts';

/** Digits with country code (A2). Accepts the number as the provider's pages show it, with punctuation and spaces. */
const displayPhone = text(40, 1)
  .transform((value) => value.replaceAll(/[^0-9]/g, ''))
  .refine((value) => /^[0-9]{8,15}$/.test(value), { error: 'Must have 8 to 15 digits, with the country code.' });
const providerId = text(40, 1).regex(/^[0-9]+$/, { error: 'Must be the digits of the provider id.' });
const providerSecret = inHeader(text(2_000, 1));

/** An app that is a record: of the company (`POST /apps`), or of the deployment. */
const namedApp = providerId.meta({
  description: 'The app of the provider whose webhooks are its own: one of the company’s apps, or one that the deployment shares.',
});

export const numberInput = z.object({
  phone: displayPhone.meta({ description: 'The number, with country code.' }),
  phone_number_id: providerId.meta({ description: 'The id of the number at the provider.' }),
  waba_id: providerId.meta({ description: 'The id of its business account at the provider.' }),
  access_token: providerSecret.meta({ description: 'The access token of the provider app. Never shown.' }),
  app_secret: providerSecret.optional().meta({ description: 'The app secret, by which webhooks are verified. Never shown.' }),
  app_id: namedApp.optional(),
  /** Generated if omitted; shown once either way. */
  verify_token: text(255, 8).optional().meta({ description: 'What the provider shows in a handshake; generated if absent.' }),
  /** G27. */
  version: text(8)
    .regex(/^v[0-9]{1,3}\.[0-9]{1,2}$/, { error: 'Must look like v19.0.' })
    .optional()
    .meta({ description: "Version of the provider's API: v19.0." }),
  /** Base URL of the provider for this number; default: the deployment's. */
  base_url: z.url({ protocol: /^https?$/, error: 'Must be an https URL.' }).optional(),
  /** Messages a second. */
  rate: z
    .int({ error: 'Must be a whole number.' })
    .min(1, { error: 'Must be at least 1.' })
    .max(1_000, { error: 'Must be at most 1,000.' })
    .optional()
    .meta({ description: 'Messages a second, 80 by default.' }),
});
export type NumberInput = z.input<typeof numberInput>;

export const numberChanges = numberInput
  .pick({ phone: true, waba_id: true, version: true, rate: true })
  .extend({
    app_id: namedApp.nullable(),
    base_url: numberInput.shape.base_url.unwrap().nullable(),
    status: z
      .enum(['active', 'inactive'], { error: 'Must be active or inactive.' })
      .meta({ description: 'An inactive number sends nothing; its webhooks are still processed.' }),
    quality: text(20, 1),
    /** Sends that name no number leave from this one. */
    is_default: z
      .literal(true, { error: 'Must be true: make another number the default.' })
      .meta({ description: 'Sends that name no number leave from the default one.' }),
  })
  .partial();
export type NumberChanges = z.input<typeof numberChanges>;

/** A null app secret removes it: webhooks are then accepted by their token alone (A50). */
export const numberSecrets = z
  .object({
    access_token: providerSecret.meta({ description: 'The new access token.' }),
    app_secret: providerSecret.nullable().meta({
      description:
        'The new app secret; null: webhooks are accepted by the token of their URL alone, and move no contact, change no consent and no status.',
    }),
    verify_token: text(255, 8).meta({ description: 'The new verify token.' }),
  })
  .partial();
export type NumberSecrets = z.input<typeof numberSecrets>;
