import { isProblem } from '../../../shared/contract/problems.ts';
import { send } from '../../../shared/queue/send.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { metric } from '../../../shared/runtime/log.ts';
import { activeNumber, type BusinessNumber } from '../../account/service/numbers.ts';
import { type Contact, contactsNow } from '../../contacts/service/audience.ts';
import {
  callRecipient,
  campaignBlock,
  claimRecipient,
  claimWaiting,
  type Composed,
  composeFor,
  giveUpWaiting,
  recipientRows,
  takeCampaignSlots,
  type TemplateNeeds,
  templateNeeds,
  untilSlot,
  watchClaims,
} from '../../messaging/service/campaign-sends.ts';
import { messageStatuses, type StoredMessage } from '../../messaging/contract/stored.ts';
import type { StoredTemplate } from '../../messaging/contract/template-stored.ts';
import { readTemplate } from '../../messaging/service/templates.ts';
import { blocksQueue, campaignChecksQueue } from '../contract/queue.ts';
import type { StoredBlock, StoredCampaign } from '../contract/stored.ts';
import { firstExtra } from '../domain/blocks.ts';
import { componentsFor } from '../domain/parameters.ts';
import { blocksFrom, changeBlock, getBlock } from '../store/block.ts';
import { getCampaign, glanceAtCampaign } from '../store/campaign.ts';
import { givenBy } from './asked.ts';
import { exclusionOf, fieldsOf } from './judging.ts';
import { pauseFor, troubleOf } from './pausing.ts';

/** A block to be worked; `stride` leads to the next one of its chain. */
export interface Order {
  companyId: number;
  campaignId: number;
  epoch: number;
  block: number;
  stride: number;
}

/** A worker begins nothing new after this; what it has begun ends well within the queue's 60 s. */
const stretchMs = 30_000;
/** Longer than a worker can live on one delivery. */
const leaseMs = 65_000;

/**
 * Works one block: takes it, reads its people as they are now, and for each: waits for a slot, claims, calls, settles; many calls are in
 * flight at once. A pause is seen before each handful of slots. The chain goes on with the next block when this one is worked.
 *
 * Redelivery finds the lease of its own delivery: then somebody died here, and each recipient's row says how far it was.
 */
export const workBlock = async (order: Order, delivery: string): Promise<void> => {
  const { companyId, campaignId } = order;
  const [campaign, block] = await Promise.all([getCampaign(companyId, campaignId), getBlock(companyId, campaignId, order.block)]);
  if (!campaign) return;
  if (!block) return follow(campaign, order, true);
  const isExtra = order.block >= firstExtra;
  const hasDied = block.lease?.by === delivery;
  if (!goesOn(campaign, order, isExtra)) return hasDied ? abandon(block) : undefined;
  if (block.done) return follow(campaign, order, true);
  if (block.lease && !hasDied && block.lease.until > now()) return block.lease.epoch === order.epoch ? undefined : again(order, 1_000);
  const [number, template] = await Promise.all([activeNumber(companyId), readTemplate(companyId, campaign.templateId)]);
  if (isProblem(template) || template.status !== 'APPROVED') return pauseFor(companyId, campaignId, 'template_paused');
  if (!number) return pauseFor(companyId, campaignId, 'provider_blocked');
  const taken = await changeBlock(block, {
    lease: { by: delivery, epoch: order.epoch, until: now() + leaseMs },
    secondMs: block.secondMs ?? Math.floor(now() / 1_000) * 1_000,
  });
  if (!taken.done) throw new Error('A block was taken by two at once.');
  const state = { order, campaign, block: taken.item, number, template, needs: templateNeeds(template), isExtra };
  const left = hasDied || block.lease ? await leftOver(taken.item) : notYetWorked(taken.item);
  const work = new BlockWork(state, left);
  await work.run();
  await close(state, work);
};

interface State {
  order: Order;
  campaign: StoredCampaign;
  block: StoredBlock;
  number: BusinessNumber;
  template: StoredTemplate;
  needs: TemplateNeeds;
  isExtra: boolean;
}

/** Who is still to be sent to: contacts without a row, and rows that wait. */
interface Left {
  fresh: number[];
  waiting: Map<number, StoredMessage | undefined>;
}

class BlockWork {
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

