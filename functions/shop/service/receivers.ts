import { readForReceiver } from '../../../shared/access/receiver.ts';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Principal } from '../../../shared/contract/route.ts';
import { send } from '../../../shared/queue/send.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { getReceiverKeys } from '../../account/service/signing-secrets.ts';
import { deliveriesQueue } from '../contract/delivery.ts';
import type { PlatformEvent } from '../contract/platform-event.ts';
import type { ReceiverResponse, TestResponse } from '../contract/receivers.ts';
import { normalizeCheckout } from '../domain/checkout.ts';
import { parseExactJson } from '../domain/exact-json.ts';
import { normalizeLogistics } from '../domain/logistics.ts';
import { isNoticeTopic, readNotice } from '../domain/platform-notice.ts';
import { signatureFromHeaders, signatureProblem, isSigned } from '../domain/signature.ts';
import { normalizeStoreplatform } from '../domain/storeplatform.ts';
import { isPing, normalizeWebshop } from '../domain/webshop.ts';
import { appCredentials } from '../gateway/storeplatform.ts';
import { getConnectionRow } from '../store/connection.ts';
import { putTestCall } from '../store/delivery.ts';
import { recordReceiverPost, type SeenPost } from './receiver-posts.ts';

type PlatformReceiver = 'storeplatform' | 'webshop' | 'logistics' | 'checkout';

export interface ReceiverRequest {
  caller: Principal;
  raw: Buffer;
  headers: Readonly<Record<string, string>>;
  /** Counts a post without a valid signature (G12). */
  countUnsigned: () => Promise<Problem<'rate_limited'> | undefined>;
}

type ReceiverProblem = Problem<'invalid_webhook_token' | 'invalid_signature' | 'invalid_json' | 'rate_limited'>;

type ReceiverResult = Promise<ReceiverResponse | ReceiverProblem>;

export const receiveStoreplatform = (request: ReceiverRequest): ReceiverResult => receivePlatformEvent('storeplatform', request);
export const receiveWebshop = (request: ReceiverRequest): ReceiverResult => receivePlatformEvent('webshop', request);
export const receiveLogistics = (request: ReceiverRequest): ReceiverResult => receivePlatformEvent('logistics', request);
export const receiveCheckout = (request: ReceiverRequest): ReceiverResult => receivePlatformEvent('checkout', request);

/**
 * Receives a platform's webhook: checks token and signature over the raw bytes, normalizes the payload and queues it. Unknown events are
 * acknowledged, because platforms disable webhooks that fail. See docs/decisions/shop-receivers-normalize-first.md.
 */
async function receivePlatformEvent(receiver: PlatformReceiver, request: ReceiverRequest): ReceiverResult {
  if (request.caller.subject !== receiver) return problem('invalid_webhook_token');
  const { answer, ...seen } = await takePlatformEvent(receiver, request);
  await recordReceiverPost(request.caller, receiver, answer, seen);
  return answer;
}

interface TakenPost extends SeenPost {
  answer: ReceiverResponse | ReceiverProblem;
}

async function takePlatformEvent(receiver: PlatformReceiver, { caller, raw, headers, countUnsigned }: ReceiverRequest): Promise<TakenPost> {
  const text = raw.toString('utf8');
  const { signature, connectionId } = await checkSignature(receiver, caller, raw, headers);
  const limited = signature === 'valid' ? undefined : await countUnsigned();
  if (limited) return { answer: limited };
  const isUnsigned = signature === 'valid' ? {} : { isUnsigned: true as const };
  const named = { topic: headerTopic(headers), ...isUnsigned };
  if (receiver === 'webshop' && isPing(text)) return { answer: { success: true }, ...named };
  if (signature === 'invalid') return { answer: signatureProblem(receiver, headers), ...named };
  const flag = signature === 'unsigned' ? { unsigned: true as const } : {};
  const body = parseExactJson(text);
  if (body === undefined) return { answer: problem('invalid_json'), ...named };
  const topic = receiver === 'checkout' ? bodyTopicOf(headers, body) : topicOf(headers, body);
  if (receiver === 'storeplatform' && isNoticeTopic(topic.toLowerCase()))
    return {
      topic,
      ...isUnsigned,
      ...(connectionId === undefined
        ? { answer: { success: true, ignored: true, ...flag } }
        : await receiveNotice(caller.companyId, connectionId, { topic, body, raw, headers })),
    };
  const normalized = normalize(receiver, topic, body, headers);
  if (normalized === undefined || (signature === 'unsigned' && !unsignedKinds.has(normalized.kind)))
    return { answer: { success: true, ignored: true, ...flag }, topic, ...isUnsigned };
  const event = withOrigin(normalized, connectionId, signature === 'unsigned');
  // a post that anyone may have made must not stand for the signed one
  const key = deliveryKey(receiver, raw, signature === 'unsigned' ? signature : '');
  await send(deliveriesQueue, [{ companyId: caller.companyId, message: { company_id: caller.companyId, key, event } }]);
  return { answer: { success: true, queued: true, ...flag }, topic, about: subjectOf(event), deliveryKey: key, ...isUnsigned };
}

