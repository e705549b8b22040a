import { type Consequence, happened, message, reaction } from '../../shared/events/react.ts';
import { isoTime } from '../../shared/runtime/clock.ts';
import {
  codesQueue,
  requestEntityName,
  storedRequest,
  type StoredRequest,
  verificationFailed,
  verificationRequested,
  verificationSuccessful,
} from './contract.ts';

/** What follows from a request's change: a message asked for is queued; listeners hear of its beginning and its end, once each. */
export const verificationReactions = [
  reaction<StoredRequest>({ name: requestEntityName, parse: (raw) => storedRequest.parse(raw) }, ({ before, after }) => {
    if (!after) return [];
    const consequences: Consequence[] = [];
    if (after.status === 'pending' && after.sends > (before?.sends ?? 0) && !after.test)
      consequences.push(message(codesQueue, after.companyId, { company_id: after.companyId, request_id: after.id, send: after.sends }));
    const detail = {
      request_id: after.id,
      profile_id: after.profileId,
      status: after.status,
      channel: after.channel,
      purpose: after.purpose,
      reason: after.reason ?? null,
      verified_at: after.status === 'verified' && after.endedAt !== undefined ? isoTime(after.endedAt) : null,
    };
    if (!before) consequences.push(happened(verificationRequested, after.companyId, detail));
    if (after.status !== (before?.status ?? 'pending'))
      consequences.push(happened(after.status === 'verified' ? verificationSuccessful : verificationFailed, after.companyId, detail));
    return consequences;
  }),
];
