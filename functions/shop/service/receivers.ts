import { readForReceiver } from '../../../shared/access/receiver.ts';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Principal } from '../../../shared/contract/route.ts';
import { send } from '../../../shared/queue/send.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { getSigningSecrets } from '../../account/service/signing-secrets.ts';
import { deliveriesQueue } from '../contract/delivery.ts';
import type { PlatformEvent } from '../contract/platform-event.ts';
import type { ReceiverResponse, TestResponse } from '../contract/receivers.ts';
import { normalizeCheckout } from '../domain/checkout.ts';
import { parseExactJson } from '../domain/exact-json.ts';
import { normalizeLogistics } from '../domain/logistics.ts';
import { signatureFromHeaders, isSigned } from '../domain/signature.ts';
import { normalizeStoreplatform } from '../domain/storeplatform.ts';
import { isPing, normalizeWebshop } from '../domain/webshop.ts';
import { putTestCall } from '../store/delivery.ts';

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
async function receivePlatformEvent(receiver: PlatformReceiver, { caller, raw, headers, countUnsigned }: ReceiverRequest): ReceiverResult {
  if (caller.subject !== receiver) return problem('invalid_webhook_token');
  const text = raw.toString('utf8');
  const signature = await checkSignature(receiver, caller, raw, headers);
  const limited = signature === 'valid' ? undefined : await countUnsigned();
  if (limited) return limited;
  if (receiver === 'webshop' && isPing(text)) return { success: true };
  if (signature === 'invalid') return problem('invalid_signature');
  const flag = signature === 'unsigned' ? { unsigned: true as const } : {};
  const body = parseExactJson(text);
  if (body === undefined) return problem('invalid_json');
  const topic = topicOf(headers, body);
  const event = normalize(receiver, topic, body, headers);
  if (event === undefined) return { success: true, ignored: true, ...flag };
  const key = deliveryKey(receiver, topic, raw, headers);
  await send(deliveriesQueue, [{ companyId: caller.companyId, message: { company_id: caller.companyId, key, event } }]);
  return { success: true, queued: true, ...flag };
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
  const signature = isAbsent ? 'absent' : (await checkSignature('test', caller, raw, headers)) === 'valid' ? 'valid' : 'invalid';
  const event = (typeof body === 'string' ? headerTopic(headers) : topicOf(headers, body)) || null;
  await putTestCall({ companyId: caller.companyId, at, event: event ?? '', signature, body: text.slice(0, 50_000).toWellFormed() });
  return { success: true, received: { event, headers: withoutSecrets(headers), body }, signature, received_at: isoTime(at) };
};

/** Whether one of the receiver's secrets signed the post. `unsigned`: the receiver has no secret. */
async function checkSignature(
  receiver: PlatformReceiver | 'test',
  caller: Principal,
  raw: Buffer,
  headers: Readonly<Record<string, string>>,
): Promise<'valid' | 'invalid' | 'unsigned'> {
  const given = signatureFromHeaders(receiver, headers);
  const secrets = await readForReceiver(
    caller,
    'signing secrets',
    () => getSigningSecrets(caller.companyId, 'webhook_token', caller.credentialId),
    (held) => isSigned(raw, held, given),
  );
  if (secrets.length === 0) return 'unsigned';
  return isSigned(raw, secrets, given) ? 'valid' : 'invalid';
}

const topicHeaders = ['x-shopify-topic', 'shopify-topic', 'x-wc-webhook-topic', 'x-webhook-topic'];
const headerTopic = (headers: Readonly<Record<string, string>>): string =>
  topicHeaders.map((name) => headers[name]).find((value) => value !== undefined && value !== '') ?? '';

/** The event's topic: from the header, or else from the body. */
export function topicOf(headers: Readonly<Record<string, string>>, body: Readonly<Record<string, unknown>>): string {
  const named = [body['topic'], body['event'], body['event_name'], body['type']].find((value) => typeof value === 'string');
  return headerTopic(headers) || (typeof named === 'string' ? named : '');
}

function normalize(
  receiver: PlatformReceiver,
  topic: string,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>>,
): PlatformEvent | undefined {
  const receivedAt = now();
  const triggered = Date.parse(headers['x-shopify-triggered-at'] ?? headers['shopify-triggered-at'] ?? '');
  const webhook = {
    topic: topic.toLowerCase(),
    body,
    receivedAt,
    // A trigger time in the future would hide every later update.
    triggeredAt: Number.isNaN(triggered) || triggered > receivedAt + 300_000 ? undefined : triggered,
    shop: headers['x-shopify-shop-domain'] ?? headers['shopify-shop-domain'],
  };
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

/** The platform's delivery id where it is unique, or else a hash of topic and body. */
function deliveryKey(receiver: PlatformReceiver, topic: string, raw: Buffer, headers: Readonly<Record<string, string>>): string {
  const own = receiver === 'storeplatform' ? (headers['x-shopify-webhook-id'] ?? headers['shopify-webhook-id']) : undefined;
  const named = receiver === 'webshop' ? undefined : (own ?? headers['x-webhook-id']);
  const id = named === undefined || named === '' ? sha256(Buffer.concat([Buffer.from(`${topic}\n`), raw])) : sha256(named);
  return `${receiver}:${id}`;
}

const secretHeaders = /auth|cookie|token|secret|api-key/i;
const withoutSecrets = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !secretHeaders.test(name)));
