import { createHmac, timingSafeEqual } from 'node:crypto';
import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { messageId, sha256 } from '../../../shared/runtime/ids.ts';
import { log } from '../../../shared/runtime/log.ts';
import { sameSecret } from '../../../shared/runtime/seal.ts';
import { messageBody, send } from '../../../shared/queue/send.ts';
import { businessNumbers } from '../../account/service/numbers.ts';
import { contactIdByPhone, ensureContact } from '../../contacts/service.ts';
import { updatesQueue } from '../contract/queue.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import type { InboundMessage, ProviderUpdate, StatusUpdate } from '../contract/webhook.ts';
import { readInbound } from '../domain/inbound.ts';
import { parseReference } from '../domain/reference.ts';
import { applyStatus, parkedTry, providerTime } from '../domain/status.ts';
import { splitPost } from '../envelope.ts';
import { keepUpdate } from '../store/kept.ts';
import { addMessage, changeMessage, findByWamid, getMessage } from '../store/message.ts';
import { dropParked, getParked, parkStatus } from '../store/parked.ts';

/** The provider's own limit for a post (decision A50). */
const maxPostBytes = 3_000_000;

/** GET of the receiver: the challenge, when the verify token is the company's or the address's own (decision A49). */
export const handshake = async (
  companyId: number,
  addressToken: string,
  query: { 'hub.mode'?: string | undefined; 'hub.challenge'?: string | undefined; 'hub.verify_token'?: string | undefined },
): Promise<string | Problem<'handshake_failed'>> => {
  const offered = query['hub.verify_token'] ?? '';
  const checks = [sameSecret(addressToken, offered), ...(await businessNumbers(companyId)).map((number) => number.verifies(offered))];
  const matches = checks.includes(true);
  return query['hub.mode'] === 'subscribe' && matches ? (query['hub.challenge'] ?? '') : problem('handshake_failed');
};

/**
 * POST of the receiver: the signature over the raw bytes when the company has an app secret, then every update on the queue, then 200.
 * Nothing else happens before the answer (decision A50; provider reference §3.2, §3.3).
 */
export const receive = async (
  companyId: number,
  raw: Buffer,
  signature: string | undefined,
): Promise<{ updates: number } | Problem<'invalid_signature' | 'invalid_json' | 'payload_too_large'>> => {
  if (raw.length > maxPostBytes) return problem('payload_too_large', { details: { max_bytes: maxPostBytes } });
  const secrets = (await Promise.all((await businessNumbers(companyId)).map((number) => number.appSecret()))).filter(
    (secret) => secret !== undefined,
  );
  if (secrets.length > 0 && !secrets.map((secret) => isSigned(raw, secret, signature)).includes(true)) return problem('invalid_signature');
  const updates = splitPost(companyId, raw.toString('utf8'), now());
  if (updates === undefined) return problem('invalid_json');
  const fits = (update: ProviderUpdate): boolean => Buffer.byteLength(messageBody(update)) <= maxQueuedBytes;
  await send(
    updatesQueue,
    updates.filter(fits).map((message) => ({ companyId, message })),
  );
  for (const update of updates.filter((each) => !fits(each))) await keep(update, 'oversized', update.update);
  return { updates: updates.length };
};

/** A little under what the queue takes. No message or status comes near it; histories and the like do, and are kept at once. */
const maxQueuedBytes = 900_000;

/** One update from the queue. The same update twice, late or out of order changes nothing. */
export const takeUpdate = async (update: ProviderUpdate): Promise<void> => {
  switch (update.update.kind) {
    case 'message':
      return takeMessage(update, update.update.message, update.update.profile_name);
    case 'status':
      return takeStatus(update.company_id, update.update.status, update.received_at, 0, update.received_at);
    case 'other':
      return keep(update, update.update.field, update.update.value);
  }
};

/** A parked status whose next try has come. */
export const retryParked = async (companyId: number, wamid: string, status: string): Promise<void> => {
  const parked = await getParked(companyId, wamid, status);
  if (!parked) return;
  if (parked.dueAt > now() + 1_000) return;
  await takeStatus(companyId, parked.update, parked.parkedAt, parked.tries + 1, parked.parkedAt);
};

