import { describe, expect, it } from 'vitest';
import { secretFrom, signedHeaders } from '../../functions/webhooks/domain/signature.ts';
import { verifyWebhook, type WebhookEvent } from '../../client/client.ts';
import { verifyWebhook as verifyOfGuide } from '../../lib/local/receiver/verify-webhook.ts';

/** What the client says of a call to an endpoint: whose it is, and which event. */
const secret = secretFrom(Buffer.alloc(32, 7));
const former = secretFrom(Buffer.alloc(32, 8));
const body = JSON.stringify({ event: 'message.received', id: 'evt_1', timestamp: '', data: { contact_id: 1, value: 'Grüße' } });
const now = 1_795_608_000_000;
const headers = signedHeaders({ id: 'evt_1', event: 'message.received', body }, [secret], now);

describe('verifyWebhook of the client', () => {
  it('gives the event with the data of its kind', async () => {
    const event = await verifyWebhook(secret, headers, body, now);
    expect(textOf(event)).toBe('Grüße');
  });

  it.each([
    ['headers of fetch', new Headers(headers)],
    [
      'headers in capitals',
      { 'Webhook-Id': 'evt_1', 'Webhook-Timestamp': headers['webhook-timestamp'], 'Webhook-Signature': headers['webhook-signature'] },
    ],
    ['headers as lists', Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))],
  ])('reads %s', async (_what, given) => {
    expect(await verifyWebhook(secret, given, body, now)).toMatchObject({ id: 'evt_1' });
  });

  it('takes one secret of two, and one signature of two', async () => {
    expect(await verifyWebhook([former, secret], headers, body, now)).toBeDefined();
    const rotated = signedHeaders({ id: 'evt_1', event: 'message.received', body }, [former, secret], now);
    expect(await verifyWebhook(secret, rotated, body, now)).toBeDefined();
  });

  it.each([
    ['another body', headers, body.replace('1', '2'), now],
    ['another secret', signedHeaders({ id: 'evt_1', event: 'message.received', body }, [former], now), body, now],
    ['an old call', headers, body, now + 301_000],
    ['a call from the future', headers, body, now - 301_000],
    ['a time that is none', { ...headers, 'webhook-timestamp': 'soon' }, body, now],
    ['no signature', { ...headers, 'webhook-signature': undefined }, body, now],
    ['an empty signature', { ...headers, 'webhook-signature': '' }, body, now],
    ['a signature that is no base64', { ...headers, 'webhook-signature': 'v1,%%%' }, body, now],
  ])('gives nothing for %s, and neither does what the guide shows', async (_what, given, text, at) => {
    expect(await verifyWebhook(secret, given, text, at)).toBeUndefined();
    expect(verifyOfGuide(secret, given, text, at)).toBeUndefined();
  });

  it('gives nothing for a secret that is none', async () => {
    expect(await verifyWebhook(['', 'whsec_%%%'], headers, body, now)).toBeUndefined();
  });
});

/** Compiles by the union alone: each event has its own data. */
function textOf(event: WebhookEvent | undefined): string | undefined {
  if (event?.event === 'message.received') return event.data.value;
  return event?.event === 'order.created' ? event.data.order_number : undefined;
}
