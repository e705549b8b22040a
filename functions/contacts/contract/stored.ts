import * as z from 'zod';
import { defined } from '../../../shared/runtime/defined.ts';
import { othersOf } from '../../../shared/table/other-versions.ts';
import type { ItemKind } from '../../../shared/events/react.ts';
import type { CustomValue } from './custom-value.ts';

/** A contact. Absent values are undefined. */
export interface Contact {
  companyId: number;
  id: number;
  /** Revision: increased by every write, and the condition of the next one. */
  rev: number;
  /** Digits with country code, no plus; empty when only the provider's user id is known. */
  phone: string;
  /** The provider's business-scoped user id, if it sent one. */
  userId?: string;
  /** The user name that it has at the provider, without `@`, and the time of the message that named it, epoch milliseconds. */
  username?: { value: string; at: number };
  name?: string;
  email?: string;
  city?: string;
  /** ISO 3166-1 alpha-2: as given, else the country of the phone. */
  country?: string;
  company?: string;
  subscribed: boolean;
  /** Source and time (epoch milliseconds) of the last change of `subscribed`. `isDefault`: the call that made the contact says nothing of it. */
  consent?: { source: ConsentSource; at: number; isDefault?: true };
  enabledAiBot: boolean;
  isOnWhatsapp: boolean;
  /** Known since this time (epoch milliseconds) not to be on WhatsApp. Without this and `isOnWhatsapp`, nothing is known. */
  notOnWhatsappAt?: number;
  marketingBlocked: boolean;
  /** The company has blocked it, or is about to: nothing is sent to it. */
  isBlocked?: true;
  block?: ContactBlock;
  groupIds: readonly number[];
  tagIds: readonly number[];
  custom: Readonly<Record<string, CustomValue>>;
  /** Epoch milliseconds. */
  createdAt: number;
  updatedAt: number;
  /** Time of the soft delete; the table's TTL removes the contact 30 days later. */
  deletedAt?: number;
  /** Set only by the write that creates or restores the contact: the quota reservation that it uses. */
  reservation?: string;
  /**
   * Other identities that lead here, `phone:<canonical>` or `user:<id>`: of contacts that were merged into it, and its former user ids. Its phone
   * is among them where it is that of a merged contact.
   */
  aliases?: readonly string[];
  /** When a message named its phone and its user id together: none that is older replaces either. Epoch milliseconds. */
  pairedAt?: number;
  /** Its former phones: each was its own until this time (epoch milliseconds). */
  former?: readonly FormerPhone[];
  /** The contacts that were merged into it: what they hold is read with its own. Of such a contact: the one that it became part of. */
  mergedIds?: readonly number[];
  mergedInto?: number;
  /** Who merged it; none: the provider's identities did. */
  mergedBy?: { via: string; userId?: number | undefined; credentialId?: number | undefined };
  /** The user who made a change in the console, and the revision that it left: a later one is not theirs. */
  editor?: { rev: number; userId: number };
}

/** Where the provider has the contact among those that are blocked, and who blocked it. */
export interface ContactBlock {
  places: readonly BlockPlace[];
  by?: BlockClaim['by'];
  /** A call of the provider that may be under way, or that was interrupted. */
  claim?: BlockClaim;
}

export interface BlockPlace {
  numberId: number;
  /** The name under which it is blocked: a phone with its plus, or the provider's user id. */
  user: string;
}

export interface BlockClaim {
  id: string;
  to: 'blocked' | 'unblocked';
  /** Epoch milliseconds. */
  at: number;
  by: {
    via: 'api' | 'command_line' | 'system';
    userId?: number | undefined;
    credentialId?: number | undefined;
    credentialKind?: string | undefined;
    requestId?: string | undefined;
  };
}

export interface FormerPhone {
  phone: string;
  until: number;
  /** The phone that replaced it, where that is known. */
  to?: string | undefined;
}

/** `keyword`: the recipient wrote an opt-out or opt-in keyword (A52); `provider`: the recipient set it at the provider; `shop`: in a shop. */
export type ConsentSource = 'api' | 'import' | 'keyword' | 'provider' | 'shop';

