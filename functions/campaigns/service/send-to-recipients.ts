import { now } from '../../../shared/runtime/clock.ts';
import type { Contact } from '../../contacts/contract/stored.ts';
import { getLiveContacts } from '../../contacts/service/audience.ts';
import type { MessageContent } from '../../messaging/contract/content.ts';
import { isHeldByProvider } from '../../messaging/contract/held.ts';
import { ambiguousAfterSeconds } from '../../messaging/contract/queue.ts';
import { messageStatuses, type StoredMessage } from '../../messaging/contract/stored.ts';
import {
  recipientAddressOf,
  claimRecipient,
  claimWaitingRecipient,
  composeRecipientContent,
  failWaitingRecipient,
  getRecipientMessages,
  type RecipientAddress,
  scheduleClaimChecks,
  sendToRecipient,
} from '../../messaging/service/campaign-recipients.ts';
import { returnSpend } from '../../messaging/service/allowances.ts';
import {
  campaignSlotsAtOnce,
  claimTimes,
  reserveCampaignSlots,
  type SpendLimit,
  spendOf,
  waitForSlot,
} from '../../messaging/service/send-slots.ts';
import { tariffOf } from '../../templates/contract/max-price.ts';
import { type CeilingCharge, type Charging, getCharging } from '../../spend/service/ceiling-charges.ts';
import type { ExclusionReason, PauseReason, StoredCampaign, StoredRecipientBatch } from '../contract/stored.ts';
import { buildComponents, isOfferOver } from '../domain/parameters.ts';
import { isSingleRecipientBatch, mayContinue } from '../domain/recipient-batch.ts';
import { getStoredCampaign } from '../store/campaign.ts';
import type { BatchResult, BatchWork, RemainingRecipients } from './batch-work.ts';
import { giveBackToShortBudget, openBudget } from './campaign-budget.ts';
import { parametersOf } from './campaign-input.ts';
import { contactFieldReader, exclusionReasonOfContact } from './eligibility.ts';
import { pauseCampaign, pauseReasonForError } from './pause-campaign.ts';

/** No send starts after this; those in flight end well within the queue's 60 seconds. */
const maxRunMs = 30_000;

/**
 * Sends to the remaining recipients at the pace of the number, many calls in flight at once. It reads contacts and consent again before each
 * reservation of slots, and looks for a pause after it: what was reserved for a campaign that stands still is given back unclaimed.
 */
export const sendToRecipients = async (
  work: BatchWork,
  { unsent, known, hasUnknownResult, hasHeldSends }: RemainingRecipients,
): Promise<BatchResult> => {
  const { companyId, campaignId } = work.command;
  const untilMs = now() + maxRunMs;
  const sends: Promise<SendResult>[] = [];
  const slottedSends: SlottedRecipient[] = [];
  const skipped: BatchResult['skipped'] = [];
  const before = sortKnown(work.batch, await readMessages(work.batch, known));
  let remaining = [...before.ready.keys(), ...unsent];
  let contacts: ReadContacts = { byId: new Map(), readAt: 0 };
  let stoppedBy: BatchResult['stoppedBy'];
  const start = async (recipient: SlottedRecipient): Promise<SendResult> => {
    try {
      const result = await sendOne(work, recipient);
      if (result.outcome !== 'refused_to_all' || stoppedBy !== undefined) return result;
      stoppedBy = 'failure';
      await pauseCampaign(companyId, campaignId, result.pauseReason);
      return result;
    } catch (error) {
      stoppedBy = 'failure';
      return { outcome: 'thrown', error };
    }
  };
  try {
    while (remaining.length > 0 && stoppedBy === undefined) {
      contacts = await currentContacts(companyId, remaining, contacts);
      const charging = await getCharging(companyId, tariffOf(work.template, work.campaign.maxPricePercent), ceilingOf(work.campaign));
      const next = remaining.slice(0, campaignSlotsAtOnce(work.number));
      const { leftOut, ready } = nextRecipients({ ...work, charging }, next, contacts.byId, before.ready);
      skipped.push(...(await leaveOut(work.batch, leftOut)));
      remaining = remaining.slice(leftOut.length);
      if (ready.length === 0) continue;
      const slotted = await reserveSlots(work, ready, untilMs);
      if (!Array.isArray(slotted)) stoppedBy = slotted;
      if (!Array.isArray(slotted)) break;
      if (stoppedBy !== undefined) {
        await returnCharges(work, slotted);
        break;
      }
      remaining = remaining.slice(slotted.length);
      slottedSends.push(...slotted);
      sends.push(...slotted.map(start));
    }
  } catch (error) {
    sends.push(Promise.resolve({ outcome: 'thrown', error }));
  }
  // a call left in flight would run beside the next worker of the batch
  const results = await Promise.all(sends);
  await returnCharges(
    work,
    slottedSends.filter((_, nth) => isProvenUnsent(results[nth])),
  );
  const thrown = results.find((result) => result.outcome === 'thrown');
  // the queue delivers the batch again, and its lease shows that this worker did not finish
  if (thrown) throw thrown.error;
  return {
    remaining,
    skipped,
    stoppedBy,
    deferred: new Map([...before.deferred, ...timesOf(results, 'deferred')]),
    claimedElsewhere: new Map([...before.claimedElsewhere, ...timesOf(results, 'claimed_elsewhere')]),
    awaitingRetry: before.awaitingRetry,
    hasUnknownResult: hasUnknownResult || results.some(({ outcome }) => outcome === 'unknown'),
    hasHeldSends: hasHeldSends || results.some((result) => result.outcome === 'done' && result.isHeld === true),
  };
};

