import { optionalSetting } from '../../shared/runtime/env.ts';
import { log } from '../../shared/runtime/log.ts';
import { classifyAnswer, type Sent } from './domain/answer.ts';

/**
 * The one place that speaks to the messaging provider (provider reference §1). It never repeats a call: the provider has no
 * idempotency key, so whoever calls must know what came of it.
 */
export interface SendingNumber {
  phoneNumberId: string;
  version: string;
  /** The provider's root for this number; undefined: the deployment's. */
  baseUrl: string | undefined;
  accessToken: () => Promise<string>;
}

/** Long enough for the provider, short enough for the caller who waits (decision A28). */
const timeoutMs = 10_000;

export const sendToProvider = async (number: SendingNumber, request: Record<string, unknown>): Promise<Sent> => {
  const token = await number.accessToken().catch((error: unknown) => log.error('The access token of a number cannot be read', error));
  if (token === undefined) return { outcome: 'unsent' };
  let response: Response;
  try {
    response = await fetch(`${providerBase(number)}/${number.version}/${encodeURIComponent(number.phoneNumberId)}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
    });
  } catch (error) {
    return neverLeft(error) ? { outcome: 'unsent' } : { outcome: 'ambiguous' };
  }
  return classifyAnswer(response.status, await readBody(response));
};

/** A text message (provider reference §1.1): always with `+`, always with our reference. */
export const textRequest = (phone: string, body: string, reference: string): Record<string, unknown> => ({
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to: `+${phone}`,
  biz_opaque_callback_data: reference,
  type: 'text',
  text: { preview_url: /https?:\/\//.test(body), body },
});

const providerBase = (number: SendingNumber): string =>
  (number.baseUrl ?? optionalSetting('PROVIDER_BASE_URL') ?? 'https://graph.facebook.com').replace(/\/+$/, '');

/** Errors that arise before a byte of the request is out. Anything else may have arrived. */
const beforeSending = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
]);

function neverLeft(error: unknown): boolean {
  const cause = (error as { cause?: { code?: unknown; errors?: { code?: unknown }[] } } | undefined)?.cause;
  const codes = [cause?.code, ...(cause?.errors?.map((each) => each.code) ?? [])].filter((code) => typeof code === 'string');
  return codes.length > 0 && codes.every((code) => beforeSending.has(code));
}

/** The body, or undefined when it is not JSON or was cut off. */
async function readBody(response: Response): Promise<unknown> {
  try {
    return JSON.parse(await response.text());
  } catch {
    log.warn('The provider answered without a readable body', { status: response.status });
    return undefined;
  }
}
