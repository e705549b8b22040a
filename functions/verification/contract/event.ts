import * as z from 'zod';
import { event } from '../../../shared/contract/event.ts';
import { timestamp } from '../../../shared/contract/fields.ts';
import { channel, requestStatuses } from './stored.ts';

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
    'At most once an hour for each profile, and once a day for each country with a ceiling of its own. Until `ends_at` no code is sent (to the `country`, where there is one): check for abuse, or raise `ceilings` in the settings of the profile.',
  detail: z
    .object({
      profile_id: z.uuid().meta({ description: 'The id of the profile.' }),
      window: z.enum(['hour', 'day']).meta({ description: 'Which ceiling was reached.' }),
      limit: z.int().meta({ description: 'The ceiling: codes within the hour or the day.' }),
      ends_at: timestamp.meta({ description: 'When codes are sent again.' }),
      country: z
        .string()
        .nullable()
        .optional()
        .meta({ description: 'Whose ceiling was reached, of phones of a country; null: that of all codes of the profile.', example: 'NG' }),
    })
    .meta({ id: 'VerificationCeilingEventData' }),
});
export const verificationFailed = event({
  name: 'verification.failed',
  purpose: 'A verification expired, failed or was blocked',
  detail: eventDetail,
  webhookData,
});
