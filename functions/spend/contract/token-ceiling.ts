import * as z from 'zod';

export const tokenCeilingEntityName = 'token-ceiling';

/**
 * The ceiling of a personal token: the most that is sent with it on a day, UTC. Never in the token's own item, of which a rotation leaves several.
 * Counters count down, as those of the company do.
 */
export const storedTokenCeiling = z.object({
  companyId: z.int(),
  /** Of the token. */
  id: z.int(),
  /** Incremented by each change of the limits: what is taken is taken under the limits that were read. */
  rev: z.int(),
  messages: z.int().optional(),
  micros: z.int().optional(),
  /** Of the money. */
  currency: z.string().optional(),
  /** `2026-11-29`: what the counters are of. */
  day: z.string(),
  messagesLeft: z.int().optional(),
  microsLeft: z.int().optional(),
  updatedAt: z.int(),
});
export type StoredTokenCeiling = z.output<typeof storedTokenCeiling>;

/** What a company sets; without both there is no ceiling. */
export type TokenLimits = Pick<StoredTokenCeiling, 'messages' | 'micros' | 'currency'>;

/** What is taken from a ceiling: of each limit that it has. */
export interface TokenAmount {
  messages?: number | undefined;
  micros?: number | undefined;
}

/** Of which ceilings a company has at most: all are read together. */
export const maxTokenCeilings = 100;

/** Scopes with which a token would get around its ceiling: it would make tokens, users and keys that have none, change it, or send codes. */
export const scopesWithoutCeiling = ['tokens:manage', 'account:manage', 'verification:manage', 'verification:request'] as const;
