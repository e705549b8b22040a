import * as z from 'zod';

/** The parts of a webhook post. Loose: the provider adds fields, and new ones must not be lost. */
const providerError = z.looseObject({
  code: z.coerce.number().int().optional().catch(undefined),
  title: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  error_data: z
    .looseObject({ details: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/** A part of a message; absent when it has an unexpected shape, so that one odd part does not lose the message. */
const optionalObject = <F extends z.ZodRawShape>(fields: F) => z.looseObject(fields).optional().catch(undefined);
const optionalText = z.string().optional().catch(undefined);
const optionalId = z.coerce.string().optional().catch(undefined);

const fileFields = { id: optionalId, mime_type: optionalText, sha256: optionalText, caption: optionalText, filename: optionalText };
const receivedFile = optionalObject(fileFields);

/** https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/components#messages-object */
export const inboundMessage = z.looseObject({
  id: z.string(),
  from: optionalId,
  from_user_id: optionalText,
  /** Only in echoes: the recipient of a message that the business wrote on its phone. */
  to: optionalId,
  to_user_id: optionalText,
  group_id: optionalId,
  timestamp: z.coerce.string().optional(),
  type: z.string().default('unknown'),
  text: z.looseObject({ body: z.string() }).optional(),
  context: optionalObject({ id: optionalText, from: optionalId }),
  referral: z.record(z.string(), z.unknown()).optional().catch(undefined),
  errors: z.array(providerError).optional().catch(undefined),
  image: receivedFile,
  video: receivedFile,
  audio: optionalObject({ ...fileFields, voice: z.boolean().optional().catch(undefined) }),
  document: receivedFile,
  sticker: receivedFile,
  location: optionalObject({
    latitude: z.coerce.number().optional().catch(undefined),
    longitude: z.coerce.number().optional().catch(undefined),
  }),
  contacts: z
    .array(
      z.looseObject({
        origin: optionalText,
        name: optionalObject({ formatted_name: optionalText, first_name: optionalText }),
        phones: z
          .array(z.looseObject({ wa_id: optionalId }))
          .optional()
          .catch(undefined),
      }),
    )
    .optional()
    .catch(undefined),
  button: optionalObject({ payload: optionalText, text: optionalText }),
  interactive: optionalObject({
    type: optionalText,
    button_reply: optionalObject({ id: optionalId, title: optionalText }),
    list_reply: optionalObject({ id: optionalId, title: optionalText, description: optionalText }),
    nfm_reply: optionalObject({ name: optionalText, body: optionalText, response_json: z.unknown() }),
  }),
  reaction: optionalObject({ message_id: optionalText, emoji: optionalText }),
  order: optionalObject({ text: optionalText, product_items: z.array(z.looseObject({})).optional().catch(undefined) }),
  system: optionalObject({
    type: optionalText,
    body: optionalText,
    wa_id: optionalId,
    user_id: optionalText,
    previous_user_id: optionalText,
  }),
  edit: optionalObject({
    original_message_id: optionalText,
    message: optionalObject({
      type: optionalText,
      text: optionalObject({ body: optionalText }),
      image: receivedFile,
      video: receivedFile,
      document: receivedFile,
    }),
  }),
  revoke: optionalObject({ original_message_id: optionalText }),
  unsupported: optionalObject({ type: optionalText }),
  call: optionalObject({ event: optionalText, status: optionalText, duration: z.number().optional().catch(undefined) }),
  /** An older form of a recorded `audio`. */
  voice: receivedFile,
});

/** Field `calls`: a call of a contact. `connect`: it rings; `terminate`: it ended. */
export const callUpdate = z.looseObject({
  id: z.string(),
  from: optionalId,
  from_user_id: optionalText,
  timestamp: optionalId,
  event: optionalText,
  direction: optionalText,
  status: optionalText,
  duration: z.coerce.number().optional().catch(undefined),
});

/** Field `user_id_update`: the provider gave a contact another user id. */
export const identityUpdate = z.looseObject({
  wa_id: optionalId,
  user_id: z.looseObject({ previous: optionalText, current: z.string() }),
});

/** Field `user_preferences`: a choice about marketing messages that a contact made at the provider. */
export const preferenceUpdate = z.looseObject({
  wa_id: optionalId,
  user_id: optionalText,
  category: optionalText,
  value: z.string(),
  /** With the value `signup`: what the user signed up by, in the provider's app. */
  signup_id: optionalId,
  timestamp: optionalId,
});

export const statusUpdate = z.looseObject({
  id: z.string(),
  status: z.string(),
  timestamp: z.coerce.string().optional(),
  recipient_id: z.string().optional(),
  recipient_user_id: z.string().optional(),
  biz_opaque_callback_data: z.string().optional(),
  recipient_type: z.string().optional().catch(undefined),
  recipient_participant_id: z.string().optional().catch(undefined),
  recipient_participant_user_id: z.string().optional().catch(undefined),
  errors: z.array(providerError).optional().catch(undefined),
  pricing: optionalObject({
    billable: z.boolean().optional().catch(undefined),
    pricing_model: optionalText,
    type: optionalText,
    category: optionalText,
    cost: optionalObject({ amount: z.number().nonnegative(), currency: z.string().regex(/^[A-Z]{3}$/) }),
  }),
});

export const providerUpdate = z.object({
  company_id: z.int(),
  received_at: z.int(),
  /** The post was not signed: the company has no app secret. */
  is_unsigned: z.literal(true).optional(),
  /** The provider's time of the update, epoch milliseconds; on account and template fields only. */
  occurred_at: z.int().optional(),
  business_account_id: z.string().optional(),
  phone_number_id: z.string().optional(),
  /** The company's number with that provider id. */
  number_id: z.int().optional(),
  update: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('message'), message: inboundMessage, profile_name: z.string().optional(), username: z.string().optional() }),
    /** A message that the business wrote on its phone (coexistence). */
    z.object({ kind: z.literal('echo'), message: inboundMessage }),
    z.object({ kind: z.literal('preference'), preference: preferenceUpdate }),
    z.object({ kind: z.literal('identity'), identity: identityUpdate }),
    z.object({ kind: z.literal('status'), status: statusUpdate }),
    z.object({ kind: z.literal('other'), field: z.string(), value: z.unknown() }),
  ]),
});
/** A status alone, as its queue carries it. */
export const providerStatus = z.object({ company_id: z.int(), received_at: z.int(), status: statusUpdate });
export type ProviderUpdate = z.output<typeof providerUpdate>;
export type InboundMessage = z.output<typeof inboundMessage>;
export type PreferenceUpdate = z.output<typeof preferenceUpdate>;
export type IdentityUpdate = z.output<typeof identityUpdate>;
export type StatusUpdate = z.output<typeof statusUpdate>;