  constructor(state: State, { fresh, waiting }: Left) {
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
    const untilMs = now() + stretchMs;
    const waiting = [...this.#rows].flatMap(([contactId, row]) => (row ? [] : [contactId]));
    if (waiting.length > 0)
      for (const [contactId, row] of await recipientRows(order.companyId, blockName(block), waiting, block.secondMs ?? 0))
        this.#rows.set(contactId, row);
    while (this.left.length > 0 && this.stoppedBy === undefined) {
      const ready = await this.#ready(this.left.slice(0, campaignBlock(number.ratePerSecond)));
      if (ready.length === 0) continue;
      const slots = await takeCampaignSlots(number, ready.length, untilMs);
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
      this.#contacts = await contactsNow(order.companyId, this.left);
      this.#contactsAt = now();
    }
    const ready: Ready[] = [];
    for (const contactId of contactIds) {
      const contact = this.#contacts.get(contactId);
      const excluded = exclusionOf(contact, template.category, now());
      const composed = excluded || !contact ? undefined : compose(template, needs, campaign, block, contact);
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
    if (row) await giveUpWaiting(row, { code: reason, title: titles[reason] ?? 'Left out when it was to be sent' });
    else this.skipped.push([contactId, reason]);
  }

  async #mayGoOn(): Promise<boolean> {
    const { order, isExtra } = this.#state;
    const campaign = await glanceAtCampaign(order.companyId, order.campaignId);
    return campaign !== undefined && goesOn(campaign, order, isExtra);
  }

  /** Who is found claimed already was so by a worker that died, or that is a copy of this one. */
  async #claim({ contactId, phone, composed, row }: Ready): Promise<StoredMessage | undefined> {
    const { order, block, number, isExtra } = this.#state;
    if (row) {
      const claimed = await claimWaiting(row, number, composed);
      // a retry tells the block before it moves the row: then the row is awaited
      if (!claimed && row.status === messageStatuses.failed) this.awaited.push(contactId);
      return claimed;
    }
    const campaign = { ...blockName(block), ...(isExtra ? { extra: true as const } : {}) };
    const place = { companyId: order.companyId, contactId, phone, numberId: number.id, campaign, secondMs: block.secondMs ?? 0 };
    const { fresh, message } = await claimRecipient(place, composed);
    if (fresh) return message;
    if (message.status === messageStatuses.scheduled) return claimWaiting(message, number, composed);
    await watchClaims([message]);
    return undefined;
  }

  async #send({ contactId, phone, composed, row }: Ready, slotMs: number): Promise<void> {
    const { order, number } = this.#state;
    // the claim comes just before the call: who dies in between leaves one message of unknown fate, not a handful
    await untilSlot(slotMs - claimAheadMs);
    const claimed = await this.#claim({ contactId, phone, composed, row });
    if (!claimed) return;
    await untilSlot(slotMs);
    const settled = await callRecipient(claimed, number, composed);
    if (settled.status === messageStatuses.scheduled) this.givenBack.set(contactId, settled.dueAt ?? now());
    if (settled.status === messageStatuses.processing) this.unsettled = true;
    const trouble = settled.status === messageStatuses.failed ? troubleOf(settled.error?.code) : undefined;
    if (trouble && this.stoppedBy === undefined) {
      this.stoppedBy = 'trouble';
      await pauseFor(order.companyId, order.campaignId, trouble);
    }
  }
}

const claimAheadMs = 15;

interface Ready {
  contactId: number;
  phone: string;
  composed: Composed;
  row: StoredMessage | undefined;
}

const titles: Readonly<Record<string, string>> = {
  opted_out: 'The person said stop before the message was sent',
  unsubscribed: 'The person was unsubscribed before the message was sent',
  marketing_blocked: 'The person stopped marketing before the message was sent',
  deleted: 'The contact was deleted before the message was sent',
};

const blockName = ({ campaignId, block }: StoredBlock): { id: number; block: number } => ({ id: campaignId, block });

/** Recipients of their own call are sent to also while the campaign rests or is over; a pause holds everybody. */
const goesOn = (campaign: StoredCampaign, order: Order, isExtra: boolean): boolean =>
  isExtra ? !['paused', 'deleted'].includes(campaign.status) : campaign.status === 'sending' && campaign.epoch === order.epoch;

function compose(template: StoredTemplate, needs: TemplateNeeds, campaign: StoredCampaign, block: StoredBlock, contact: Contact) {
  const filled = componentsFor(needs, { ...givenBy(campaign), data: block.data }, fieldsOf(contact));
  if ('missing' in filled) return 'missing_parameter';
  const composition = composeFor(template, filled.components);
  return composition.ok ? composition.message : 'invalid_parameter';
}

