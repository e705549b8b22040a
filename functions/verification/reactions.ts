import { type Consequence, project, projectionTarget, emitEvent, message, reaction, reactionList } from '../../shared/events/react.ts';
import { hourMs, isoTime } from '../../shared/runtime/clock.ts';
import { messageKind, type StoredMessage } from '../messaging/contract/stored.ts';
import { usageReaction } from '../usage/contract/count.ts';
import {
  ceilingEntityName,
  codeRateEntityName,
  type CodeRateRow,
  prefixEntityName,
  type PrefixRow,
  proofsEntityName,
  type ProofsRow,
  requestBudgetEntityName,
  storedCeiling,
  type StoredCeiling,
  requestKind,
  type StoredRequest,
  storedSpent,
  type StoredSpent,
} from './contract/stored.ts';
import { codeCeilingReached, verificationFailed, verificationRequested, verificationSuccessful } from './contract/event.ts';
import { codesQueue, expiriesQueue, oneClickQueue, safetyNetSeconds } from './contract/work.ts';
import { type RateKind, withCodeCount } from './domain/code-rate.ts';
import { expiryDelaySeconds } from './domain/expiry.ts';
import { referencesIn } from './domain/one-click.ts';
import { sendCodeCommandFor } from './domain/send-code-command.ts';
import { withIncrement, withNumber } from './domain/prefix.ts';
import { newlyVerified } from './domain/request-result.ts';
import { usedByRequest } from './domain/usage.ts';

const codeRateTarget = projectionTarget<Pick<CodeRateRow, 'companyId' | 'profileId'>, CodeRateRow>(codeRateEntityName);
const proofsTarget = projectionTarget<Pick<ProofsRow, 'companyId' | 'profileId' | 'prefix'>, ProofsRow>(proofsEntityName);
const prefixTarget = projectionTarget<Pick<PrefixRow, 'companyId' | 'profileId' | 'prefix'>, PrefixRow>(prefixEntityName);

/**
 * Reactions to a verification request: a send is enqueued in case its call crashed, its expiry is scheduled, its creation and its result are
 * published once each, and each call that requested it and its verification count for its prefix. An attempt counts for its profile, as a
 * verified code does, and the result that an attempt brought is written to its request; a ceiling that is reached is published. Reaction to
 * an inbound text: a possible one-click reference is checked.
 */
export const reactions = reactionList({ sendsTo: [codesQueue, expiriesQueue, oneClickQueue] }, [
  usageReaction(requestKind, usedByRequest),

  reaction<StoredRequest>(requestKind, ({ before, after, writtenAt }) => {
    if (!after) return [];
    const consequences: Consequence[] = [];
    const { companyId, id, status } = after;
    const command = sendCodeCommandFor(before, after);
    if (command) consequences.push(message(codesQueue, companyId, command, safetyNetSeconds));
    if (!before && status === 'pending')
      consequences.push(
        message(expiriesQueue, companyId, { company_id: companyId, request_id: id }, expiryDelaySeconds(after.expiresAt, after.createdAt)),
      );
    // of public keys alone: what servers of the company request says nothing of strangers
    if (!before && status === 'pending' && after.prefix !== undefined && !after.isTrusted)
      consequences.push(...countRequested(after, after.prefix));
    // of a request that its budget decides, the budget says that it began: a row may be written for nothing
    if (!before && status !== 'blocked' && !after.isDecidedByBudget)
      consequences.push(emitEvent(verificationRequested, companyId, detailOf(after)));
    if (status !== (before?.status ?? 'pending'))
      consequences.push(emitEvent(status === 'verified' ? verificationSuccessful : verificationFailed, companyId, detailOf(after)));
    if (status === 'verified' && before?.status === 'pending' && after.prefix !== undefined && !after.isTrusted)
      consequences.push(...countProven(after, after.prefix, after.endedAt ?? writtenAt));
    if (status === 'verified' && before?.status === 'pending' && after.via === 'code')
      consequences.push(countForRate(after, 'v', 1, after.endedAt ?? writtenAt));
    return consequences;
  }),

  reaction<StoredSpent>({ name: requestBudgetEntityName, parse: (raw) => storedSpent.parse(raw) }, ({ before, after, writtenAt }) => {
    if (!after) return [];
    const attempts = after.spent - (before?.spent ?? 0);
    return [
      ...(attempts > 0 ? [countForRate(after, 'a', attempts, writtenAt)] : []),
      ...begun(before, after),
      ...newlyVerified(before, after).map(({ requestId, at, source, attempts: used }) =>
        message(expiriesQueue, after.companyId, {
          company_id: after.companyId,
          request_id: requestId,
          verified: { at, source, attempts: used },
        }),
      ),
    ];
  }),

  reaction<StoredCeiling>({ name: ceilingEntityName, parse: (raw) => storedCeiling.parse(raw) }, ({ before, after }) => {
    if (!after?.reached) return [];
    const { window, hour, limit, endsAt, country } = after.reached;
    if (before?.reached && hour === before.reached.hour && country === before.reached.country) return [];
    const ended = { window, limit, ends_at: isoTime(endsAt), country: country ?? null };
    return [emitEvent(codeCeilingReached, after.companyId, { profile_id: after.profileId, ...ended })];
  }),

  reaction<StoredMessage>(messageKind, ({ before, after }) => {
    if (before || !after?.inbound || after.subtype !== 'text' || referencesIn(after.value).length === 0) return [];
    const reference = { company_id: after.companyId, contact_id: after.contactId, message_id: after.id };
    return [message(oneClickQueue, after.companyId, reference)];
  }),
]);

