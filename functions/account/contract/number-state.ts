import * as z from 'zod';
import type { ItemKind } from '../../../shared/events/react.ts';

export const numberEntityName = 'business-number';

/** Whether the provider lets a number send, and what stands in the way: of the number, its account, its business or its app. */
export const numberHealth = z.object({
  canSend: z.enum(['AVAILABLE', 'LIMITED', 'BLOCKED']),
  reasons: z.array(z.object({ of: z.string(), code: z.int().optional(), text: z.string(), fix: z.string() })),
});
export type NumberHealth = z.output<typeof numberHealth>;

/** What the provider's webhooks, and daily reads, state about a number and its business account. */
export const numberState = z.object({
  quality: z.string(),
  messagingLimit: z.string().optional(),
  /** Of the business account: ACTIVE, DISABLE, ACCOUNT_OFFBOARDED ... */
  accountState: z.string().optional(),
  /** The last review of the business account: APPROVED, REJECTED, VERIFIED ... */
  accountReview: z.string().optional(),
  /** What became of the display name that was requested last: APPROVED, DECLINED ... */
  nameStatus: z.string().optional(),
  /** ISO 4217: in which the provider charges the business account. */
  currency: z.string().optional(),
  /** Epoch milliseconds; without an end the provider gave none. */
  restrictions: z.array(z.object({ type: z.string(), until: z.int().optional() })).optional(),
  /** As of the last daily check, epoch milliseconds. */
  health: numberHealth.optional(),
  checkedAt: z.int().optional(),
});
export type NumberState = z.output<typeof numberState>;

/** The stored number, as reactions of other contexts read it. */
export const storedNumberState = numberState.extend({
  companyId: z.int(),
  id: z.int(),
  phone: z.string(),
  status: z.enum(['active', 'inactive']),
  updatedAt: z.int(),
});
export type StoredNumberState = z.output<typeof storedNumberState>;

/** For the reactions of all contexts. */
export const numberKind: ItemKind<StoredNumberState> = { name: numberEntityName, parse: (raw) => storedNumberState.parse(raw) };

/** Why a number can start no conversation now, and until when; undefined: it can. */
export const sendBlockOf = (
  { accountState, restrictions = [] }: Pick<NumberState, 'accountState' | 'restrictions'>,
  nowMs: number,
): { reason: string; untilMs: number | undefined } | undefined => {
  if (accountState !== undefined && closedAccountStates.has(accountState)) return { reason: accountState, untilMs: undefined };
  const restriction = restrictions.find(({ type, until }) => type === blockingRestriction && (until === undefined || until > nowMs));
  return restriction && { reason: restriction.type, untilMs: restriction.until };
};

/** Messages that the business begins: templates, and so campaigns. */
const blockingRestriction = 'RESTRICTED_BIZ_INITIATED_MESSAGING';
const closedAccountStates: ReadonlySet<string> = new Set([
  'DISABLE',
  'ACCOUNT_DELETED',
  'ACCOUNT_OFFBOARDED',
  'PARTNER_REMOVED',
  'PARTNER_APP_UNINSTALLED',
]);