type SendResult =
  | { outcome: 'done'; isHeld?: true; isUnsent?: true }
  /** The provider's answer is not known. */
  | { outcome: 'unknown' }
  | { outcome: 'deferred'; contactId: number; untilMs: number }
  /** Another worker has claimed the recipient, and its result is not known yet. */
  | { outcome: 'claimed_elsewhere'; contactId: number; untilMs: number }
  /** For a reason that concerns all that the campaign would still send. */
  | { outcome: 'refused_to_all'; pauseReason: PauseReason; isUnsent?: true }
  | { outcome: 'thrown'; error: unknown };

const timesOf = (results: readonly SendResult[], outcome: 'deferred' | 'claimed_elsewhere'): [contactId: number, untilMs: number][] =>
  results.flatMap((result) => (result.outcome === outcome && 'untilMs' in result ? [[result.contactId, result.untilMs]] : []));

/** How the messages of a batch are charged, as it is now: a ceiling may be set while it is sent. */
interface ChargedWork extends BatchWork {
  charging: Charging | undefined;
}

const ceilingOf = ({ id, spendLimit, spendLimits = 0 }: StoredCampaign): { id: number; currency: string; limit: number } | undefined =>
  spendLimit && { id, currency: spendLimit.currency, limit: spendLimits };

/** The provider was not called for the recipient, or has refused the message: it costs nothing. */
const isProvenUnsent = (result: SendResult | undefined): boolean =>
  result !== undefined &&
  (['deferred', 'claimed_elsewhere'].includes(result.outcome) || ('isUnsent' in result && result.isUnsent === true));

/** What was taken with the slots of recipients to whom nothing was sent. */
async function returnCharges({ number }: BatchWork, recipients: readonly SlottedRecipient[]): Promise<void> {
  const byPeriod = Map.groupBy(
    recipients.filter(({ charge }) => charge),
    ({ period }) => period,
  );
  for (const [period, own] of byPeriod) {
    const spend = spendOf(
      own.flatMap(({ charge }) => charge ?? []),
      period,
    );
    if (spend) await returnSpend(number, spend);
  }
}

type KnownMessages = ReadonlyMap<number, StoredMessage | undefined>;

async function readMessages(batch: StoredRecipientBatch, known: KnownMessages): Promise<KnownMessages> {
  const unread = [...known].flatMap(([contactId, message]) => (message ? [] : [contactId]));
  if (unread.length === 0) return known;
  return new Map([...known, ...(await getRecipientMessages(batch.companyId, referenceOf(batch), unread, batch.secondMs ?? 0))]);
}

/** Of the recipients that had a message: which are to be sent to now. Those with a result, and those that were erased since, are in none. */
function sortKnown(
  batch: StoredRecipientBatch,
  messages: KnownMessages,
): { ready: KnownMessages } & Pick<BatchResult, 'deferred' | 'claimedElsewhere' | 'awaitingRetry'> {
  const ready = new Map<number, StoredMessage | undefined>();
  const deferred = new Map<number, number>();
  const claimedElsewhere = new Map<number, number>();
  const awaitingRetry: number[] = [];
  for (const [contactId, message] of messages) {
    // the call that adds a single recipient writes the batch before the message
    if (!message && batch.isSingleRecipient) ready.set(contactId, undefined);
    if (message?.status === messageStatuses.scheduled)
      if ((message.dueAt ?? 0) > now() + dueEarlyMs) deferred.set(contactId, message.dueAt ?? 0);
      else ready.set(contactId, message);
    if (message?.status === messageStatuses.processing) claimedElsewhere.set(contactId, resultKnownAt(message));
    // a retry request adds the recipient to the batch before it resets the failed message
    if (message?.status === messageStatuses.failed && batch.waiting.includes(contactId)) awaitingRetry.push(contactId);
  }
  return { ready, deferred, claimedElsewhere, awaitingRetry };
}