/**
 * A contact as stored. DynamoDB prices a page of contacts by its bytes, so attribute names are short and defaults are not stored.
 * Only the functions here use these names.
 */
export const contactEntityName = 'contact';

const blockActor = z.object({
  via: z.enum(['api', 'command_line', 'system']),
  userId: z.int().optional(),
  credentialId: z.int().optional(),
  credentialKind: z.string().optional(),
  requestId: z.string().optional(),
});
const contactBlock = z.object({
  places: z.array(z.object({ numberId: z.int(), user: z.string() })),
  by: blockActor.optional(),
  claim: z.object({ id: z.string(), to: z.enum(['blocked', 'unblocked']), at: z.int(), by: blockActor }).optional(),
});

export const contactItem = z.object({
  /** Company, id, phone, user id, name, email, city, country, company name. */
  c: z.int(),
  i: z.int(),
  /** Revision: increased by every write. */
  r: z.int(),
  p: z.string().optional(),
  u: z.string().optional(),
  /** User name at the provider, and when it was named. */
  us: z.string().optional(),
  ua: z.int().optional(),
  n: z.string().optional(),
  e: z.string().optional(),
  ci: z.string().optional(),
  co: z.string().optional(),
  cn: z.string().optional(),
  /** Flags that differ from their default: unsubscribed, bot on, on WhatsApp, marketing blocked. */
  un: z.literal(true).optional(),
  bot: z.literal(true).optional(),
  wa: z.literal(true).optional(),
  /** Known since this time not to be on WhatsApp. */
  nw: z.int().optional(),
  mb: z.literal(true).optional(),
  /** Blocked by the company, and where. */
  bl: z.literal(true).optional(),
  bk: contactBlock.optional(),
  /** Last change of consent: source and time. Without a time the contact has the default, from its creation on. */
  cs: z.enum(['api', 'import', 'keyword', 'provider', 'shop']).optional(),
  ca: z.int().optional(),
  /** Group ids, tag ids, custom values. */
  g: z.array(z.int()).optional(),
  t: z.array(z.int()).optional(),
  x: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  /** Created; updated, if later; deleted. Epoch milliseconds. */
  at: z.int(),
  up: z.int().optional(),
  del: z.int().optional(),
  /** Name of the quota reservation under which the contact was created or restored. */
  pr: z.string().optional(),
  /** Aliases; former phones and until when; merged contacts; the contact that it was merged into. */
  al: z.array(z.string()).optional(),
  fp: z.array(z.object({ phone: z.string(), until: z.int(), to: z.string().optional() })).optional(),
  /** When phone and user id were named together. */
  pa: z.int().optional(),
  ms: z.array(z.int()).optional(),
  mi: z.int().optional(),
  /** Who merged it. */
  by: z.object({ via: z.string(), userId: z.int().optional(), credentialId: z.int().optional() }).optional(),
  /** Who changed it in the console, and the revision of that. */
  ed: z.object({ rev: z.int(), userId: z.int() }).optional(),
});
export type ContactItem = z.output<typeof contactItem>;

export const toContact = (item: ContactItem): Contact => ({
  companyId: item.c,
  rev: item.r,
  ...searchedFieldsOf(item),
  ...(item.u === undefined ? {} : { userId: item.u }),
  ...(item.e === undefined ? {} : { email: item.e }),
  ...(item.ci === undefined ? {} : { city: item.ci }),
  ...(item.co === undefined ? {} : { country: item.co }),
  ...(item.cn === undefined ? {} : { company: item.cn }),
  ...(item.cs === undefined
    ? {}
    : { consent: item.ca === undefined ? { source: item.cs, at: item.at, isDefault: true as const } : { source: item.cs, at: item.ca } }),
  enabledAiBot: item.bot === true,
  isOnWhatsapp: item.wa === true,
  custom: item.x ?? {},
  createdAt: item.at,
  ...(item.bk === undefined ? {} : { block: defined(item.bk) }),
  ...(item.pr === undefined ? {} : { reservation: item.pr }),
  ...(item.fp === undefined ? {} : { former: item.fp }),
  ...(item.pa === undefined ? {} : { pairedAt: item.pa }),
  ...(item.ms === undefined ? {} : { mergedIds: item.ms }),
  ...(item.mi === undefined ? {} : { mergedInto: item.mi }),
  ...(item.by === undefined ? {} : { mergedBy: item.by }),
  ...(item.ed === undefined ? {} : { editor: item.ed }),
  ...othersOf(item),
});

