import * as z from 'zod';

export const templateEntityName = 'template';

/** Loose: the provider adds fields, and what we do not read goes to it and comes back as it is. */
const templateButton = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  url: z.string().optional(),
  phone_number: z.string().optional(),
  example: z.union([z.string(), z.array(z.string())]).optional(),
  otp_type: z.string().optional(),
});

const cardComponent = z.looseObject({
  type: z.string(),
  format: z.string().optional(),
  text: z.string().optional(),
  example: z.looseObject({}).optional(),
  buttons: z.array(templateButton).optional(),
});

/** One component in the provider's form, its kind words in upper case. */
export const templateComponent = cardComponent.extend({
  cards: z.array(z.looseObject({ components: z.array(cardComponent) })).optional(),
  add_security_recommendation: z.boolean().optional(),
  code_expiration_minutes: z.number().optional(),
});
export type TemplateButton = z.output<typeof templateButton>;
export type TemplateComponent = z.output<typeof templateComponent>;

/** Positional: `{{1}}`; named: `{{first_name}}`. */
export const parameterFormats = ['POSITIONAL', 'NAMED'] as const;

/**
 * A template as the table holds it; times are epoch milliseconds. `...At` of an aspect is the provider's time of what we know of it, so
 * that older news never overrides newer. A row with the id 0 was only heard of in a webhook, and is no template of ours yet.
 */
export const storedTemplate = z.object({
  companyId: z.int(),
  id: z.int(),
  name: z.string(),
  /** As the provider writes it, `en_US`. */
  language: z.string(),
  category: z.string(),
  /** One of the provider's (A35), or whatever it says that we do not know. */
  status: z.string(),
  parameterFormat: z.enum(parameterFormats),
  components: z.array(templateComponent),
  /** The provider's id: text, since it may exceed what a number holds. */
  providerId: z.string().optional(),
  wabaId: z.string().optional(),
  rejectedReason: z.string().optional(),
  rejectionInfo: z.object({ reason: z.string().optional(), recommendation: z.string().optional() }).optional(),
  qualityScore: z.string().optional(),
  messageTtlSeconds: z.int().optional(),
  /** The provider has announced another category, from a time on. */
  upcomingCategory: z.object({ category: z.string(), at: z.int().optional() }).optional(),
  statusAt: z.int(),
  qualityAt: z.int().optional(),
  categoryAt: z.int().optional(),
  componentsAt: z.int().optional(),
  /** A create whose answer is not known yet: by which operation, since when. */
  claim: z.object({ operationId: z.string(), at: z.int() }).optional(),
  /** The operation that created it. */
  createdBy: z.string().optional(),
  /** It is being deleted: no campaign may begin to use it. */
  deletingAt: z.int().optional(),
  rev: z.int(),
  createdAt: z.int(),
  updatedAt: z.int(),
});
export type StoredTemplate = z.output<typeof storedTemplate>;
