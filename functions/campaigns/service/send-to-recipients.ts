import { now } from '../../../shared/runtime/clock.ts';
import type { Contact } from '../../contacts/contract/stored.ts';
import { getLiveContacts } from '../../contacts/service/audience.ts';
import type { MessageContent } from '../../messaging/contract/content.ts';
import { messageStatuses, type StoredMessage } from '../../messaging/contract/stored.ts';
import {
  claimRecipient,
  claimWaitingRecipient,
  composeRecipientContent,
  failWaitingRecipient,
  getRecipientMessages,
  scheduleClaimChecks,
  sendToRecipient,
} from '../../messaging/service/campaign-recipients.ts';
import { campaignSlotsAtOnce, claimTimes, reserveCampaignSlots, waitForSlot } from '../../messaging/service/send-slots.ts';
import type { StoredRecipientBatch } from '../contract/stored.ts';
import { buildComponents } from '../domain/parameters.ts';
import { isSingleRecipientBatch, mayContinue } from '../domain/recipient-batch.ts';
import { getCampaign } from '../store/campaign.ts';
import type { BatchResult, BatchWork, RemainingRecipients } from './batch-work.ts';
import { parametersOf } from './campaign-input.ts';
import { contactFieldReader, exclusionReasonOf } from './eligibility.ts';
import { pauseCampaign, pauseReasonForError } from './pause-campaign.ts';

/** No send starts after this; those in flight end well within the queue's 60 seconds. */
const maxRunMs = 30_000;

/**
 * Sends to the remaining recipients at the pace of the number, many calls in flight at once. It reads contacts and consent again just
 * before each send, and looks for a pause before each handful of slots.
 */
export const sendToRecipients = async (work: BatchWork, { unsent, waiting }: RemainingRecipients): Promise<BatchResult> => {
  const run: Run = {
    work,
    messages: new Map(waiting),
    contacts: new Map(),
    contactsReadAt: 0,
    failure: undefined,
    result: {
      remaining: [...waiting.keys(), ...unsent],
      deferred: new Map(),
      awaitingRetry: [],
      skipped: [],
      hasUnknownResult: false,
      stoppedBy: undefined,
    },
  };
  const inFlight: Promise<void>[] = [];
  await startSends(run, inFlight).catch((error: unknown) => stopWith(run, error));
  // a call left in flight would run beside the next worker of the batch
  await Promise.all(inFlight);
  // the queue delivers the batch again, and its lease shows that this worker did not finish
  if (run.failure !== undefined) throw run.failure;
  return run.result;
};

interface Run {
  readonly work: BatchWork;
  /** Messages of waiting recipients. */
  readonly messages: Map<number, StoredMessage | undefined>;
  contacts: Map<number, Contact>;
  contactsReadAt: number;
  failure: unknown;
  readonly result: BatchResult;
}

function stopWith(run: Run, error: unknown): void {
  run.failure ??= error;
  run.result.stoppedBy = 'failure';
}

async function startSends(run: Run, inFlight: Promise<void>[]): Promise<void> {
  const { work, result } = run;
  const untilMs = now() + maxRunMs;
  await readWaitingMessages(run);
  while (result.remaining.length > 0 && result.stoppedBy === undefined) {
    const ready = await nextRecipients(run, result.remaining.slice(0, campaignSlotsAtOnce(work.number)));
    if (ready.length === 0) continue;
    const slots = await reserveCampaignSlots(work.number, ready.length, untilMs);
    if (slots === 'suspended') result.stoppedBy = 'suspension';
    else if (slots.length === 0) result.stoppedBy = 'time';
    else if (!(await isStillActive(work))) result.stoppedBy = 'pause';
    if (slots === 'suspended' || result.stoppedBy !== undefined) break;
    result.remaining = result.remaining.slice(ready.length);
    const claims = claimTimes(slots, work.number);
    ready.forEach((recipient, index) => {
      const times = { slotMs: slots[index] ?? now(), claimMs: claims[index] ?? now() };
      inFlight.push(sendOne(run, recipient, times).catch((error: unknown) => stopWith(run, error)));
    });
  }
}

async function readWaitingMessages({ work: { batch }, messages }: Run): Promise<void> {
  const unread = [...messages].flatMap(([contactId, message]) => (message ? [] : [contactId]));
  if (unread.length === 0) return;
  const found = await getRecipientMessages(batch.companyId, referenceOf(batch), unread, batch.secondMs ?? 0);
  for (const [contactId, message] of found) messages.set(contactId, message);
}

interface ReadyRecipient {
  contactId: number;
  phone: string;
  content: MessageContent;
  message: StoredMessage | undefined;
}

/**
 * The next recipients with their content, up to the first that must be left out. Those at the front that must be left out are skipped.
 */