/** What an event is about, as the shop names it; no word of a customer. */
function subjectOf(event: PlatformEvent): string {
  switch (event.kind) {
    case 'product':
      return event.name;
    case 'order':
      return event.number;
    case 'parcel':
      return event.orderNumbers[0] ?? event.trackingNumber ?? '';
    default:
      return '';
  }
}

/** The event with the connection whose store sent it, and whether the post had no signature. */
function withOrigin(event: PlatformEvent, connectionId: number | undefined, isUnsigned: boolean): PlatformEvent {
  const origin = isUnsigned ? { isUnsigned: true as const } : {};
  switch (event.kind) {
    case 'order':
      return { ...event, ...origin, ...(connectionId === undefined ? {} : { connectionId }) };
    case 'fulfilment':
      return { ...event, shipment: { ...event.shipment, ...origin } };
    case 'parcel':
      return { ...event, ...origin };
    default:
      return event;
  }
}

/** What a receiver without a secret takes: products, and orders with their parcels. It deletes nothing and causes no message. */
const unsignedKinds: ReadonlySet<PlatformEvent['kind']> = new Set(['product', 'order', 'fulfilment', 'parcel']);

/** A notice of the platform, for the store of the connection alone, as the signed body names it. */
async function receiveNotice(
  companyId: number,
  connectionId: number,
  {
    topic,
    body,
    raw,
    headers,
  }: { topic: string; body: Readonly<Record<string, unknown>>; raw: Buffer; headers: ReceiverRequest['headers'] },
): Promise<TakenPost> {
  const named = topic.toLowerCase();
  const notice = isNoticeTopic(named) ? readNotice(named, body, triggerTime(headers, now()) ?? now()) : undefined;
  const connection = notice && (await getConnectionRow(companyId, connectionId));
  if (!notice || connection?.shop !== notice.shop) {
    log.warn('A notice of the store platform does not fit its topic or its store, and was ignored', { company_id: companyId });
    metric('ForeignNotices', 'Count', 1);
    return { answer: { success: true, ignored: true } };
  }
  // the same body may end a later installation as well
  const key = deliveryKey('storeplatform', raw, `${named} ${connection.connectedAt}`);
  await send(deliveriesQueue, [{ companyId, message: { company_id: companyId, key, event: { ...notice, connectionId } } }]);
  return { answer: { success: true, queued: true }, deliveryKey: key };
}

/** The test receiver: returns what arrived and whether its signature is valid. Calls are stored for 24 hours, and all of them are counted. */
export const receiveTest = async ({
  caller,
  raw,
  headers,
  countUnsigned,
}: ReceiverRequest): Promise<TestResponse | Problem<'invalid_webhook_token' | 'rate_limited'>> => {
  if (caller.subject !== 'test') return problem('invalid_webhook_token');
  const limited = await countUnsigned();
  if (limited) return limited;
  const at = now();
  const text = raw.toString('utf8');
  const body = parseExactJson(text) ?? text;
  const isAbsent = signatureFromHeaders('test', headers) === undefined;
  const signature = isAbsent ? 'absent' : (await checkSignature('test', caller, raw, headers)).signature === 'valid' ? 'valid' : 'invalid';
  const event = (typeof body === 'string' ? headerTopic(headers) : topicOf(headers, body)) || null;
  await putTestCall({ companyId: caller.companyId, at, event: event ?? '', signature, body: text.slice(0, 50_000).toWellFormed() });
  return { success: true, received: { event, headers: withoutSecrets(headers), body }, signature, received_at: isoTime(at) };
};

