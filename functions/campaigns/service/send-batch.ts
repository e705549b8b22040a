import { isProblem } from '../../../shared/contract/problems.ts';
import { send } from '../../../shared/queue/send.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { metric } from '../../../shared/runtime/log.ts';
import { getActiveNumber, type BusinessNumber } from '../../account/service/numbers.ts';
import type { Contact } from '../../contacts/contract/stored.ts';
import { getLiveContacts } from '../../contacts/service/audience.ts';
import {
  sendToRecipient,
  claimRecipient,
  claimWaitingRecipient,
  composeRecipientContent,
  failWaitingRecipient,
  getRecipientMessages,
  scheduleClaimChecks,
} from '../../messaging/service/campaign-recipients.ts';
import { campaignSlotsAtOnce, reserveCampaignSlots, waitForSlot } from '../../messaging/service/send-slots.ts';
import type { MessageContent } from '../../messaging/contract/content.ts';
import { type TemplateParameters, templateParameters } from '../../templates/contract/parameters.ts';
import { messageStatuses, type StoredMessage } from '../../messaging/contract/stored.ts';
import type { StoredTemplate } from '../../templates/contract/stored.ts';
import { getTemplate } from '../../templates/service/templates.ts';
import { campaignBatchesQueue, campaignChecksQueue } from '../contract/queue.ts';
import type { StoredRecipientBatch, StoredCampaign } from '../contract/stored.ts';
import { firstSingleRecipientBatch } from '../domain/recipient-batch.ts';
import { buildComponents } from '../domain/parameters.ts';
import { listRecipientBatches, updateRecipientBatch, getRecipientBatch } from '../store/recipient-batch.ts';
import { getCampaign, glanceAtCampaign } from '../store/campaign.ts';
import { parametersOf } from './campaign-input.ts';
import { exclusionReasonOf, contactFieldReader } from './eligibility.ts';
import { pauseCampaign, pauseReasonForError } from './pause-campaign.ts';

/** A block to be worked; `stride` leads to the next one of its chain. */
export interface SendBatchCommand {
  companyId: number;
  campaignId: number;
  epoch: number;
  block: number;
  stride: number;
}

/** A worker begins nothing new after this; what it has begun ends well within the queue's 60 s. */
const maxRunMs = 30_000;
/** Longer than a worker can live on one delivery. */
const leaseMs = 65_000;

/**
 * Works one block: takes it, reads its people as they are now, and for each: waits for a slot, claims, calls, settles; many calls are in
 * flight at once. A pause is seen before each handful of slots. The chain goes on with the next block when this one is worked.
 *
 * Redelivery finds the lease of its own delivery: then somebody died here, and each recipient's row says how far it was.
 */
export const sendBatch = async (order: SendBatchCommand, delivery: string): Promise<void> => {
  const { companyId, campaignId } = order;
  const [campaign, block] = await Promise.all([getCampaign(companyId, campaignId), getRecipientBatch(companyId, campaignId, order.block)]);
  if (!campaign) return;
  if (!block) return continueChain(campaign, order, true);
  const isExtra = order.block >= firstSingleRecipientBatch;
  const hasDied = block.lease?.by === delivery;
  if (!mayContinue(campaign, order, isExtra)) return hasDied ? releaseExpiredBatch(block) : undefined;
  if (block.done) return continueChain(campaign, order, true);
  if (block.lease && !hasDied && block.lease.until > now())
    return block.lease.epoch === order.epoch ? undefined : enqueueBatch(order, 1_000);
  const [number, template] = await Promise.all([getActiveNumber(companyId), getTemplate(companyId, campaign.templateId)]);
  if (isProblem(template) || template.status !== 'APPROVED') return pauseCampaign(companyId, campaignId, 'template_paused');
  if (!number) return pauseCampaign(companyId, campaignId, 'provider_blocked');
  const taken = await updateRecipientBatch(block, {
    lease: { by: delivery, epoch: order.epoch, until: now() + leaseMs },
    secondMs: block.secondMs ?? Math.floor(now() / 1_000) * 1_000,
  });
  if (!taken.done) throw new Error('A block was taken by two at once.');
  const state = { order, campaign, block: taken.item, number, template, needs: templateParameters(template), isExtra };
  const left = hasDied || block.lease ? await remainingByRows(taken.item) : remainingByProgress(taken.item);
  const work = new BatchSender(state, left);
  await work.run();
  await closeBatch(state, work);
};

