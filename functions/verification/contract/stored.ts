import * as z from 'zod';
import { text } from '../../../shared/contract/fields.ts';

export const channels = ['whatsapp', 'email'] as const;
export const channel = z.enum(channels, { error: 'Must be whatsapp or email.' });
export const uuid = text(36, 1)
  .pipe(z.uuid({ error: 'Must be a UUID.' }))
  .transform((value) => value.toLowerCase());

export const requestStatuses = ['pending', 'verified', 'expired', 'failed', 'blocked'] as const;

export const requestEntityName = 'verification-request';

/** The row that a prefix's proofs fold into. */
export const proofsEntityName = 'verification-proofs';
export interface ProofsRow {
  companyId: number;
  profileId: string;
  prefix: string;
  until: number;
}

/** A request as the table holds it; times are epoch milliseconds. */
export const storedRequest = z.object({
  companyId: z.int(),
  id: z.string(),
  profileId: z.string(),
  credentialId: z.int(),
  /** The call that asked last: a retry of it asks for nothing more. */
  operationId: z.string().optional(),
  /** Keyed hash: finds the person's guard. */
  person: z.string(),
  sealedIdentifier: z.string(),
  channel,
  purpose: z.string(),
  /** Keyed hash of the request's id and its code: what a guess is compared with. */
  codeHash: z.string(),
  /** For sending and sending again; gone when the request is over. */
  sealedCode: z.string().optional(),
  status: z.enum(requestStatuses),
  reason: z.string().optional(),
  maxAttempts: z.int(),
  /** Of the profile when the request was made, so that a guess needs no look at the profile. */
  guessBudget: z.int(),
  mustSign: z.boolean().optional(),
  /** Messages asked for; the last one claimed by the worker. */
  sends: z.int(),
  claimedSend: z.int().default(0),
  lastSendAt: z.int(),
  label: z.string().optional(),
  test: z.boolean().optional(),
  ip: z.string().optional(),
  userAgent: z.string().optional(),
  country: z.string().optional(),
  /** Of the network of a data centre that the call came from. */
  asn: z.int().optional(),
  risk: z.object({ score: z.int(), reasons: z.array(z.string()) }).optional(),
  /** The number less its last four digits: whose conversion it counts for. */
  prefix: z.string().optional(),
  /** Of a blocked one: when another try makes sense. */
  blockedUntil: z.int().optional(),
  createdAt: z.int(),
  expiresAt: z.int(),
  endedAt: z.int().optional(),
  /** Guesses that were compared, told with its end (V32). */
  attempts: z.int().optional(),
  /** What proved it. */
  via: z.enum(['code', 'link', 'message']).optional(),
  /** Epoch seconds. */
  until: z.int(),
});
export type StoredRequest = z.output<typeof storedRequest>;