/** The queue delivers no earlier than to the second. */
const dueEarlyMs = 1_000;

/** When a claim has a result, be it that it is ambiguous: it is checked two minutes after it was made. */
const resultKnownAt = ({ claimedAt = now() }: Pick<StoredMessage, 'claimedAt'>): number =>
  Math.max(now() + 15_000, claimedAt + (ambiguousAfterSeconds + 5) * 1_000);

interface ReadContacts {
  byId: ReadonlyMap<number, Contact>;
  readAt: number;
}

const currentContacts = async (companyId: number, contactIds: readonly number[], seen: ReadContacts): Promise<ReadContacts> =>
  now() - seen.readAt <= maxContactAgeMs
    ? seen
    : { byId: await getLiveContacts(companyId, contactIds, { consistent: true }), readAt: now() };

const maxContactAgeMs = 2_000;

interface ReadyRecipient extends RecipientAddress {
  contactId: number;
  content: MessageContent;
  message: StoredMessage | undefined;
  /** What it takes from ceilings; undefined: it is under none. */
  charge: CeilingCharge | undefined;
}

interface LeftOutRecipient {
  contactId: number;
  reason: string;
  message: StoredMessage | undefined;
}

/** The next recipients with their content, up to the first that must be left out; before them those at the front that must be. */
function nextRecipients(
  work: ChargedWork,
  contactIds: readonly number[],
  contacts: ReadonlyMap<number, Contact>,
  messages: KnownMessages,
): { leftOut: LeftOutRecipient[]; ready: ReadyRecipient[] } {
  const leftOut: LeftOutRecipient[] = [];
  const ready: ReadyRecipient[] = [];
  for (const contactId of contactIds) {
    const composed = composeFor(work, contacts.get(contactId));
    const message = messages.get(contactId);
    if (typeof composed !== 'string') ready.push({ contactId, message, ...composed });
    else if (ready.length > 0) break;
    else leftOut.push({ contactId, message, reason: composed });
  }
  return { leftOut, ready };
}

/** The content for a recipient, or the reason why there is none. */
function composeFor(
  { template, parameters, campaign, batch, charging }: ChargedWork,
  contact: Contact | undefined,
):
  | (RecipientAddress & Pick<ReadyRecipient, 'content' | 'charge'>)
  | ExclusionReason
  | 'invalid_parameter'
  | 'offer_over'
  | 'price_unknown' {
  const excluded = exclusionReasonOfContact(contact, template, now());
  if (excluded || !contact) return excluded ?? 'deleted';
  if (isOfferOver(campaign, now())) return 'offer_over';
  const built = buildComponents(parameters, { ...parametersOf(campaign), data: batch.data }, contactFieldReader(contact));
  if ('missing' in built) return 'missing_parameter';
  const composition = composeRecipientContent(template, built.components, campaign.maxPricePercent);
  if (!composition.ok) return 'invalid_parameter';
  const address = recipientAddressOf(contact);
  const charge = charging?.(address);
  if (charge && 'unknown' in charge) return 'price_unknown';
  return { ...address, content: composition.message, charge };
}

/** A message that waits becomes a failure. Returns the recipients without a message, which the batch records. */
async function leaveOut(
  { isSingleRecipient }: StoredRecipientBatch,
  recipients: readonly LeftOutRecipient[],
): Promise<BatchResult['skipped']> {
  for (const { message, reason } of recipients)
    if (message) await failWaitingRecipient(message, { code: reason, title: skipTitles[reason] ?? 'Left out at the moment of sending' });
  // a single recipient without a message was never counted as one
  return recipients.flatMap(({ contactId, message, reason }) => (message || isSingleRecipient ? [] : [[contactId, reason]]));
}

const skipTitles: Readonly<Record<string, string>> = {
  opted_out: 'The recipient opted out before the message was sent',
  unsubscribed: 'The recipient was unsubscribed before the message was sent',
  marketing_blocked: 'The recipient blocked marketing before the message was sent',
  deleted: 'The contact was deleted before the message was sent',
  blocked: 'The contact was blocked before the message was sent',
  price_unknown: 'The price of a message to the recipient is not known, and a spend ceiling stops what has none',
  offer_over: 'The limited-time offer was over before the message was sent',
};

interface SlottedRecipient extends ReadyRecipient {
  slotMs: number;
  claimMs: number;
  /** The period that paid for it. */
  period: string | undefined;
}