const notYetWorked = ({ contacts, worked, waiting }: StoredBlock): Left => ({
  fresh: contacts.slice(worked),
  waiting: new Map(waiting.map((contactId) => [contactId, undefined])),
});

/** After a death: the rows tell who was claimed. What nobody settled is looked at two minutes after its claim. */
async function leftOver(block: StoredBlock): Promise<Left> {
  const { companyId, contacts, worked, waiting, secondMs = 0, skipped } = block;
  const out = new Set(skipped.map(([contactId]) => contactId));
  const open = [...new Set([...waiting, ...contacts.slice(worked)])].filter((contactId) => !out.has(contactId));
  const rows = await recipientRows(companyId, blockName(block), open, secondMs);
  await watchClaims([...rows.values()]);
  return {
    fresh: open.filter((contactId) => !rows.has(contactId)),
    waiting: new Map([...rows].filter(([, { status }]) => status === messageStatuses.scheduled)),
  };
}

/**
 * Nobody goes on with the block, but somebody died over it. Its lease ends and stays: it tells whoever takes the block after a pause that
 * people beyond `worked` may have their rows already.
 */
async function abandon(block: StoredBlock): Promise<void> {
  await leftOver(block);
  if (block.lease) await changeBlock(block, { lease: { ...block.lease, until: 0 } });
}

/** Writes how far the block is, then lets its chain go on, or itself come back. */
async function close({ order, campaign, block }: State, work: BlockWork): Promise<void> {
  const left = new Set(work.left);
  const isWhole = work.left.length === 0;
  const worked = isWhole ? block.contacts.length : firstLeft(block, left);
  const waiting = [
    ...work.givenBack.keys(),
    ...work.awaited,
    ...work.left.filter((id) => block.contacts.indexOf(id) < block.worked || block.waiting.includes(id)),
  ];
  for (let seen = block; ; ) {
    // a retry may have added to those who wait
    const all = [...new Set([...waiting, ...seen.waiting.filter((id) => !block.waiting.includes(id))])];
    const written = await changeBlock(seen, {
      lease: undefined,
      worked,
      waiting: all,
      done: isWhole && all.length === 0,
      skipped: [...block.skipped, ...work.skipped],
      ...(work.unsettled ? { unsettled: true } : {}),
    });
    if (written.done) break;
    if (written.current?.lease?.by !== block.lease?.by || !written.current) throw new Error('A block was taken from under its lease.');
    seen = written.current;
  }
  metric('CampaignRecipients', 'Count', block.contacts.length - work.left.length);
  if (work.stoppedBy === 'pause' || work.stoppedBy === 'trouble') return;
  if (!isWhole) return again(order, 500);
  if (work.givenBack.size > 0) await again({ ...order, stride: 0 }, Math.min(...work.givenBack.values()) - now());
  await follow(campaign, order, false);
}

/** People are taken in order, so that what is left is a tail; but for those that came back. */
const firstLeft = ({ contacts, worked }: StoredBlock, left: ReadonlySet<number>): number => {
  const index = contacts.findIndex((id, place) => place >= worked && left.has(id));
  return index < 0 ? contacts.length : index;
};

/** The next block of the chain; at its end, whether the campaign is complete. `skip`: blocks that are done are passed over. */
async function follow(campaign: StoredCampaign, order: Order, skip: boolean): Promise<void> {
  if (order.stride === 0) return;
  let next: number | undefined = order.block + order.stride;
  if (skip) next = await nextOpen(campaign, order);
  if (next !== undefined && next < campaign.blocks) return again({ ...order, block: next }, 0);
  const message = { about: 'completion', company_id: order.companyId, campaign_id: order.campaignId } as const;
  await send(campaignChecksQueue, [{ companyId: order.companyId, message }]);
}

async function nextOpen(campaign: StoredCampaign, order: Order): Promise<number | undefined> {
  for (let from = order.block + order.stride; from < campaign.blocks; from += lookAhead) {
    const blocks = await blocksFrom(order.companyId, order.campaignId, {
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

async function again({ companyId, campaignId, epoch, block, stride }: Order, delayMs: number): Promise<void> {
  const message = { company_id: companyId, campaign_id: campaignId, epoch, block, stride };
  await send(blocksQueue, [{ companyId, message, delaySeconds: Math.max(0, Math.min(900, delayMs / 1_000)) }]);
}