export const toItem = (contact: Contact): ContactItem => ({
  c: contact.companyId,
  i: contact.id,
  r: contact.rev,
  p: contact.phone === '' ? undefined : contact.phone,
  u: contact.userId,
  us: contact.username?.value,
  ua: contact.username?.at,
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
  bl: contact.isBlocked,
  bk: contact.block && { ...contact.block, places: [...contact.block.places] },
  cs: contact.consent?.source,
  ca: contact.consent?.isDefault ? undefined : contact.consent?.at,
  g: contact.groupIds.length > 0 ? [...contact.groupIds] : undefined,
  t: contact.tagIds.length > 0 ? [...contact.tagIds] : undefined,
  x: Object.keys(contact.custom).length > 0 ? { ...contact.custom } : undefined,
  at: contact.createdAt,
  up: contact.updatedAt === contact.createdAt ? undefined : contact.updatedAt,
  del: contact.deletedAt,
  pr: contact.reservation,
  al: contact.aliases && [...contact.aliases],
  fp: contact.former && [...contact.former],
  pa: contact.pairedAt,
  ms: contact.mergedIds && [...contact.mergedIds],
  mi: contact.mergedInto,
  by: contact.mergedBy,
  ed: contact.editor,
  ...othersOf(contact),
});

/** What a search and the audience of a campaign read of a contact that changed. */
export interface SearchedContact
  extends Pick<
    Contact,
    | 'id'
    | 'phone'
    | 'username'
    | 'name'
    | 'aliases'
    | 'subscribed'
    | 'marketingBlocked'
    | 'isBlocked'
    | 'notOnWhatsappAt'
    | 'groupIds'
    | 'tagIds'
    | 'updatedAt'
    | 'deletedAt'
  > {
  consent?: { source: ConsentSource };
}

/** Tens of thousands are read at once, and decoding what is not needed of them would take most of the time. */
const searchedItem = contactItem.pick({
  i: true,
  p: true,
  us: true,
  ua: true,
  n: true,
  al: true,
  un: true,
  mb: true,
  bl: true,
  nw: true,
  cs: true,
  g: true,
  t: true,
  at: true,
  up: true,
  del: true,
});
export const searchedAttributes = (): string[] => Object.keys(searchedItem.shape);

export const toSearchedContact = (raw: unknown): SearchedContact => {
  const item = searchedItem.parse(raw);
  return { ...searchedFieldsOf(item), ...(item.cs === undefined ? {} : { consent: { source: item.cs } }) };
};

function searchedFieldsOf(item: z.output<typeof searchedItem>): Omit<SearchedContact, 'consent'> {
  return {
    id: item.i,
    phone: item.p ?? '',
    ...(item.us === undefined ? {} : { username: { value: item.us, at: item.ua ?? 0 } }),
    ...(item.n === undefined ? {} : { name: item.n }),
    subscribed: item.un !== true,
    ...(item.nw === undefined ? {} : { notOnWhatsappAt: item.nw }),
    marketingBlocked: item.mb === true,
    ...(item.bl === true ? { isBlocked: true as const } : {}),
    groupIds: item.g ?? [],
    tagIds: item.t ?? [],
    updatedAt: item.up ?? item.at,
    ...(item.del === undefined ? {} : { deletedAt: item.del }),
    ...(item.al === undefined ? {} : { aliases: item.al }),
  };
}

/** Parses a stored contact, deleted or not; for reactions and projections of any context. */
export const storedContact = contactItem.transform(toContact);

/** A parsed contact, for other contexts. */
export type StoredContact = Contact;

/** For the reactions of all contexts. */
export const contactKind: ItemKind<StoredContact> = { name: contactEntityName, parse: (raw) => storedContact.parse(raw) };
