import * as z from 'zod';
import { queue } from '../../../shared/contract/queue.ts';
import { dueWork } from '../../../shared/events/due.ts';
import { messageEntityName } from './stored.ts';
import { providerStatus, providerUpdate } from './provider-update.ts';

/** The queue is the first place where a webhook's updates are stored, so each carries its whole payload. */
export const providerUpdatesQueue = queue({
  name: 'provider-updates',
  purpose: 'Updates of provider webhooks other than statuses, one a message',
  message: providerUpdate,
  workSeconds: 30,
  maxReceives: 8,
  lateAfterSeconds: 300,
});

/** Statuses are three for each message sent. On a queue of their own they never delay what a contact writes. */
export const providerStatusesQueue = queue({
  name: 'provider-statuses',
  purpose: 'Statuses of provider webhooks, one a message',
  message: providerStatus,
  workSeconds: 30,
  maxReceives: 8,
  lateAfterSeconds: 300,
});

/** How long a `sent` status of a campaign's message waits in the queue before it is applied. */
export const sentStatusDelaySeconds = 10;

const messageReference = z.object({ company_id: z.int(), contact_id: z.int(), message_id: z.int() });

export const sendsQueue = queue({
  name: 'sends',
  purpose: 'Messages that wait for their time or for the provider, by reference',
  /** `turn_at_ms`: it found no slot, and has this turn in the line of its number. */
  message: messageReference.extend({ due_at_ms: z.int(), turn_at_ms: z.int().optional() }),
  workSeconds: 30,
  maxReceives: 8,
  lateAfterSeconds: 300,
});

/** Two minutes after a claim, a send without evidence counts as failed. */
export const unconfirmedSendsQueue = queue({
  name: 'unconfirmed-sends',
  purpose: 'Claimed sends to be checked two minutes later, by reference',
  message: messageReference.extend({ attempt: z.int() }),
  workSeconds: 30,
  maxReceives: 8,
});

export const ambiguousAfterSeconds = 120;

export const dueMessage = dueWork({
  name: messageEntityName,
  purpose: 'Scheduled messages that are due',
  queue: sendsQueue,
  companyOf: (reference) => parseIds(reference)[0],
  message: (reference, dueAtMs) => {
    const [company_id, contact_id, message_id] = parseIds(reference);
    return { company_id, contact_id, message_id, due_at_ms: dueAtMs };
  },
});

export const parkedStatusesQueue = queue({
  name: 'parked-statuses',
  purpose: 'Statuses that came before their message, by reference',
  message: z.object({ company_id: z.int(), wamid: z.string(), status: z.string() }),
  workSeconds: 30,
  maxReceives: 8,
});

export const parkedStatusEntityName = 'parked-status';

export const dueParkedStatus = dueWork({
  name: parkedStatusEntityName,
  purpose: 'Parked statuses whose next try is due',
  queue: parkedStatusesQueue,
  companyOf: (reference) => parseIds(reference)[0],
  message: (reference) => {
    const [company = '', status = '', ...wamid] = reference.split(':');
    return { company_id: Number(company), status, wamid: wamid.join(':') };
  },
});

function parseIds(reference: string): [number, number, number] {
  const [a = 0, b = 0, c = 0] = reference.split(':').map(Number);
  return [a, b, c];
}
