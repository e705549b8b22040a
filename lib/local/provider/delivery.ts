/**
 * Posts what is due to the webhook that it belongs to: the app's, or the one that a number or an account has in its place for some fields. In order
 * of due time, up to `updates_per_post` in a POST, whichever of the app's accounts they are about, a few POSTs to one webhook at once, repeated until
 * the receiver answers 200. Timed by the clock and not by timers, because the local runner moves the clock: a short timer only looks whether
 * something has become due.
 */
import { DueQueue } from './due-queue.ts';
import type { Faults } from './faults.ts';
import { type AcceptedMessage, type Ledger, type StatusName, type StoredUpdate, statusBits } from './ledger.ts';
import { createPoster } from './poster.ts';
import { followsOverrides } from './fields.ts';
import { appIdOf, type BusinessNumber, type Registry } from './registry.ts';
import type { Users } from './users.ts';
import { buildBody, buildStatus, encodeBody, type PostPart, sign, statusContact } from './webhooks.ts';

type Update =
  | { kind: 'status'; message: AcceptedMessage; status: StatusName; at: number }
  | { kind: 'change'; id: number; phoneNumberId: string; update: StoredUpdate; at: number };

interface Batch {
  updates: Update[];
  attempt: number;
  /** Where its first try went. */
  url?: string;
  /** A repetition on purpose: no caller waits for it, and it is not repeated when it fails. */
  copy: boolean;
  dueAt: number;
}

type Timed = { kind: 'new'; update: Update; late: boolean } | { kind: 'batch'; webhook: string; batch: Batch };

interface WebhookQueue {
  ready: Update[];
  repeats: Batch[];
  inFlight: number;
}

export interface DeliveryRecord {
  phone_number_id: string;
  url: string;
  at: string;
  http_status: number;
  attempt: number;
  duplicate: boolean;
  updates: number;
  body: unknown;
}

/** Of all posts since the start; one that is repeated counts each time. */
export interface DeliveryTotals {
  posts: number;
  /** Answered with anything but 200, or not at all. */
  refused: number;
  last_at: string | null;
}

/** Milliseconds after acceptance. */
const statusDelayMs: Record<StatusName, number> = { sent: 30, failed: 60, delivered: 90, read: 210 };
const statusOrder: StatusName[] = ['sent', 'delivered', 'read', 'failed'];
const retryDelaysMs = [1_000, 2_000, 5_000, 30_000, 60_000, 300_000, 900_000, 3_600_000];
const giveUpAfterMs = 7 * 86_400_000;
const postsInFlight = 8;
const lookEveryMs = 20;
/** Statuses follow an acceptance within this time: who waits for quiet means them too. */
const soonMs = 2_000;
const retrySoonMs = 15_000;
const maxRecords = 500;