interface State {
  order: SendBatchCommand;
  campaign: StoredCampaign;
  block: StoredRecipientBatch;
  number: BusinessNumber;
  template: StoredTemplate;
  needs: TemplateParameters;
  isExtra: boolean;
}

/** Who is still to be sent to: contacts without a row, and rows that wait. */
interface Remaining {
  fresh: number[];
  waiting: Map<number, StoredMessage | undefined>;
}

class BatchSender {
  readonly skipped: [number, string][] = [];
  /** Rows that the provider gave back, with the time at which they may be tried again. */
  readonly givenBack = new Map<number, number>();
  /** Rows that a retry is about to move. */
  readonly awaited: number[] = [];
  /** Contacts that nobody began with. */
  left: number[];
  stoppedBy: 'pause' | 'time' | 'trouble' | undefined;
  /** When a slot may be had again, if there was none in time. */
  readonly #state: State;
  readonly #rows: Map<number, StoredMessage | undefined>;
  #contacts = new Map<number, Contact>();
  #contactsAt = 0;
  unsettled = false;
  #failure: unknown;

  constructor(state: State, { fresh, waiting }: Remaining) {
    this.#state = state;
    this.#rows = new Map(waiting);
    this.left = [...waiting.keys(), ...fresh];
  }

  /** Ends when all that it began has ended, also when it fails: a call left behind would go on beside whoever takes the block next. */
  async run(): Promise<void> {
    const flights: Promise<void>[] = [];
    await this.#beginAll(flights).catch((error: unknown) => this.#failed(error));
    await Promise.all(flights);
    // the block comes again, with the lease that tells that somebody died over it
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #beginAll(flights: Promise<void>[]): Promise<void> {
    const { order, number, block } = this.#state;
    const untilMs = now() + maxRunMs;
    const waiting = [...this.#rows].flatMap(([contactId, row]) => (row ? [] : [contactId]));
    if (waiting.length > 0)
      for (const [contactId, row] of await getRecipientMessages(order.companyId, batchReference(block), waiting, block.secondMs ?? 0))
        this.#rows.set(contactId, row);
    while (this.left.length > 0 && this.stoppedBy === undefined) {
      const ready = await this.#ready(this.left.slice(0, campaignSlotsAtOnce(number)));
      if (ready.length === 0) continue;
      const slots = await reserveCampaignSlots(number, ready.length, untilMs);
      if (slots.length === 0) this.stoppedBy = 'time';
      else if (!(await this.#mayGoOn())) this.stoppedBy = 'pause';
      if (this.stoppedBy !== undefined) break;
      this.left = this.left.slice(ready.length);
      ready.forEach((recipient, index) => flights.push(this.#begin(recipient, slots[index] ?? now())));
    }
  }

  async #begin(recipient: Ready, slotMs: number): Promise<void> {
    await this.#send(recipient, slotMs).catch((error: unknown) => this.#failed(error));
  }

  #failed(error: unknown): void {
    this.#failure ??= error;
    this.stoppedBy = 'trouble';
  }

  /** The next people, as they are now: who may not be sent to any more is left out, from the front of those left. */
  async #ready(contactIds: readonly number[]): Promise<Ready[]> {
    const { campaign, block, template, needs, order } = this.#state;
    if (now() - this.#contactsAt > 2_000) {
      this.#contacts = await getLiveContacts(order.companyId, this.left);
      this.#contactsAt = now();
    }
    const ready: Ready[] = [];
    for (const contactId of contactIds) {
      const contact = this.#contacts.get(contactId);
      const excluded = exclusionReasonOf(contact, template.category, now());
      const composed = excluded || !contact ? undefined : composeMessage(template, needs, campaign, block, contact);
      if (contact && composed && typeof composed !== 'string') {
        ready.push({ contactId, phone: contact.phone, composed, row: this.#rows.get(contactId) });
        continue;
      }
      if (ready.length > 0) break;
      await this.#skip(contactId, excluded ?? (typeof composed === 'string' ? composed : 'deleted'));
      this.left = this.left.filter((id) => id !== contactId);
    }
    return ready;
  }

  async #skip(contactId: number, reason: string): Promise<void> {
    const row = this.#rows.get(contactId);
    if (row) await failWaitingRecipient(row, { code: reason, title: titles[reason] ?? 'Left out when it was to be sent' });
    else this.skipped.push([contactId, reason]);
  }

  async #mayGoOn(): Promise<boolean> {
    const { order, isExtra } = this.#state;
    const campaign = await glanceAtCampaign(order.companyId, order.campaignId);
    return campaign !== undefined && mayContinue(campaign, order, isExtra);
  }

  /** Who is found claimed already was so by a worker that died, or that is a copy of this one. */
  async #claim({ contactId, phone, composed, row }: Ready): Promise<StoredMessage | undefined> {
    const { order, block, number, isExtra } = this.#state;
    if (row) {
      const claimed = await claimWaitingRecipient(row, number, composed);
      // a retry tells the block before it moves the row: then the row is awaited
      if (!claimed && row.status === messageStatuses.failed) this.awaited.push(contactId);
      return claimed;
    }
    const campaign = { ...batchReference(block), ...(isExtra ? { isSingleRecipient: true as const } : {}) };
    const place = { companyId: order.companyId, contactId, phone, numberId: number.id, campaign, secondMs: block.secondMs ?? 0 };
    const { isNew, message } = await claimRecipient(place, composed);
    if (isNew) return message;
    if (message.status === messageStatuses.scheduled) return claimWaitingRecipient(message, number, composed);
    await scheduleClaimChecks([message]);
    return undefined;
  }

  async #send({ contactId, phone, composed, row }: Ready, slotMs: number): Promise<void> {
    const { order, number } = this.#state;
    // the claim comes just before the call: who dies in between leaves one message of unknown fate, not a handful
    await waitForSlot(slotMs - claimAheadMs);
    const claimed = await this.#claim({ contactId, phone, composed, row });
    if (!claimed) return;
    await waitForSlot(slotMs);
    const settled = await sendToRecipient(claimed, number, composed);
    if (settled.status === messageStatuses.scheduled) this.givenBack.set(contactId, settled.dueAt ?? now());
    if (settled.status === messageStatuses.processing) this.unsettled = true;
    const trouble = settled.status === messageStatuses.failed ? pauseReasonForError(settled.error?.code) : undefined;
    if (trouble && this.stoppedBy === undefined) {
      this.stoppedBy = 'trouble';
      await pauseCampaign(order.companyId, order.campaignId, trouble);
    }
  }
}

