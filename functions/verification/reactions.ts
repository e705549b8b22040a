import { type Consequence, project, projectionTarget, emitEvent, message, reaction, reactionList } from '../../shared/events/react.ts';
import { isoTime } from '../../shared/runtime/clock.ts';
import { messageEntityName, storedMessage, type StoredMessage } from '../messaging/contract/stored.ts';
import { proofsEntityName, type ProofsRow, requestEntityName, storedRequest, type StoredRequest } from './contract/stored.ts';
import {
  codesQueue,
  expiriesQueue,
  oneClickQueue,
  safetyNetSeconds,
  verificationFailed,
  verificationRequested,
  verificationSuccessful,
} from './contract/work.ts';
import { expiryDelaySeconds } from './domain/expiry.ts';
import { referencesIn } from './domain/one-click.ts';
import { sendCodeCommandFor } from './domain/send-code-command.ts';
import { hourMs, withIncrement } from './domain/prefix.ts';

const proofsTarget = projectionTarget<Pick<ProofsRow, 'companyId' | 'profileId' | 'prefix'>, ProofsRow>(proofsEntityName);

/**
 * Reactions to a verification request: a send is enqueued in case its call crashed, its expiry is scheduled, its creation and its result are
 * published once each, and a verified one counts for its prefix. Reaction to an inbound text: a possible one-click reference is checked.
 */
export const reactions = reactionList({ sendsTo: [codesQueue, expiriesQueue, oneClickQueue] }, [
  reaction<StoredRequest>({ name: requestEntityName, parse: (raw) => storedRequest.parse(raw) }, ({ before, after, writtenAt }) => {
    if (!after) return [];
    const consequences: Consequence[] = [];
    const { companyId, id, status } = after;
    const command = sendCodeCommandFor(before, after);
    if (command) consequences.push(message(codesQueue, companyId, command, safetyNetSeconds));
    if (!before && status === 'pending')
      consequences.push(
        message(expiriesQueue, companyId, { company_id: companyId, request_id: id }, expiryDelaySeconds(after.expiresAt, after.createdAt)),
      );
    if (!before && status !== 'blocked') consequences.push(emitEvent(verificationRequested, companyId, detailOf(after)));
    if (status !== (before?.status ?? 'pending'))
      consequences.push(emitEvent(status === 'verified' ? verificationSuccessful : verificationFailed, companyId, detailOf(after)));
    if (status === 'verified' && before?.status === 'pending' && after.prefix !== undefined)
      consequences.push(countProof({ companyId, profileId: after.profileId, prefix: after.prefix }, after.endedAt ?? writtenAt));
    return consequences;
  }),

  reaction<StoredMessage>({ name: messageEntityName, parse: (raw) => storedMessage.parse(raw) }, ({ before, after }) => {
    if (before || !after?.inbound || after.subtype !== 'text' || referencesIn(after.value).length === 0) return [];
    const reference = { company_id: after.companyId, contact_id: after.contactId, message_id: after.id };
    return [message(oneClickQueue, after.companyId, reference)];
  }),
]);

const detailOf = (request: StoredRequest) => ({
  request_id: request.id,
  profile_id: request.profileId,
  status: request.status,
  channel: request.channel,
  purpose: request.purpose,
  reason: request.reason ?? null,
  attempts: request.attempts ?? 0,
  verified_at: request.status === 'verified' && request.endedAt !== undefined ? isoTime(request.endedAt) : null,
});

const countProof = (id: Pick<ProofsRow, 'companyId' | 'profileId' | 'prefix'>, at: number): Consequence =>
  project(proofsTarget, id, (row) => ({ ...withIncrement({ ...id, ...row }, at), until: Math.floor((at + 2 * hourMs) / 1_000) }));