async function takeMessage(update: ProviderUpdate, message: InboundMessage, profileName: string | undefined): Promise<void> {
  const companyId = update.company_id;
  if (message.from === undefined) return keep(update, 'messages', message);
  const known = await contactIdByPhone(companyId, message.from);
  const contactId = known ?? (await inboundContact(companyId, message.from, profileName));
  const at = providerTime(message.timestamp, update.received_at);
  const reading = readInbound(message);
  const isLarge = (reading.raw?.length ?? 0) > maxRawChars;
  if (isLarge) await keep(update, 'messages', message);
  const stored: StoredMessage = {
    companyId,
    contactId,
    id: messageId(at, message.id),
    inbound: true,
    ...reading,
    ...(isLarge ? { raw: undefined } : {}),
    status: messageStatuses.delivered,
    rev: 0,
    phone: message.from,
    wamid: message.id,
    attempt: 0,
    deliveredAt: at,
    createdAt: at,
    arrivedAt: update.received_at,
    updatedAt: now(),
  };
  const written = await addMessage(stored);
  if (written.done || written.current?.wamid === message.id) return;
  // Two messages of one person in one second whose hashes meet: the later one takes the next free id, found again by its wamid.
  for (let salt = 1; salt < 100; salt++) {
    const again = await addMessage({ ...stored, id: messageId(at, `${message.id}:${salt}`) });
    if (again.done || again.current?.wamid === message.id) return;
  }
  throw new Error('No free message id in this second.');
}

/** What a message's own row takes of an unread kind; more is kept beside it. */
const maxRawChars = 20_000;

async function inboundContact(companyId: number, phone: string, name: string | undefined): Promise<number> {
  const ensured = await ensureContact(companyId, { phone, source: 'inbound', ...(name ? { name } : {}) });
  if (isProblem(ensured)) throw new Error(`An inbound contact was refused: ${ensured.problem}.`);
  return ensured.contact.id;
}

async function takeStatus(companyId: number, status: StatusUpdate, receivedAt: number, tries: number, parkedAt: number): Promise<void> {
  const message = await messageOf(companyId, status);
  if (!message) return park(companyId, status, tries, parkedAt);
  const evidence = { status: status.status, atMs: providerTime(status.timestamp, receivedAt), wamid: status.id, errors: status.errors };
  for (let seen = message; ; ) {
    const change = applyStatus(seen, evidence);
    if (!change) break;
    const written = await changeMessage(seen, change, now());
    if (written.done) break;
    if (!written.current) return;
    seen = written.current;
  }
  if (tries > 0) await dropParked(companyId, status.id, status.status);
}

/** By our reference; else, for statuses without one, through the recipient's conversation. */
async function messageOf(companyId: number, status: StatusUpdate): Promise<StoredMessage | undefined> {
  const reference = parseReference(status.biz_opaque_callback_data);
  if (reference && reference.companyId === companyId) return getMessage(companyId, reference.contactId, reference.messageId);
  const contactId = status.recipient_id === undefined ? undefined : await contactIdByPhone(companyId, status.recipient_id);
  return contactId === undefined ? undefined : findByWamid(companyId, contactId, status.id);
}

async function park(companyId: number, status: StatusUpdate, tries: number, parkedAt: number): Promise<void> {
  const dueAt = parkedTry(tries, parkedAt, now());
  if (dueAt === undefined) {
    log.info('A status found no message in seven days', { company_id: companyId, event: status.status });
    return dropParked(companyId, status.id, status.status);
  }
  await parkStatus({ companyId, wamid: status.id, status: status.status, update: status, parkedAt, tries, dueAt });
}

async function keep(update: ProviderUpdate, field: string, value: unknown): Promise<void> {
  const body = JSON.stringify(value) ?? 'null';
  await keepUpdate(update.company_id, sha256(`${field} ${body}`), field, body, update.received_at);
}

function isSigned(raw: Buffer, secret: string, signature: string | undefined): boolean {
  const expected = createHmac('sha256', secret).update(raw).digest();
  const given = Buffer.from((signature ?? '').replace(/^sha256=/, ''), 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