const claimAheadMs = 15;

interface Ready {
  contactId: number;
  phone: string;
  composed: MessageContent;
  row: StoredMessage | undefined;
}

const titles: Readonly<Record<string, string>> = {
  opted_out: 'The person said stop before the message was sent',
  unsubscribed: 'The person was unsubscribed before the message was sent',
  marketing_blocked: 'The person stopped marketing before the message was sent',
  deleted: 'The contact was deleted before the message was sent',
};

const batchReference = ({ campaignId, block }: StoredRecipientBatch): { id: number; batch: number } => ({ id: campaignId, batch: block });

/** Recipients of their own call are sent to also while the campaign rests or is over; a pause holds everybody. */
const mayContinue = (campaign: StoredCampaign, order: SendBatchCommand, isExtra: boolean): boolean =>
  isExtra ? !['paused', 'deleted'].includes(campaign.status) : campaign.status === 'sending' && campaign.runNumber === order.epoch;

function composeMessage(
  template: StoredTemplate,
  needs: TemplateParameters,
  campaign: StoredCampaign,
  block: StoredRecipientBatch,
  contact: Contact,
) {
  const filled = buildComponents(needs, { ...parametersOf(campaign), data: block.data }, contactFieldReader(contact));
  if ('missing' in filled) return 'missing_parameter';
  const composition = composeRecipientContent(template, filled.components);
  return composition.ok ? composition.message : 'invalid_parameter';
}

const remainingByProgress = ({ contactIds: contacts, worked, waiting }: StoredRecipientBatch): Remaining => ({
  fresh: contacts.slice(worked),
  waiting: new Map(waiting.map((contactId) => [contactId, undefined])),
});

