import * as z from 'zod';
import { event } from '../../../shared/contract/event.ts';
import { timestamp } from '../../../shared/contract/fields.ts';
import { queue } from '../../../shared/contract/queue.ts';
import { channel, requestStatuses } from './stored.ts';

/** A lane of its own, so that no campaign delays a code. By reference: neither the code nor the person is on it. */
export const codesQueue = queue({
  name: 'verification-codes',
  purpose: 'Codes to be sent, by reference',
  message: z.object({ company_id: z.int(), request_id: z.uuid(), send: z.int().min(1), channel }),
  workSeconds: 30,
  maxReceives: 4,
});

/** A call hands its message on by itself; after this the change stream does it again, for the calls that died in between. */
export const safetyNetSeconds = 5;

/** Comes back until the time is over: the queue's longest delay is shorter than a request may live. */
export const expiriesQueue = queue({
  name: 'verification-expiries',
  purpose: 'Verifications to be looked at when their time is over',
  message: z.object({ company_id: z.int(), request_id: z.uuid() }),
  workSeconds: 30,
  maxReceives: 8,
});

export const oneClickQueue = queue({
  name: 'verification-one-click',
  purpose: 'Inbound messages that may prove a phone, by reference',
  message: z.object({ company_id: z.int(), contact_id: z.int(), message_id: z.int() }),
  workSeconds: 30,
  maxReceives: 8,
});

const eventDetail = z.object({
  request_id: z.uuid(),
  profile_id: z.uuid(),
  status: z.enum(requestStatuses),
  channel,
  purpose: z.string(),
  reason: z.string().nullable(),
  attempts: z.int(),
  verified_at: timestamp.nullable(),
});

/** Events on queues hold the request's id and no identifier; the delivery to an endpoint adds it. */
const webhookData = eventDetail
  .extend({ identifier: z.string().nullable().meta({ description: 'The phone or email that was verified; null once it is purged.' }) })
  .meta({ id: 'VerificationEventData' });

export const verificationRequested = event({
  name: 'verification.requested',
  purpose: 'A verification was asked for',
  detail: eventDetail,
  webhookData,
});
export const verificationSuccessful = event({
  name: 'verification.successful',
  purpose: 'A person proved an identifier',
  detail: eventDetail,
  webhookData,
});
export const verificationFailed = event({
  name: 'verification.failed',
  purpose: 'A verification ended without proof',
  detail: eventDetail,
  webhookData,
});