async function nextRecipients(run: Run, contactIds: readonly number[]): Promise<ReadyRecipient[]> {
  const { work, result } = run;
  if (now() - run.contactsReadAt > maxContactAgeMs) {
    run.contacts = await getLiveContacts(work.command.companyId, result.remaining, { consistent: true });
    run.contactsReadAt = now();
  }
  const ready: ReadyRecipient[] = [];
  for (const contactId of contactIds) {
    const contact = run.contacts.get(contactId);
    const excluded = exclusionReasonOf(contact, work.template.category, now());
    const content = excluded || !contact ? undefined : contentFor(work, contact);
    if (contact && content && typeof content !== 'string') {
      ready.push({ contactId, phone: contact.phone, content, message: run.messages.get(contactId) });
      continue;
    }
    if (ready.length > 0) break;
    await skip(run, contactId, excluded ?? (typeof content === 'string' ? content : 'deleted'));
    result.remaining = result.remaining.filter((id) => id !== contactId);
  }
  return ready;
}

const maxContactAgeMs = 2_000;

async function skip(run: Run, contactId: number, reason: string): Promise<void> {
  const message = run.messages.get(contactId);
  if (message) await failWaitingRecipient(message, { code: reason, title: skipTitles[reason] ?? 'Left out at the moment of sending' });
  else run.result.skipped.push([contactId, reason]);
}

const skipTitles: Readonly<Record<string, string>> = {
  opted_out: 'The recipient opted out before the message was sent',
  unsubscribed: 'The recipient was unsubscribed before the message was sent',
  marketing_blocked: 'The recipient blocked marketing before the message was sent',
  deleted: 'The contact was deleted before the message was sent',
};

/** The content for a recipient, or the reason why there is none. */
function contentFor(
  { template, parameters, campaign, batch }: BatchWork,
  contact: Contact,
): MessageContent | 'missing_parameter' | 'invalid_parameter' {
  const built = buildComponents(parameters, { ...parametersOf(campaign), data: batch.data }, contactFieldReader(contact));
  if ('missing' in built) return 'missing_parameter';
  const composition = composeRecipientContent(template, built.components);
  return composition.ok ? composition.message : 'invalid_parameter';
}

/** The claim comes just before the call: a worker that crashes between the two leaves few messages with an unknown result. */
const claimAheadMs = 15;

async function sendOne(run: Run, recipient: ReadyRecipient, { slotMs, claimMs }: { slotMs: number; claimMs: number }): Promise<void> {
  const { work, result } = run;
  await waitForSlot(claimMs - claimAheadMs);
  const claimed = await claim(run, recipient);
  if (!claimed) return;
  await waitForSlot(slotMs);
  const sent = await sendToRecipient(claimed, work.number, recipient.content);
  if (sent.status === messageStatuses.scheduled) result.deferred.set(recipient.contactId, sent.dueAt ?? now());
  if (sent.status === messageStatuses.processing) result.hasUnknownResult = true;
  const pauseReason = sent.status === messageStatuses.failed ? pauseReasonForError(sent.error?.code) : undefined;
  if (pauseReason && result.stoppedBy === undefined) {
    result.stoppedBy = 'failure';
    await pauseCampaign(work.command.companyId, work.command.campaignId, pauseReason);
  }
}

/** The claimed message; undefined when another worker claimed the recipient, either one that died or a duplicate delivery. */
async function claim(
  { work, result }: Run,
  { contactId, phone, content, message: waiting }: ReadyRecipient,
): Promise<StoredMessage | undefined> {
  const { command, batch, number } = work;
  if (waiting) {
    const claimed = await claimWaitingRecipient(waiting, number, content);
    // a retry request adds the recipient to the batch before it resets the failed message
    if (!claimed && waiting.status === messageStatuses.failed) result.awaitingRetry.push(contactId);
    return claimed;
  }
  const campaign = { ...referenceOf(batch), ...(isSingleRecipientBatch(batch.batch) ? { isSingleRecipient: true as const } : {}) };
  const { isNew, message } = await claimRecipient(
    { companyId: command.companyId, contactId, phone, numberId: number.id, campaign, secondMs: batch.secondMs ?? 0 },
    content,
  );
  if (isNew) return message;
  if (message.status === messageStatuses.scheduled) return claimWaitingRecipient(message, number, content);
  await scheduleClaimChecks([message]);
  return undefined;
}

/** Consistent: an earlier state would let messages leave after a pause, or end the chain after a resume, which nothing else continues. */
async function isStillActive({ command }: BatchWork): Promise<boolean> {
  const campaign = await getCampaign(command.companyId, command.campaignId);
  return campaign !== undefined && mayContinue(campaign, command);
}

const referenceOf = ({ campaignId, batch }: StoredRecipientBatch): { id: number; batch: number } => ({ id: campaignId, batch });
