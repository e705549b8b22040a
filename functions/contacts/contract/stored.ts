import * as z from 'zod';
import type { Contact } from '../domain/contact.ts';

/**
 * A contact as the table holds it. A page of contacts is priced by its bytes, so the names are short and defaults are not stored;
 * `toContact` and `toItem` are the only readers of these names.
 */
export const contactEntityName = 'contact';

export const contactItem = z.object({
  /** Company, id, phone, user id, name, email, city, country, company name. */
  c: z.int(),
  i: z.int(),
  /** Moved by every write. */
  r: z.int(),
  p: z.string().optional(),
  u: z.string().optional(),
  n: z.string().optional(),
  e: z.string().optional(),
  ci: z.string().optional(),
  co: z.string().optional(),
  cn: z.string().optional(),
  /** Flags that are not at their default: unsubscribed, bot on, on WhatsApp, blocked for marketing. */
  un: z.literal(true).optional(),
  bot: z.literal(true).optional(),
  wa: z.literal(true).optional(),
  /** Known not to be on WhatsApp, since when. */
  nw: z.int().optional(),
  mb: z.literal(true).optional(),
  /** Consent: source, when. */
  cs: z.enum(['api', 'keyword', 'provider']).optional(),
  ca: z.int().optional(),
  /** Group ids, tag ids, custom values. */
  g: z.array(z.int()).optional(),
  t: z.array(z.int()).optional(),
  x: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  /** Created; updated, when later; deleted. Epoch milliseconds. */
  at: z.int(),
  up: z.int().optional(),
  del: z.int().optional(),
  /** The promise of the plan's room under which it was created or restored. */
  pr: z.string().optional(),
});
export type ContactItem = z.output<typeof contactItem>;

export const toContact = (item: ContactItem): Contact => ({
  companyId: item.c,
  id: item.i,
  rev: item.r,
  phone: item.p ?? '',
  ...(item.u === undefined ? {} : { userId: item.u }),
  ...(item.n === undefined ? {} : { name: item.n }),
  ...(item.e === undefined ? {} : { email: item.e }),
  ...(item.ci === undefined ? {} : { city: item.ci }),
  ...(item.co === undefined ? {} : { country: item.co }),
  ...(item.cn === undefined ? {} : { company: item.cn }),
  subscribed: item.un !== true,
  ...(item.cs === undefined || item.ca === undefined ? {} : { consent: { source: item.cs, at: item.ca } }),
  enabledAiBot: item.bot === true,
  isOnWhatsapp: item.wa === true,
  ...(item.nw === undefined ? {} : { notOnWhatsappAt: item.nw }),
  marketingBlocked: item.mb === true,
  groupIds: item.g ?? [],
  tagIds: item.t ?? [],
  custom: item.x ?? {},
  createdAt: item.at,
  updatedAt: item.up ?? item.at,
  ...(item.del === undefined ? {} : { deletedAt: item.del }),
  ...(item.pr === undefined ? {} : { reservation: item.pr }),
});

export const toItem = (contact: Contact): ContactItem => ({
  c: contact.companyId,
  i: contact.id,
  r: contact.rev,
  p: contact.phone === '' ? undefined : contact.phone,
  u: contact.userId,
  n: contact.name,
  e: contact.email,
  ci: contact.city,
  co: contact.country,
  cn: contact.company,
  un: contact.subscribed ? undefined : true,
  bot: contact.enabledAiBot || undefined,
  wa: contact.isOnWhatsapp || undefined,
  nw: contact.notOnWhatsappAt,
  mb: contact.marketingBlocked || undefined,
  cs: contact.consent?.source,
  ca: contact.consent?.at,
  g: contact.groupIds.length > 0 ? [...contact.groupIds] : undefined,
  t: contact.tagIds.length > 0 ? [...contact.tagIds] : undefined,
  x: Object.keys(contact.custom).length > 0 ? { ...contact.custom } : undefined,
  at: contact.createdAt,
  up: contact.updatedAt === contact.createdAt ? undefined : contact.updatedAt,
  del: contact.deletedAt,
  pr: contact.reservation,
});

/** Reads a stored contact, deleted ones too; for the reactions of this context and others. */
export const storedContact = contactItem.transform(toContact);

/** The stored contact, for reactions of other contexts. */
export type StoredContact = Contact;
