import * as z from 'zod';
import { queue } from '../../../shared/contract/queue.ts';
import { noticedKinds } from './notice.ts';
import { channel } from './stored.ts';

/**
 * A queue of its own, so that no campaign delays a code. Messages are references: they contain neither the code nor the identifier. Notices
 * travel here too, since its worker alone may send mails, and they are few (docs/decisions/sessions.md).
 */
export const codesQueue = queue({
  name: 'verification-codes',
  purpose: 'Codes to send, and mails to users about what was made that lets someone in; by reference',
  message: z.union([
    z.object({ company_id: z.int(), request_id: z.uuid(), send: z.int().min(1), channel }),
    z.object({
      kind: z.literal('notice'),
      company_id: z.int(),
      /** Who gets the mail. */
      user_id: z.int(),
      made: z.enum(noticedKinds),
      /** Of what was made. */
      id: z.int(),
      /** Epoch milliseconds, and the change that it was: one mail for each. */
      at: z.int(),
      change: z.string(),
    }),
  ]),
  workSeconds: 30,
  maxReceives: 5,
  lateAfterSeconds: 60,
});
export type NoticeMessage = Extract<z.output<typeof codesQueue.message>, { kind: 'notice' }>;

/** The HTTP call enqueues its code itself. After this delay the change stream does it again, in case the call crashed. */
export const safetyNetSeconds = 5;

/** A message is enqueued again until its request expires: SQS delays a message by 15 minutes at most. */
export const expiriesQueue = queue({
  name: 'verification-expiries',
  purpose: 'Verification requests that may end: by a correct code, or by their expiry',
  message: z.object({
    company_id: z.int(),
    request_id: z.uuid(),
    /** The attempt with the correct code, epoch milliseconds. Absent: the request is checked for its expiry. */
    verified: z.object({ at: z.int(), source: z.string(), attempts: z.int() }).optional(),
  }),
  workSeconds: 30,
  maxReceives: 8,
});

export const oneClickQueue = queue({
  name: 'verification-one-click',
  purpose: 'Inbound messages that may contain a one-click reference, by reference',
  message: z.object({ company_id: z.int(), contact_id: z.int(), message_id: z.int() }),
  workSeconds: 30,
  maxReceives: 8,
});
