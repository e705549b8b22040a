import * as z from 'zod';
import { event } from '../../../shared/contract/event.ts';
import { timestamp } from '../../../shared/contract/fields.ts';
import { queue } from '../../../shared/contract/queue.ts';
import { channel, requestStatuses } from './stored.ts';

/** A queue of its own, so that no campaign delays a code. Messages are references: they contain neither the code nor the identifier. */
export const codesQueue = queue({
  name: 'verification-codes',
  purpose: 'Codes to send, by reference',
  message: z.object({ company_id: z.int(), request_id: z.uuid(), send: z.int().min(1), channel }),
  workSeconds: 30,
  maxReceives: 5,
  lateAfterSeconds: 60,
});

/** The HTTP call enqueues its code itself. After this delay the change stream does it again, in case the call crashed. */
export const safetyNetSeconds = 5;

/** A message is enqueued again until its request expires: SQS delays a message by 15 minutes at most. */
export const expiriesQueue = queue({
  name: 'verification-expiries',
  purpose: 'Verification requests to check for their expiry',
  message: z.object({ company_id: z.int(), request_id: z.uuid() }),
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

/** Events contain the id of the request, never the identifier: the delivery to an endpoint adds it. */
const eventDetail = z.object({
  request_id: z.uuid().meta({ description: 'The id of the verification request.' }),
  profile_id: z.uuid().meta({ description: 'The id of the profile.' }),
  status: z.enum(requestStatuses).meta({ description: 'The status of the request.' }),
  channel: channel.meta({ description: 'The channel of the code.' }),
  purpose: z.string().meta({ description: 'The purpose of the request, such as login.' }),
  reason: z.string().nullable().meta({ description: 'Why the request failed, or null.' }),
  attempts: z.int().meta({ description: 'How many codes were tried.' }),
  verified_at: timestamp.nullable().meta({ description: 'When the identifier was verified, or null.' }),
});

const webhookData = eventDetail
  .extend({ identifier: z.string().nullable().meta({ description: 'The phone or email that was verified; null once it is purged.' }) })
  .meta({ id: 'VerificationEventData' });

export const verificationRequested = event({
  name: 'verification.requested',
  purpose: 'A verification was requested',
  detail: eventDetail,
  webhookData,
});
export const verificationSuccessful = event({
  name: 'verification.successful',
  purpose: 'An identifier was verified',
  detail: eventDetail,
  webhookData,
});
export const codeCeilingReached = event({
  name: 'verification.ceiling_reached',
  purpose: 'A profile has sent as many codes as its ceiling allows',
  description:
    'At most once an hour for each profile. Until `ends_at` no code is sent: check for abuse, or raise `ceilings` in the settings of the profile.',
  detail: z
    .object({
      profile_id: z.uuid().meta({ description: 'The id of the profile.' }),
      window: z.enum(['hour', 'day']).meta({ description: 'Which ceiling was reached.' }),
      limit: z.int().meta({ description: 'The ceiling: codes within the hour or the day.' }),
      ends_at: timestamp.meta({ description: 'When codes are sent again.' }),
    })
    .meta({ id: 'VerificationCeilingEventData' }),
});
export const verificationFailed = event({
  name: 'verification.failed',
  purpose: 'A verification expired, failed or was blocked',
  detail: eventDetail,
  webhookData,
});
