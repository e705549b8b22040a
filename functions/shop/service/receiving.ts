import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Principal } from '../../../shared/contract/route.ts';
import { send } from '../../../shared/queue/send.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { signingSecrets } from '../../account/service/signing.ts';
import { deliveriesQueue } from '../contract/delivery.ts';
import type { Said } from '../contract/said.ts';
import type { Queued } from '../contract/webhook.ts';
import { readCheckout } from '../domain/checkout.ts';
import { parseExactJson } from '../domain/exact-json.ts';
import { readLogistics } from '../domain/logistics.ts';
import { givenSignature, isSigned } from '../domain/signature.ts';
import { readStoreplatform } from '../domain/storeplatform.ts';
import { isPing, readWebshop } from '../domain/webshop.ts';
import { keepTestCall } from '../store/delivery.ts';

export type PlatformReceiver = 'storeplatform' | 'webshop' | 'logistics' | 'checkout';

export interface Post {
  caller: Principal;
  raw: Buffer;
  headers: Readonly<Record<string, string>>;
}

type Refused = Problem<'invalid_webhook_token' | 'invalid_signature' | 'invalid_json'>;

/**
 * A platform's post: token, signature over the raw bytes, the payload in our words on the queue, the answer (S18, S19). What nothing
 * follows from is answered as taken, so that the platform keeps sending.
 */
export const receive = async (receiver: PlatformReceiver, { caller, raw, headers }: Post): Promise<Queued | Refused> => {
  if (caller.subject !== receiver) return problem('invalid_webhook_token');
  const text = raw.toString('utf8');
  if (receiver === 'webshop' && isPing(text)) return { success: true };
  const signature = await checked(receiver, { caller, raw, headers }, 'webhook_token');
  if (signature === 'invalid') return problem('invalid_signature');
  const flag = signature === 'unsigned' ? { unsigned: true as const } : {};
  const body = parseExactJson(text);
  if (body === undefined) return problem('invalid_json');
  const topic = topicOf(headers, body);
  const said = inOurWords(receiver, topic, body, headers);
  if (said === undefined) return { success: true, ignored: true, ...flag };
  const key = deliveryKey(receiver, topic, raw, headers);
  await send(deliveriesQueue, [{ companyId: caller.companyId, message: { company_id: caller.companyId, key, said } }]);
  return { success: true, queued: true, ...flag };
};

export interface TestResult {
  event: string | null;
  headers: Record<string, string>;
  body: unknown;
  signature: 'valid' | 'invalid' | 'absent';
  receivedAt: string;
}

/** The test receiver (S26): shows what came, and whether its signature fits; kept 24 hours. */
export const receiveTest = async ({ caller, raw, headers }: Post): Promise<TestResult | Problem<'invalid_webhook_token'>> => {
  if (caller.subject !== 'test') return problem('invalid_webhook_token');
  const at = now();
  const text = raw.toString('utf8');
  const body = parseExactJson(text) ?? text;
  const given = givenSignature('test', headers);
  const secrets = await signingSecrets(caller.companyId, 'webhook_token', caller.credentialId);
  const signature = given === undefined ? 'absent' : isSigned(raw, secrets, given) ? 'valid' : 'invalid';
  const event = (typeof body === 'string' ? headerTopic(headers) : topicOf(headers, body)) || null;
  await keepTestCall({ companyId: caller.companyId, at, event: event ?? '', signature, body: text.slice(0, 50_000).toWellFormed() });
  return { event, headers: safe(headers), body, signature, receivedAt: isoTime(at) };
};

/** Whether a receiver's post is signed with one of its secrets; `unsigned`: none is set. */
export async function checked(
  receiver: string,
  { caller, raw, headers }: Post,
  kind: 'webhook_token' | 'erp_token',
): Promise<'valid' | 'invalid' | 'unsigned'> {
  const secrets = await signingSecrets(caller.companyId, kind, caller.credentialId);
  if (secrets.length === 0) return 'unsigned';
  return isSigned(raw, secrets, givenSignature(receiver, headers)) ? 'valid' : 'invalid';
}

const topicHeaders = ['x-shopify-topic', 'shopify-topic', 'x-wc-webhook-topic', 'x-webhook-topic'];
const headerTopic = (headers: Readonly<Record<string, string>>): string =>
  topicHeaders.map((name) => headers[name]).find((value) => value !== undefined && value !== '') ?? '';

/** From the header, else from the body (S19). */
export function topicOf(headers: Readonly<Record<string, string>>, body: Readonly<Record<string, unknown>>): string {
  const named = [body['topic'], body['event'], body['event_name'], body['type']].find((value) => typeof value === 'string');
  return headerTopic(headers) || (typeof named === 'string' ? named : '');
}

function inOurWords(
  receiver: PlatformReceiver,
  topic: string,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>>,
): Said | undefined {
  const receivedAt = now();
  const triggered = Date.parse(headers['x-shopify-triggered-at'] ?? headers['shopify-triggered-at'] ?? '');
  const told = {
    topic: topic.toLowerCase(),
    body,
    receivedAt,
    // a time in the future would hide every later word
    triggeredAt: Number.isNaN(triggered) || triggered > receivedAt + 300_000 ? undefined : triggered,
    shop: headers['x-shopify-shop-domain'] ?? headers['shopify-shop-domain'],
  };
  switch (receiver) {
    case 'storeplatform':
      return readStoreplatform(told);
    case 'webshop':
      return readWebshop(told);
    case 'logistics':
      return readLogistics(body);
    case 'checkout':
      return readCheckout(body, topic, receivedAt);
  }
}

/** S19: the platform's own id of the delivery where it is unique; else topic and bytes. */
function deliveryKey(receiver: PlatformReceiver, topic: string, raw: Buffer, headers: Readonly<Record<string, string>>): string {
  const own = receiver === 'storeplatform' ? (headers['x-shopify-webhook-id'] ?? headers['shopify-webhook-id']) : undefined;
  const named = receiver === 'webshop' ? undefined : (own ?? headers['x-webhook-id']);
  const id = named === undefined || named === '' ? sha256(Buffer.concat([Buffer.from(`${topic}\n`), raw])) : sha256(named);
  return `${receiver}:${id}`;
}

const secretHeaders = /auth|cookie|token|secret|api-key/i;
const safe = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !secretHeaders.test(name)));