/**
 * Whether one of the receiver's secrets signed the post. `unsigned`: the receiver has no secret. The posts to a receiver that a connection
 * owns are signed with the app's current secrets.
 */
async function checkSignature(
  receiver: PlatformReceiver | 'test',
  caller: Principal,
  raw: Buffer,
  headers: Readonly<Record<string, string>>,
): Promise<{ signature: 'valid' | 'invalid' | 'unsigned'; connectionId: number | undefined }> {
  const given = signatureFromHeaders(receiver, headers);
  const { secrets, connectionId } = await readForReceiver(
    caller,
    'signing secrets',
    () => readReceiverKeys(caller),
    (held) => isSigned(raw, held.secrets, given),
  );
  if (connectionId === undefined && secrets.length === 0) return { signature: 'unsigned', connectionId };
  return { signature: isSigned(raw, secrets, given) ? 'valid' : 'invalid', connectionId };
}

async function readReceiverKeys(caller: Principal): Promise<{ secrets: readonly string[]; connectionId: number | undefined }> {
  const keys = await getReceiverKeys(caller.companyId, caller.credentialId);
  return keys.connectionId === undefined ? keys : { ...keys, secrets: (await appCredentials({ lifeMs: 1_000 })).secrets };
}

const topicHeaders = ['x-shopify-topic', 'shopify-topic', 'x-wc-webhook-topic', 'x-webhook-topic'];
const headerTopic = (headers: Readonly<Record<string, string>>): string =>
  topicHeaders.map((name) => headers[name]).find((value) => value !== undefined && value !== '') ?? '';

/** The event's topic: from the header, or else from the body. */
export function topicOf(headers: Readonly<Record<string, string>>, body: Readonly<Record<string, unknown>>): string {
  return headerTopic(headers) || topicInBody(body);
}

/** The event's topic where bodies can say it: what is signed counts before a header, which is not. */
export const bodyTopicOf = (headers: Readonly<Record<string, string>>, body: Readonly<Record<string, unknown>>): string =>
  topicInBody(body) || headerTopic(headers);

function topicInBody(body: Readonly<Record<string, unknown>>): string {
  const named = [body['topic'], body['event'], body['event_name'], body['type']].find((value) => typeof value === 'string');
  return typeof named === 'string' ? named : '';
}

function normalize(
  receiver: PlatformReceiver,
  topic: string,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>>,
): PlatformEvent | undefined {
  const receivedAt = now();
  const webhook = { topic: topic.toLowerCase(), body, receivedAt, triggeredAt: triggerTime(headers, receivedAt) };
  switch (receiver) {
    case 'storeplatform':
      return normalizeStoreplatform(webhook);
    case 'webshop':
      return normalizeWebshop(webhook);
    case 'logistics':
      return normalizeLogistics(body);
    case 'checkout':
      return normalizeCheckout(body, topic, receivedAt);
  }
}

/** When the platform sent the post. A time in the future would hide every later update. */
function triggerTime(headers: Readonly<Record<string, string>>, receivedAt: number): number | undefined {
  const triggered = Date.parse(headers['x-shopify-triggered-at'] ?? headers['shopify-triggered-at'] ?? '');
  return Number.isNaN(triggered) || triggered > receivedAt + 300_000 ? undefined : triggered;
}

/** A hash of the body: topic and delivery id are headers, which a repeated post could change. */
const deliveryKey = (receiver: PlatformReceiver, raw: Buffer, salt = ''): string =>
  `${receiver}:${sha256(Buffer.concat([Buffer.from(`${salt}\n`), raw]))}`;

const secretHeaders = /auth|cookie|token|secret|api-key/i;
const withoutSecrets = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !secretHeaders.test(name)));
