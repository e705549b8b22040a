/**
 * What the provider has accepted and still has to report. Writes of the sending path are gathered and committed together at the end
 * of the event loop's turn; a caller is answered only after that commit, so what was acknowledged survives a killed process.
 */
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';

/** Bits of `planned` and `posted`. */
export type StatusName = 'sent' | 'delivered' | 'read' | 'failed';

export const statusBits: Record<StatusName, number> = { sent: 1, delivered: 2, read: 4, failed: 8 };

/** The plan of a message that arrives and is read. */
export const allStatuses = statusBits.sent | statusBits.delivered | statusBits.read;

/** The plan of a message that is held back: none of its statuses is due until it is released or dropped. */
export const heldBit = 16;

/** An accepted message as long as statuses of it are due. `to`: digits, or a business-scoped user id. `at`: epoch milliseconds. */
export interface AcceptedMessage {
  seq: number;
  wamid: string;
  phoneNumberId: string;
  to: string;
  type: string;
  category: string;
  reference: string | undefined;
  at: number;
  error: number | undefined;
  planned: number;
  posted: number;
  /** How it is charged: `regular`, or why it is free. */
  pricingType: string;
  /** What the provider decided to charge, under a max price. */
  cost: { micros: number; currency: string } | undefined;
}

/** Any other webhook change: stored whole until it is delivered. */
export const storedUpdate = z.object({
  field: z.string(),
  value: z.record(z.string(), z.unknown()),
  /** What of a template becomes visible as the update is due. */
  template: z
    .object({ id: z.string(), status: z.string().optional(), reason: z.string().optional(), category: z.string().optional() })
    .optional(),
  created_at: z.number(),
});
export type StoredUpdate = z.infer<typeof storedUpdate>;

export interface LedgerQuery {
  to?: string;
  phoneNumberIds?: string[];
  after?: string;
  limit?: number;
}

/** An accepted template, as analytics count it. */
export interface TemplateSent {
  phoneNumberId: string;
  name: string;
  language: string;
  at: number;
  posted: number;
  clicks: { text: string; at: number }[];
}

const windowMs = 24 * 3_600_000;

