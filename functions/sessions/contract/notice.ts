import * as z from 'zod';

const by = z.looseObject({ via: z.string(), userId: z.int().optional() }).optional();

/** What a notice needs of the items of the account. */
export const noticedCredential = z.looseObject({
  companyId: z.int(),
  id: z.int(),
  credentialKind: z.string(),
  userId: z.int().default(0),
  hash: z.string(),
  status: z.string(),
  by,
});
export type NoticedCredential = z.output<typeof noticedCredential>;
export const noticedUser = z.looseObject({ companyId: z.int(), id: z.int(), role: z.string(), status: z.string(), by });
export type NoticedUser = z.output<typeof noticedUser>;
export const noticedPasskey = z.looseObject({ companyId: z.int(), id: z.int(), userId: z.int(), by });
export type NoticedPasskey = z.output<typeof noticedPasskey>;