export function createDelivery(parts: { ledger: Ledger; registry: Registry; users: Users; faults: Faults; log: (line: string) => void }) {
  const { ledger, registry, users, faults, log } = parts;
  const poster = createPoster();
  const timed = new DueQueue<Timed>();
  /** By app, and by the URL that is not the app's. */
  const queues = new Map<string, WebhookQueue>();
  const retries = new Set<Batch>();
  const records: DeliveryRecord[] = [];
  const totals: DeliveryTotals = { posts: 0, refused: 0, last_at: null };
  let held: Update[] = [];
  let flying = 0;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let poked = false;

  for (const message of ledger.unfinished()) queueNextStatus(message, undefined);
  for (const { id, phoneNumberId, dueAt, update } of ledger.updates()) {
    timed.add(dueAt, { kind: 'new', late: false, update: { kind: 'change', id, phoneNumberId, update, at: dueAt } });
  }
  look();

  /** Moves what is due to the queue of its webhook and starts what may start. */
  function pump(): void {
    if (stopped) return;
    const now = Date.now();
    for (let next = timed.take(now); next; next = timed.take(now)) {
      const { item } = next;
      if (item.kind === 'batch') {
        retries.delete(item.batch);
        queueFor(item.webhook).repeats.push(item.batch);
      } else admit(item.update, item.late, now);
    }
    for (const [id, each] of queues) drain(id, each);
  }

  function admit(update: Update, late: boolean, now: number): void {
    if (update.kind === 'status' && !late) queueNextStatus(update.message, update.status);
    if (update.kind === 'status' && faults.holds()) {
      held.push(update);
      return;
    }
    if (!late && faults.shuffles()) {
      timed.add(now + 20 + Math.floor(faults.random() * 1_000), { kind: 'new', update, late: true });
      return;
    }
    if (update.kind === 'change') applyReview(update.update);
    const number = registry.number(numberIdOf(update));
    if (number && isPosted(number, update)) queueFor(webhookOf(number, update)).ready.push(update);
    else finishUpdate(update);
  }

  /** The outcome of a review, or another category, becomes visible in the interface at the moment its webhook goes out. */
  function applyReview({ template }: StoredUpdate): void {
    const stored = template && registry.template(template.id);
    if (!stored) return;
    const { status = stored.status, reason = stored.rejected_reason, category } = template;
    const moved = category === undefined ? {} : { category, previous_category: stored.category, correct_category: undefined };
    registry.saveTemplate({ ...stored, ...moved, status, rejected_reason: reason });
  }

  function queueNextStatus(message: AcceptedMessage, after: StatusName | undefined): void {
    const from = after === undefined ? 0 : statusOrder.indexOf(after) + 1;
    const open = message.planned & ~message.posted;
    const status = statusOrder.slice(from).find((each) => open & statusBits[each]);
    if (!status) return;
    const dueAt = message.at + statusDelayMs[status];
    timed.add(dueAt, { kind: 'new', late: false, update: { kind: 'status', message, status, at: dueAt } });
  }

  function drain(webhook: string, each: WebhookQueue): void {
    while (each.inFlight < postsInFlight) {
      const batch = each.repeats.shift() ?? fresh(each);
      if (!batch) return;
      each.inFlight += 1;
      flying += batch.updates.length;
      void send(webhook, batch).finally(() => {
        each.inFlight -= 1;
        flying -= batch.updates.length;
        poke();
      });
    }
  }

  function fresh(each: WebhookQueue): Batch | undefined {
    const updates = each.ready.splice(0, faults.updatesPerPost(each.ready.length));
    return updates.length ? { updates, attempt: 0, copy: false, dueAt: Date.now() } : undefined;
  }

  async function send(webhook: string, batch: Batch): Promise<void> {
    const parts = batch.updates.flatMap((update): PostPart[] => {
      const number = registry.number(numberIdOf(update));
      if (!number) return [];
      if (update.kind === 'status') {
        const { message, status, at } = update;
        const names = users.namesOfStatus(number, message, at);
        return [{ number, status: buildStatus(number, message, { status, at, names }), contact: statusContact(status, names) }];
      }
      return [{ number, change: { field: update.update.field, value: update.update.value } }];
    });
    const [first] = parts;
    if (!first) return batch.updates.forEach(finishUpdate);
    const { number } = first;
    const url = (faults.repeatsToFormerUrl() ? batch.url : undefined) ?? overrideIn(webhook) ?? number.webhook_url;
    batch.url = url;
    const content = buildBody(parts, batch.updates[0]?.at ?? Date.now());
    const body = encodeBody(content);
    const httpStatus = await poster.post(url, body, sign(body, number.app_secret));
    batch.attempt += 1;
    record({ id: number.phone_number_id, url, httpStatus, batch, content });
    if (stopped || batch.copy) return;
    if (httpStatus === 200) {
      batch.updates.forEach(finishUpdate);
      if (faults.duplicates()) repeat(webhook, { ...batch, copy: true, dueAt: Date.now() + Math.floor(faults.random() * 100) });
    } else retry(webhook, number.phone_number_id, batch, httpStatus);
  }

  function retry(webhook: string, id: string, batch: Batch, httpStatus: number): void {
    const now = Date.now();
    if (now - Math.min(...batch.updates.map(firstDueAt)) > giveUpAfterMs) {
      log(`provider: webhook of ${id} given up after 7 days (last answer ${httpStatus || 'none'})`);
      batch.updates.forEach(finishUpdate);
      return;
    }
    const delay = retryDelaysMs[Math.min(batch.attempt, retryDelaysMs.length) - 1] ?? 1_000;
    batch.dueAt = now + delay;
    retries.add(batch);
    if (batch.attempt === 1) log(`provider: webhook of ${id} answered ${httpStatus || 'not at all'}, next try in ${delay / 1000} s`);
    repeat(webhook, batch);
  }

  function repeat(webhook: string, batch: Batch): void {
    timed.add(batch.dueAt, { kind: 'batch', webhook, batch });
    look();
  }

  function finishUpdate(update: Update): void {
    if (update.kind === 'status') ledger.recordPosted(update.message, update.status);
    else ledger.removeUpdate(update.id);
  }

  function record({
    id,
    url,
    httpStatus,
    batch,
    content,
  }: {
    id: string;
    url: string;
    httpStatus: number;
    batch: Batch;
    content: unknown;
  }) {
    const at = new Date().toISOString();
    totals.posts++;
    totals.last_at = at;
    if (httpStatus !== 200) totals.refused++;
    records.push({
      phone_number_id: id,
      url,
      at,
      http_status: httpStatus,
      attempt: batch.attempt,
      duplicate: batch.copy,
      updates: batch.updates.length,
      body: content,
    });
    if (records.length > maxRecords) records.splice(0, maxRecords / 5);
  }

  function queueFor(webhook: string): WebhookQueue {
    let found = queues.get(webhook);
    if (!found) queues.set(webhook, (found = { ready: [], repeats: [], inFlight: 0 }));
    return found;
  }

  function look(): void {
    if (timer || stopped || timed.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      pump();
      look();
    }, lookEveryMs);
  }

  /** Looks at once, at the end of this turn of the event loop. */
  function poke(): void {
    look();
    if (poked || stopped) return;
    poked = true;
    setImmediate(() => {
      poked = false;
      pump();
      look();
    });
  }

  return {
    poke,
    addStatuses(message: AcceptedMessage): void {
      queueNextStatus(message, undefined);
      look();
    },
    /** Stores the change and queues it. `inMs`: how long from now. */
    addChange(phoneNumberId: string, change: Omit<StoredUpdate, 'created_at'>, inMs = 0): void {
      const now = Date.now();
      const update = { ...change, created_at: now };
      const id = ledger.addUpdate(phoneNumberId, now + inMs, update);
      timed.add(now + inMs, { kind: 'new', late: false, update: { kind: 'change', id, phoneNumberId, update, at: now + inMs } });
      poke();
    },
    /** Lets statuses go which a fault held back; those that are still to be held are held again. */
    releaseHeld(): void {
      const released = held;
      held = [];
      for (const update of released) timed.add(update.at, { kind: 'new', update, late: true });
      poke();
    },
    records: (): DeliveryRecord[] => [...records],
    totals: (): DeliveryTotals => ({ ...totals }),
    heldCount: (): number => held.length,
    /** Updates due now or within two seconds, in flight, or failed with a repetition within 15 s. Held ones do not count. */
    pendingNow(): number {
      pump();
      const now = Date.now();
      let count = flying + timed.countDueBy(now + soonMs);
      for (const each of queues.values()) count += each.ready.length + each.repeats.length;
      for (const batch of retries) if (batch.dueAt > now + soonMs && batch.dueAt <= now + retrySoonMs) count += 1;
      return count;
    },
    nextDueAt: (): number | undefined => timed.nextDueAt,
    stop(): void {
      stopped = true;
      clearTimeout(timer);
      poster.close();
    },
  };
}
export type Delivery = ReturnType<typeof createDelivery>;

function numberIdOf(update: Update): string {
  return update.kind === 'status' ? update.message.phoneNumberId : update.phoneNumberId;
}

const fieldOf = (update: Update): string => (update.kind === 'change' ? update.update.field : 'messages');

const isPosted = (number: BusinessNumber, update: Update): boolean =>
  number.subscribed &&
  (number.app_fields?.includes(fieldOf(update)) ?? true) &&
  (number.webhook_url !== '' || overrideIn(webhookOf(number, update)) !== undefined);

/** Where an update goes: the app's URL as it is then, or the URL of the number or its account, for the fields that follow one. */
function webhookOf(number: BusinessNumber, update: Update): string {
  const override = number.phone_override_url ?? number.override_url;
  return [appIdOf(number), ...(override !== undefined && followsOverrides(fieldOf(update)) ? [override] : [])].join(' ');
}

const overrideIn = (webhook: string): string | undefined => webhook.split(' ')[1];

function firstDueAt(update: Update): number {
  return update.at;
}