/** After a death: the rows tell who was claimed. What nobody settled is looked at two minutes after its claim. */
async function remainingByRows(block: StoredRecipientBatch): Promise<Remaining> {
  const { companyId, contactIds: contacts, worked, waiting, secondMs = 0, skipped } = block;
  const out = new Set(skipped.map(([contactId]) => contactId));
  const open = [...new Set([...waiting, ...contacts.slice(worked)])].filter((contactId) => !out.has(contactId));
  const rows = await getRecipientMessages(companyId, batchReference(block), open, secondMs);
  await scheduleClaimChecks([...rows.values()]);
  return {
    fresh: open.filter((contactId) => !rows.has(contactId)),
    waiting: new Map([...rows].filter(([, { status }]) => status === messageStatuses.scheduled)),
  };
}

/**
 * Nobody goes on with the block, but somebody died over it. Its lease ends and stays: it tells whoever takes the block after a pause that
 * people beyond `worked` may have their rows already.
 */
async function releaseExpiredBatch(block: StoredRecipientBatch): Promise<void> {
  await remainingByRows(block);
  if (block.lease) await updateRecipientBatch(block, { lease: { ...block.lease, until: 0 } });
}

/** Writes how far the block is, then lets its chain go on, or itself come back. */
async function closeBatch({ order, campaign, block }: State, work: BatchSender): Promise<void> {
  const left = new Set(work.left);
  const isWhole = work.left.length === 0;
  const worked = isWhole ? block.contactIds.length : firstRemainingIndex(block, left);
  const waiting = [
    ...work.givenBack.keys(),
    ...work.awaited,
    ...work.left.filter((id) => block.contactIds.indexOf(id) < block.worked || block.waiting.includes(id)),
  ];
  for (let seen = block; ; ) {
    // a retry may have added to those who wait
    const all = [...new Set([...waiting, ...seen.waiting.filter((id) => !block.waiting.includes(id))])];
    const written = await updateRecipientBatch(seen, {
      lease: undefined,
      worked,
      waiting: all,
      done: isWhole && all.length === 0,
      skipped: [...block.skipped, ...work.skipped],
      ...(work.unsettled ? { hasUnknownResult: true } : {}),
    });
    if (written.done) break;
    if (written.current?.lease?.by !== block.lease?.by || !written.current) throw new Error('A block was taken from under its lease.');
    seen = written.current;
  }
  metric('CampaignRecipients', 'Count', block.contactIds.length - work.left.length);
  if (work.stoppedBy === 'pause' || work.stoppedBy === 'trouble') return;
  if (!isWhole) return enqueueBatch(order, 500);
  if (work.givenBack.size > 0) await enqueueBatch({ ...order, stride: 0 }, Math.min(...work.givenBack.values()) - now());
  await continueChain(campaign, order, false);
}

/** People are taken in order, so that what is left is a tail; but for those that came back. */
const firstRemainingIndex = ({ contactIds: contacts, worked }: StoredRecipientBatch, left: ReadonlySet<number>): number => {
  const index = contacts.findIndex((id, place) => place >= worked && left.has(id));
  return index < 0 ? contacts.length : index;
};

/** The next block of the chain; at its end, whether the campaign is complete. `skip`: blocks that are done are passed over. */
async function continueChain(campaign: StoredCampaign, order: SendBatchCommand, skip: boolean): Promise<void> {
  if (order.stride === 0) return;
  let next: number | undefined = order.block + order.stride;
  if (skip) next = await nextOpenBatch(campaign, order);
  if (next !== undefined && next < campaign.blocks) return enqueueBatch({ ...order, block: next }, 0);
  const message = { about: 'completion', company_id: order.companyId, campaign_id: order.campaignId } as const;
  await send(campaignChecksQueue, [{ companyId: order.companyId, message }]);
}

async function nextOpenBatch(campaign: StoredCampaign, order: SendBatchCommand): Promise<number | undefined> {
  for (let from = order.block + order.stride; from < campaign.blocks; from += lookAhead) {
    const blocks = await listRecipientBatches(order.companyId, order.campaignId, {
      from,
      to: Math.min(from + lookAhead, campaign.blocks) - 1,
      limit: lookAhead,
    });
    const open = blocks.find(({ block, done }) => !done && (block - order.block) % order.stride === 0);
    if (open) return open.block;
  }
  return undefined;
}

const lookAhead = 200;

async function enqueueBatch({ companyId, campaignId, epoch, block, stride }: SendBatchCommand, delayMs: number): Promise<void> {
  const message = { company_id: companyId, campaign_id: campaignId, epoch, block, stride };
  await send(campaignBatchesQueue, [{ companyId, message, delaySeconds: Math.max(0, Math.min(900, delayMs / 1_000)) }]);
}
