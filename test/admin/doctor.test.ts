import { describe, expect, test } from 'vitest';
import { evaluateWebhookUrl, evaluateNumber, type NumberSetup } from '../../functions/messaging/domain/number-setup.ts';
import { webhookFields } from '../../functions/messaging/domain/webhook-fields.ts';

describe('a number is checked at the provider', () => {
  const good: NumberSetup = {
    phone: '15550100001',
    hasAppSecret: true,
    subscriptions: { outcome: 'answered', value: [{ id: '1', overrideUrl: undefined }] },
    app: { outcome: 'answered', value: { callbackUrl: 'https://api.example.com/webhook', fields: [...webhookFields] } },
    number: {
      outcome: 'answered',
      value: {
        display_phone_number: '+1 555-010-0001',
        verified_name: 'Cedar',
        status: 'CONNECTED',
        webhook_configuration: { application: 'https://api.example.com/webhook' },
      },
    },
  };
  const withNumber = (changes: object): NumberSetup =>
    good.number.outcome === 'answered' ? { ...good, number: { outcome: 'answered', value: { ...good.number.value, ...changes } } } : good;

  const withFields = (...left: string[]): NumberSetup => ({
    ...good,
    app: {
      outcome: 'answered',
      value: { callbackUrl: 'https://api.example.com/webhook', fields: webhookFields.filter((each) => !left.includes(each)) },
    },
  });

  test('a healthy number has only ok findings', () => {
    expect(new Set(evaluateNumber(good).map(({ level }) => level))).toEqual(new Set(['ok']));
  });

  test.each([
    ['wrong', /belongs to \+49/, withNumber({ display_phone_number: '+49 151' })],
    ['wrong', /is BANNED at the provider/, withNumber({ status: 'BANNED' })],
    ['wrong', /no webhook URL/, withNumber({ webhook_configuration: {} })],
    ['doubtful', /quality rating is RED/, withNumber({ quality_rating: 'RED' })],
    ['doubtful', /display name is DECLINED/, withNumber({ name_status: 'DECLINED' })],
    ['doubtful', /ownership is EXPIRED/, withNumber({ code_verification_status: 'EXPIRED' })],
    ['doubtful', /No app secret/, { ...good, hasAppSecret: false }],
    ['wrong', /No app is subscribed/, { ...good, subscriptions: { outcome: 'answered', value: [] } }],
    ['wrong', /not subscribed to messages, user_preferences/, withFields('messages', 'user_preferences')],
    [
      'wrong',
      /not that of an app which is subscribed/,
      { ...good, app: { outcome: 'refused', status: 401, code: 190, subcode: undefined } },
    ],
    ['wrong', /has expired/, { ...good, number: { outcome: 'refused', status: 401, code: 190, subcode: 463 } as const }],
    ['wrong', /lacks a permission/, { ...good, number: { outcome: 'refused', status: 403, code: 10, subcode: undefined } as const }],
    ['wrong', /no such number/, { ...good, number: { outcome: 'refused', status: 400, code: 100, subcode: 33 } as const }],
    [
      'wrong',
      /does not take the access token/,
      { ...good, number: { outcome: 'refused', status: 401, code: 190, subcode: undefined } as const },
    ],
    ['wrong', /refuses with code 131 /, { ...good, number: { outcome: 'refused', status: 400, code: 131, subcode: undefined } as const }],
    ['wrong', /does not answer from here/, { ...good, number: { outcome: 'unreachable' } as const }],
    ['wrong', /is not the provider/, { ...good, number: { outcome: 'unreadable', status: 200 } as const }],
  ] satisfies [string, RegExp, NumberSetup][])('%s: %s', (level, says, seen) => {
    const found = evaluateNumber(seen).filter((each) => each.level !== 'ok');
    expect(found).toMatchObject([{ level, message: expect.stringMatching(says) as string }]);
    expect(found[0]?.remedy?.length).toBeGreaterThan(10);
  });

  test.each([
    [{ status: 403, code: 'handshake_failed' }, 'ok'],
    [{ status: 404, code: 'not_found' }, 'wrong'],
    [{ status: 200, code: undefined }, 'wrong'],
    [undefined, 'wrong'],
  ] as const)('an address that answers %j is %s', (answer, level) => {
    expect(evaluateWebhookUrl(answer).level).toBe(level);
  });
});