export function openLedger(database: DatabaseSync) {
  const insert = database.prepare(
    `INSERT INTO messages (seq, wamid, phone_number_id, recipient, type, category, reference, payload, at, version, error, planned, pricing_type, cost, posted)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
  );
  const updatePosted = database.prepare('UPDATE messages SET posted = posted | ? WHERE seq = ?');
  const replan = database.prepare('UPDATE messages SET planned = ?, error = ?, at = ? WHERE seq = ?');
  const heldBack = database.prepare(`SELECT * FROM messages WHERE planned = ${heldBit} ORDER BY seq`);
  const unfinished = database.prepare('SELECT * FROM messages WHERE planned <> posted ORDER BY seq');
  const lastTo = database.prepare('SELECT wamid FROM messages WHERE phone_number_id = ? AND recipient = ? ORDER BY seq DESC LIMIT 1');
  const insertUpdate = database.prepare('INSERT INTO updates (phone_number_id, due_at, doc) VALUES (?, ?, ?)');
  const deleteUpdate = database.prepare('DELETE FROM updates WHERE id = ?');
  const allUpdates = database.prepare('SELECT id, phone_number_id, due_at, doc FROM updates ORDER BY id');
  const selectUser = database.prepare('SELECT inbound_at, marketing_stopped FROM people WHERE phone_number_id = ? AND user = ?');
  const upsertInbound = database.prepare(
    `INSERT INTO people (phone_number_id, user, inbound_at) VALUES (?, ?, ?)
     ON CONFLICT (phone_number_id, user) DO UPDATE SET inbound_at = max(inbound_at, excluded.inbound_at)`,
  );
  const preference = database.prepare(
    `INSERT INTO people (phone_number_id, user, marketing_stopped) VALUES (?, ?, ?)
     ON CONFLICT (phone_number_id, user) DO UPDATE SET marketing_stopped = excluded.marketing_stopped`,
  );
  const upsertEntry = database.prepare(
    `INSERT INTO people (phone_number_id, user, entry_at) VALUES (?, ?, ?)
     ON CONFLICT (phone_number_id, user) DO UPDATE SET entry_at = excluded.entry_at`,
  );
  const entry = database.prepare('SELECT entry_at FROM people WHERE phone_number_id = ? AND user = ?');
  const countServices = database.prepare(
    `SELECT count(*) AS count FROM messages
     WHERE phone_number_id = ? AND category = 'service' AND at >= ? AND at < ? AND planned & ${statusBits.delivered}`,
  );
  const deliveredOnes = database.prepare(`SELECT * FROM messages WHERE posted & ${statusBits.delivered | statusBits.read} ORDER BY seq`);
  /** Service messages of a number in a month, counted from the file once. */
  const services = new Map<string, number>();
  const insertReceipt = database.prepare('INSERT INTO receipts (phone_number_id, wamid, at, typing) VALUES (?, ?, ?, ?)');
  const allReceipts = database.prepare('SELECT phone_number_id, wamid, at, typing FROM receipts ORDER BY seq');
  const insertClick = database.prepare('INSERT INTO clicks (wamid, text, at) VALUES (?, ?, ?)');
  const clicksOf = database.prepare('SELECT text, at FROM clicks WHERE wamid = ? ORDER BY seq');
  const templatesIn = database.prepare("SELECT * FROM messages WHERE type = 'template' AND at >= ? AND at < ? ORDER BY seq");
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');

  let lastSeq = Number(database.prepare('SELECT coalesce(max(seq), 0) AS seq FROM messages').get()?.seq ?? 0);
  let accepted: { message: AcceptedMessage; payload: string; version: string; stored: () => void; failed: (cause: unknown) => void }[] = [];
  let posted: { seq: number; bit: number }[] = [];
  let scheduled = false;

  function flush(): void {
    scheduled = false;
    const messages = accepted;
    const bits = posted;
    if (messages.length + bits.length === 0) return;
    accepted = [];
    posted = [];
    try {
      begin.run();
      for (const { message: m, payload, version } of messages) {
        const { seq, wamid, phoneNumberId, to, type, category, reference, at, error, planned, pricingType, cost } = m;
        insert.run(
          seq,
          wamid,
          phoneNumberId,
          to,
          type,
          category,
          reference ?? null,
          payload,
          at,
          version,
          error ?? null,
          planned,
          pricingType,
          cost ? JSON.stringify(cost) : null,
        );
      }
      for (const { seq, bit } of bits) updatePosted.run(bit, seq);
      commit.run();
      for (const each of messages) each.stored();
    } catch (cause) {
      if (database.isOpen && database.isTransaction) database.exec('ROLLBACK');
      for (const each of messages) each.failed(cause);
    }
  }

  function flushSoon(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(flush);
  }

  return {
    /** Resolves when the message is stored. */
    accept(input: Omit<AcceptedMessage, 'seq' | 'posted'>, payload: string, version: string): Promise<AcceptedMessage> {
      lastSeq += 1;
      const message: AcceptedMessage = { ...input, seq: lastSeq, posted: 0 };
      const month = `${input.phoneNumberId}|${new Date(input.at).toISOString().slice(0, 7)}`;
      const counted = services.get(month);
      if (counted !== undefined && input.category === 'service' && input.planned & statusBits.delivered) services.set(month, counted + 1);
      return new Promise((resolve, reject) => {
        accepted.push({ message, payload, version, stored: () => resolve(message), failed: reject });
        flushSoon();
      });
    },
    /** A status webhook was taken by its receiver. Stored with the next commit: a crash before it repeats the webhook. */
    recordPosted(message: AcceptedMessage, status: StatusName): void {
      message.posted |= statusBits[status];
      posted.push({ seq: message.seq, bit: statusBits[status] });
      flushSoon();
    },
    unfinished: (): AcceptedMessage[] => unfinished.all().map((row) => toMessage(messageRow.parse(row))),
    /** Templates that are held back, oldest first. */
    held(): (AcceptedMessage & { template: string })[] {
      flush();
      return heldBack.all().map((row) => {
        const read = messageRow.parse(row);
        return { ...toMessage(read), template: templatePayload.parse(JSON.parse(read.payload)).template.name };
      });
    },
    /** A message that was held back goes on at this time: to these statuses. */
    endHold(message: AcceptedMessage, { planned, error, at }: Pick<AcceptedMessage, 'planned' | 'error' | 'at'>): AcceptedMessage {
      replan.run(planned, error ?? null, at, message.seq);
      return { ...message, planned, error, at };
    },
    lastSentTo: (phoneNumberId: string, user: string): string | undefined => lastTo.get(phoneNumberId, user)?.wamid?.toString(),
    addUpdate(phoneNumberId: string, dueAt: number, update: StoredUpdate): number {
      return Number(insertUpdate.run(phoneNumberId, dueAt, JSON.stringify(update)).lastInsertRowid);
    },
    removeUpdate: (id: number): void => void deleteUpdate.run(id),
    updates: () =>
      allUpdates.all().map((row) => ({
        id: Number(row.id),
        phoneNumberId: String(row.phone_number_id),
        dueAt: Number(row.due_at),
        update: storedUpdate.parse(JSON.parse(String(row.doc))),
      })),
    /** Whether the customer wrote to this number in the last 24 hours: free-form messages are allowed (section 6). */
    isWindowOpen(phoneNumberId: string, user: string, now: number): boolean {
      return Number(selectUser.get(phoneNumberId, user)?.inbound_at ?? 0) > now - windowMs;
    },
    hasStoppedMarketing: (phoneNumberId: string, user: string): boolean => selectUser.get(phoneNumberId, user)?.marketing_stopped === 1,
    recordInbound: (phoneNumberId: string, user: string, at: number): void => void upsertInbound.run(phoneNumberId, user, at),
    /** An advertisement led the user here: what is sent for some days is free. */
    recordEntry: (phoneNumberId: string, user: string, at: number): void => void upsertEntry.run(phoneNumberId, user, at),
    entryAt: (phoneNumberId: string, user: string): number => Number(entry.get(phoneNumberId, user)?.entry_at ?? 0),
    /** Service messages that were accepted from a number in a month, `2026-11`, and are delivered. */
    serviceCount(phoneNumberId: string, month: string, at: number): number {
      const key = `${phoneNumberId}|${month}`;
      const known = services.get(key);
      if (known !== undefined) return known;
      flush();
      const [from, until] = [Date.parse(`${month}-01T00:00:00Z`), at + 1];
      const count = Number(countServices.get(phoneNumberId, from, until)?.count ?? 0);
      services.set(key, count);
      return count;
    },
    /** The messages of these numbers that their receiver knows to be delivered, oldest first. */
    delivered(phoneNumberIds: readonly string[]): AcceptedMessage[] {
      flush();
      return deliveredOnes
        .all()
        .map((row) => toMessage(messageRow.parse(row)))
        .filter(({ phoneNumberId }) => phoneNumberIds.includes(phoneNumberId));
    },
    setMarketingStopped: (phoneNumberId: string, user: string, stopped: boolean): void =>
      void preference.run(phoneNumberId, user, stopped ? 1 : 0),
    /** Records that the business read a message of a customer, and those before it, and whether it writes an answer. */
    addReceipt: (phoneNumberId: string, wamid: string, at: number, typing: boolean): void =>
      void insertReceipt.run(phoneNumberId, wamid, at, Number(typing)),
    receipts: (): Record<string, unknown>[] =>
      allReceipts.all().map((row) => ({
        wamid: String(row.wamid),
        phone_number_id: String(row.phone_number_id),
        at: new Date(Number(row.at)).toISOString(),
        typing: row.typing === 1,
      })),
    /** A customer pressed a button of a template. */
    addClick: (wamid: string, text: string, at: number): void => void insertClick.run(wamid, text, at),
    /** Templates accepted from a time until before another, with the statuses of each and what was pressed in it. */
    templatesSent(from: number, until: number): TemplateSent[] {
      flush();
      return templatesIn.all(from, until).map((row) => {
        const { wamid, phone_number_id: phoneNumberId, payload, at, posted: bits } = messageRow.parse(row);
        const { template } = templatePayload.parse(JSON.parse(payload));
        const clicks = clicksOf.all(wamid).map((click) => ({ text: String(click.text), at: Number(click.at) }));
        return { phoneNumberId, name: template.name, language: template.language.code, at, posted: bits, clicks };
      });
    },
    /** Accepted messages, oldest first. `after`: a wamid, or the cursor of the answer before. */
    list(query: LedgerQuery): { data: Record<string, unknown>[]; after: string | undefined } {
      flush();
      const where: string[] = [];
      const values: (string | number)[] = [];
      if (query.to !== undefined) {
        where.push('recipient = ?');
        values.push(query.to);
      }
      if (query.phoneNumberIds) {
        where.push(`phone_number_id IN (${query.phoneNumberIds.map(() => '?').join()})`);
        values.push(...query.phoneNumberIds);
      }
      if (query.after !== undefined) {
        where.push(query.after.startsWith('wamid.') ? 'seq > (SELECT seq FROM messages WHERE wamid = ?)' : 'seq > ?');
        values.push(query.after.startsWith('wamid.') ? query.after : Number(query.after));
      }
      const condition = where.length ? `WHERE ${where.join(' AND ')}` : '';
      const rows = database.prepare(`SELECT * FROM messages ${condition} ORDER BY seq LIMIT ?`).all(...values, query.limit ?? -1);
      return { data: rows.map((row) => toListed(messageRow.parse(row))), after: rows.at(-1)?.seq?.toString() };
    },
    flush,
  };
}
export type Ledger = ReturnType<typeof openLedger>;

const templatePayload = z.looseObject({ template: z.looseObject({ name: z.string(), language: z.looseObject({ code: z.string() }) }) });

const messageRow = z.object({
  seq: z.number(),
  wamid: z.string(),
  phone_number_id: z.string(),
  recipient: z.string(),
  type: z.string(),
  category: z.string(),
  reference: z.string().nullable(),
  payload: z.string(),
  at: z.number(),
  version: z.string(),
  error: z.number().nullable(),
  planned: z.number(),
  posted: z.number(),
  pricing_type: z.string(),
  cost: z.string().nullable(),
});
const decidedCost = z.object({ micros: z.int(), currency: z.string() });
type MessageRow = z.infer<typeof messageRow>;

function toMessage(row: MessageRow): AcceptedMessage {
  return {
    seq: row.seq,
    wamid: row.wamid,
    phoneNumberId: row.phone_number_id,
    to: row.recipient,
    type: row.type,
    category: row.category,
    reference: row.reference ?? undefined,
    at: row.at,
    error: row.error ?? undefined,
    planned: row.planned,
    posted: row.posted,
    pricingType: row.pricing_type,
    cost: row.cost === null ? undefined : decidedCost.parse(JSON.parse(row.cost)),
  };
}

function toListed(row: MessageRow): Record<string, unknown> {
  return {
    wamid: row.wamid,
    to: row.recipient,
    type: row.type,
    payload: JSON.parse(row.payload),
    reference: row.reference,
    at: new Date(row.at).toISOString(),
    phone_number_id: row.phone_number_id,
    status: row.planned === heldBit ? 'held' : furthest(row.posted),
    error_code: row.error,
    version: row.version,
  };
}

/** The newest status that the receiver got, by rank. */
function furthest(posted: number): string {
  if (posted & statusBits.failed) return 'failed';
  if (posted & statusBits.read) return 'read';
  if (posted & statusBits.delivered) return 'delivered';
  return posted & statusBits.sent ? 'sent' : 'accepted';
}
