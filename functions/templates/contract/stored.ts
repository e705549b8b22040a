import * as z from 'zod';
import type { ItemKind } from '../../../shared/events/react.ts';

export const templateEntityName = 'template';

/** Loose: the provider adds fields, and fields that are not read here pass through unchanged. */
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

/** One component in the provider's form; `type` and `format` in upper case. */
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
 * A template as the table stores it; times are epoch milliseconds. `statusAt`, `qualityAt` ... are the provider's times of what is stored,
 * so that an older update never overrides a newer one. A row with the id 0 is known from a webhook only and is not listed yet.
 */
export const storedTemplate = z.object({
  companyId: z.int(),
  id: z.int(),
  name: z.string(),
  /** As the provider writes it, `en_US`. */
  language: z.string(),
  category: z.string(),
  /** One of the provider's statuses; a value that is not known here is stored as it is. */
  status: z.string(),
  parameterFormat: z.enum(parameterFormats),
  components: z.array(templateComponent),
  /** The provider's id: a text, because it may exceed 2^53. */
  providerId: z.string().optional(),
  wabaId: z.string().optional(),
  /** The account in its key: set where another account of the company had a template of this name and language first. */
  keyAccount: z.string().optional(),
  rejectedReason: z.string().optional(),
  rejectionInfo: z.object({ reason: z.string().optional(), recommendation: z.string().optional() }).optional(),
  qualityScore: z.string().optional(),
  messageTtlSeconds: z.int().optional(),
  /** Its max price, as the provider has it: for 1,000 deliveries, in the smallest unit. The currency is that of its account, once known. */
  bid: z.object({ amount: z.int(), currency: z.string().optional() }).optional(),
  /** When it was changed here: what the provider showed before is older. */
  bidAt: z.int().optional(),
  /** Another category that the provider announced, and the time from which it counts. */
  upcomingCategory: z.object({ category: z.string(), at: z.int().optional() }).optional(),
  /** When the provider disables it, unless its quality improves; and when it announced that. */
  disableAt: z.int().optional(),
  flaggedAt: z.int().optional(),
  statusAt: z.int(),
  qualityAt: z.int().optional(),
  categoryAt: z.int().optional(),
  componentsAt: z.int().optional(),
  /** A creation whose result is not known yet: by which operation, since when. */
  claim: z.object({ operationId: z.string(), at: z.int() }).optional(),
  /** The operation that created it. */
  createdBy: z.string().optional(),
  /** An edit whose result is not known yet: by which operation, since when. */
  edit: z.object({ operationId: z.string(), at: z.int() }).optional(),
  /** When its components were changed while it was approved, within 30 days: the provider limits how often. */
  editedAt: z.array(z.int()).optional(),
  /** The operation that changed it last. */
  editedBy: z.string().optional(),
  /** The template is being deleted: no campaign may begin to use it. */
  deletingAt: z.int().optional(),
  rev: z.int(),
  createdAt: z.int(),
  updatedAt: z.int(),
});
export type StoredTemplate = z.output<typeof storedTemplate>;

/** For the reactions of all contexts. */
export const templateKind: ItemKind<StoredTemplate> = { name: templateEntityName, parse: (raw) => storedTemplate.parse(raw) };