/** The recipients with a slot each and the time of its claim, or why sending stops. Under a ceiling the first of them, as many as it allows. */
async function reserveSlots(
  work: BatchWork,
  ready: readonly ReadyRecipient[],
  untilMs: number,
): Promise<SlottedRecipient[] | 'suspension' | 'time' | 'pause' | SpendLimit> {
  const charges = ready.some(({ charge }) => charge) ? ready.map(({ charge }) => charge ?? {}) : undefined;
  const reserved = await reserveCampaignSlots(work.number, ready.length, untilMs, undefined, charges);
  if (reserved === 'suspended') return 'suspension';
  if ('limit' in reserved) {
    // the first of a run lets the campaign spend from its number
    if (reserved.limit.isUnopened && (await openBudget(work.campaign))) return reserveSlots(work, ready, untilMs);
    if (reserved.limit.ceiling === 'campaign' && (await giveBackToShortBudget(work.campaign))) return reserveSlots(work, ready, untilMs);
    return reserved.limit;
  }
  const { slots, period } = reserved;
  if (slots.length === 0) return 'time';
  const claims = claimTimes(slots, work.number);
  const slotted = slots.flatMap((slotMs, index) => {
    const recipient = ready[index];
    return recipient ? [{ ...recipient, slotMs, claimMs: claims[index] ?? slotMs, period }] : [];
  });
  const state = await stateOf(work);
  if (state === 'active') return slotted;
  await returnCharges(work, slotted);
  return state === 'paused' ? 'pause' : 'time';
}

/** Consistent: an earlier state would let messages leave after a pause, or end the chain after a resume, which nothing else continues. */
async function stateOf({ command, campaign: seen }: BatchWork): Promise<'active' | 'paused' | 'other_ceiling'> {
  const campaign = await getStoredCampaign(command.companyId, command.campaignId);
  if (campaign === undefined || !mayContinue(campaign, command)) return 'paused';
  // the batch comes again, and takes from the ceiling that there is now
  return (campaign.spendLimit === undefined) === (seen.spendLimit === undefined) ? 'active' : 'other_ceiling';
}

/** The claim comes just before the call: a worker that crashes between the two leaves few messages with an unknown result. */
const claimAheadMs = 15;

async function sendOne(work: BatchWork, recipient: SlottedRecipient): Promise<SendResult> {
  const { contactId, content, slotMs, claimMs } = recipient;
  await waitForSlot(claimMs - claimAheadMs);
  const claimed = await claim(work, recipient);
  if ('outcome' in claimed) return claimed;
  await waitForSlot(slotMs);
  const sent = await sendToRecipient(claimed, work.number, content, recipient.charge && spendOf([recipient.charge], recipient.period));
  if (sent.status === messageStatuses.scheduled) return { outcome: 'deferred', contactId, untilMs: sent.dueAt ?? now() };
  if (sent.status === messageStatuses.processing) return { outcome: 'unknown' };
  const pauseReason = sent.status === messageStatuses.failed ? pauseReasonForError(sent.error?.code) : undefined;
  // what a row has as taken goes back with its outcome
  const isUnsent = sent.taken === undefined ? { isUnsent: true as const } : {};
  if (pauseReason) return { outcome: 'refused_to_all', pauseReason, ...isUnsent };
  if (sent.status === messageStatuses.failed && !sent.ambiguous) return { outcome: 'done', ...isUnsent };
  return isHeldByProvider(sent) ? { outcome: 'done', isHeld: true } : { outcome: 'done' };
}

/** The claimed message. `claimed_elsewhere` when another worker claimed the recipient, either one that died or a duplicate delivery. */
async function claim(
  { command, batch, number }: BatchWork,
  { contactId, phone, userId, content, message: waiting }: ReadyRecipient,
): Promise<StoredMessage | SendResult> {
  if (waiting) {
    const claimed = await claimWaitingRecipient(waiting, number, content);
    return claimed ?? claimedElsewhere(contactId, {});
  }
  const campaign = { ...referenceOf(batch), ...(isSingleRecipientBatch(batch.batch) ? { isSingleRecipient: true as const } : {}) };
  const { isNew, message } = await claimRecipient(
    { companyId: command.companyId, contactId, phone, userId, numberId: number.id, campaign, secondMs: batch.secondMs ?? 0 },
    content,
  );
  if (isNew) return message;
  if (message.status === messageStatuses.scheduled)
    return (await claimWaitingRecipient(message, number, content)) ?? claimedElsewhere(contactId, {});
  if (message.status !== messageStatuses.processing) return { outcome: 'done', isUnsent: true };
  await scheduleClaimChecks([message]);
  return claimedElsewhere(contactId, message);
}

const claimedElsewhere = (contactId: number, claimed: Pick<StoredMessage, 'claimedAt'>): SendResult => ({
  outcome: 'claimed_elsewhere',
  contactId,
  untilMs: resultKnownAt(claimed),
});

const referenceOf = ({ campaignId, batch }: StoredRecipientBatch): { id: number; batch: number } => ({ id: campaignId, batch });