/** The requests that a change of a budget began. */
const begun = (before: StoredSpent | undefined, { companyId, profileId, last }: StoredSpent): Consequence[] =>
  Object.entries(last).flatMap(([purpose, { id, channel }]) =>
    channel === undefined || before?.last[purpose]?.id === id
      ? []
      : [emitEvent(verificationRequested, companyId, detailOf({ id, profileId, status: 'pending', channel, purpose }))],
  );

const detailOf = (
  request: Pick<StoredRequest, 'id' | 'profileId' | 'status' | 'channel' | 'purpose'> &
    Partial<Pick<StoredRequest, 'reason' | 'attempts' | 'endedAt'>>,
) => ({
  request_id: request.id,
  profile_id: request.profileId,
  status: request.status,
  channel: request.channel,
  purpose: request.purpose,
  reason: request.reason ?? null,
  attempts: request.attempts ?? 0,
  verified_at: request.status === 'verified' && request.endedAt !== undefined ? isoTime(request.endedAt) : null,
});

const countForRate = (
  { companyId, profileId }: { companyId: number; profileId: string },
  kind: RateKind,
  by: number,
  at: number,
): Consequence =>
  project(codeRateTarget, { companyId, profileId }, (row) => ({
    ...withCodeCount({ companyId, profileId, ...row }, kind, by, at),
    until: Math.floor((at + 2 * hourMs) / 1_000),
  }));

/** A number that a public key requested counts for its prefix once an hour, the request for its country. */
const countRequested = ({ companyId, profileId, identifierHash, country, createdAt: at }: StoredRequest, prefix: string): Consequence[] => [
  project(prefixTarget, { companyId, profileId, prefix }, (row) => ({
    ...withNumber({ companyId, profileId, prefix, ...row }, identifierHash, at),
    until: Math.floor((at + 2 * hourMs) / 1_000),
  })),
  ...(country === undefined ? [] : [countForRate({ companyId, profileId }, `r${country}`, 1, at)]),
];

const countProven = ({ companyId, profileId, country }: StoredRequest, prefix: string, at: number): Consequence[] => [
  project(proofsTarget, { companyId, profileId, prefix }, (row) => ({
    ...withIncrement({ companyId, profileId, prefix, ...row }, at),
    until: Math.floor((at + 2 * hourMs) / 1_000),
  })),
  ...(country === undefined ? [] : [countForRate({ companyId, profileId }, `p${country}`, 1, at)]),
];
