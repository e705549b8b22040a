import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { signedHeaders, secretFrom, signatureOf } from '../../functions/webhooks/domain/signature.ts';
import { verifyWebhook } from '../../lib/local/receiver/verify-webhook.ts';
import { type Printed, startReceiver } from '../../lib/local/receiver/server.ts';

const root = join(import.meta.dirname, '../..');
const secret = secretFrom(Buffer.alloc(32, 7));
const body = JSON.stringify({ event: 'order.created', id: 'evt_1', timestamp: '', data: { order_id: 1 } });
const now = 1_795_608_000_000;
const headers = signedHeaders({ id: 'evt_1', event: 'order.created', body }, [secret], now);

describe('the signature', () => {
  test('is that of Standard Webhooks: its published example', () => {
    expect(
      signatureOf('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, '{"test": 2432232314}'),
    ).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  test('is checked as the guide says: the right one holds, also beside another', () => {
    expect(verifyWebhook(secret, headers, body, now)).toMatchObject({ id: 'evt_1', data: { order_id: 1 } });
    const rotated = signedHeaders({ id: 'evt_1', event: 'order.created', body }, [secretFrom(Buffer.alloc(32, 8)), secret], now);
    expect(verifyWebhook(secret, rotated, body, now)).toBeDefined();
  });

  test.each([
    ['another body', headers, body.replace('1', '2'), now],
    ['another id', { ...headers, 'webhook-id': 'evt_2' }, body, now],
    ['another time', { ...headers, 'webhook-timestamp': String(now / 1_000 + 1) }, body, now],
    ['an old call', headers, body, now + 301_000],
    ['a call from the future', headers, body, now - 301_000],
    ['a time that is none', { ...headers, 'webhook-timestamp': 'soon' }, body, now],
    ['no signature', { ...headers, 'webhook-signature': undefined }, body, now],
    ['an empty signature', { ...headers, 'webhook-signature': '' }, body, now],
  ])('does not hold for %s', (_what, given, text, at) => {
    expect(verifyWebhook(secret, given, text, at)).toBeUndefined();
  });

  test('check of the guide is the one that runs here', () => {
    const guide = readFileSync(join(root, 'docs/guides/07-webhooks.md'), 'utf8');
    expect(guide).toContain(readFileSync(join(root, 'lib/local/receiver/verify-webhook.ts'), 'utf8').trimEnd());
  });
});

test('the receiver of the laptop believes what is signed, tells repeats, and refuses the rest', async () => {
  const printedLines: Printed[] = [];
  await using receiver = await startReceiver(
    0,
    () => secret,
    (printed) => printedLines.push(printed),
  );
  const post = async (sent: string): Promise<number> => (await fetch(receiver.url, { method: 'POST', headers, body: sent })).status;
  expect([await post(body), await post(body), await post('{}')]).toEqual([200, 200, 401]);
  expect(printedLines.map(({ verified, repeated }) => [verified, repeated])).toEqual([
    [true, false],
    [true, true],
    [false, false],
  ]);
});
