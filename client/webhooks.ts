import type { WebhookEvent } from './operations.generated.ts';

/** The headers of a request, as `fetch`, Node or a function in the cloud hands them over. */
export type RequestHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The event, if the call is Switchboard's and not older than five minutes; undefined otherwise. By `event.event` it has the data of its kind.
 *
 * @param secret that of the endpoint, `whsec_...`; after a rotation the old one is good for 24 hours, and a list of both is taken
 * @param body the text as it came, before any parsing
 * @param nowMs where the clock of the caller is not to be used
 */
export async function verifyWebhook(
  secret: string | readonly string[],
  headers: RequestHeaders,
  body: string,
  nowMs: number = Date.now(),
): Promise<WebhookEvent | undefined> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headerOf(headers, name));
  if (id === undefined || timestamp === undefined || signatures === undefined) return undefined;
  if (!(Math.abs(nowMs / 1_000 - Number(timestamp)) <= toleranceSeconds)) return undefined;
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const each of [secret].flat()) {
    const bytes = bytesOf(each.replace(/^whsec_/, ''));
    if (!bytes) continue;
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    // during a rotation there are two
    for (const signature of signatures.split(' ')) {
      const given = bytesOf(signature.replace(/^v1,/, ''));
      // in constant time
      if (given && (await crypto.subtle.verify('HMAC', key, given, signed))) return JSON.parse(body) as WebhookEvent;
    }
  }
  return undefined;
}

const toleranceSeconds = 300;

function headerOf(headers: RequestHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : value?.[0];
}

/** Undefined: no base64, or nothing. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    return bytes.length > 0 ? bytes : undefined;
  } catch {
    return undefined;
  }
}
