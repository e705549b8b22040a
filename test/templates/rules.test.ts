import { describe, expect, test } from 'vitest';
import { templateBody } from '../../functions/templates/contract/template.ts';
import { toDraft, toProviderRequest } from '../../functions/templates/domain/draft.ts';
import { validateTemplate } from '../../functions/templates/domain/rules.ts';
import { isTransition, supersedesStatus } from '../../functions/templates/domain/status.ts';
import { orderUpdate } from './fixture.ts';

const about = (over: Record<string, unknown>): string[] => {
  const body = templateBody.parse(orderUpdate(over));
  return Object.keys(validateTemplate(toDraft(body), body));
};
const body = (text: string, example?: Record<string, unknown>) => ({
  components: [{ type: 'BODY', text, ...(example ? { example } : {}) }],
});
const withPart = (part: Record<string, unknown>) => ({ components: [{ type: 'BODY', text: 'Hello there.' }, part] });
const buttons = (...list: Record<string, unknown>[]) => withPart({ type: 'BUTTONS', buttons: list });
const cardWith = (button: Record<string, unknown>) => ({
  components: [
    { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::aW'] } },
    { type: 'BUTTONS', buttons: [button] },
  ],
});
const reply = { type: 'QUICK_REPLY', text: 'Yes' };
const url = { type: 'URL', text: 'Shop', url: 'https://a.example/' };
const code = (button: Record<string, unknown>, more: Record<string, unknown>[] = []) => ({
  category: 'AUTHENTICATION',
  components: [{ type: 'BODY' }, ...more, { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', ...button }] }],
});
const app = { package_name: 'com.example.app', signature_hash: 'K8a/AINcGX7' };

describe('a rule of the provider that is broken names its field', () => {
  test.each<[string, Record<string, unknown>, string[]]>([
    ['a name with capitals', { name: 'Order' }, ['name']],
    ['a name of 513', { name: 'a'.repeat(513) }, ['name']],
    ['a language that is none', { language: 'english' }, ['language']],
    ['a category that is none', { category: 'FUN' }, ['category']],
    ['a parameter format that is none', { parameter_format: 'odd' }, ['parameter_format']],
    ['no body', { components: [{ type: 'FOOTER', text: 'x' }] }, ['components']],
    [
      'two bodies',
      {
        components: [
          { type: 'BODY', text: 'a' },
          { type: 'body', text: 'b' },
        ],
      },
      ['components.1.type'],
    ],
    ['a component that there is not', withPart({ type: 'SONG' }), ['components.1.type']],
    ['an empty body', body(' '), ['components.0.text']],
    ['a body of 1,025', body('a'.repeat(1_025)), ['components.0.text']],
    ['a variable first', body('{{1}} hello', { body_text: [['a']] }), ['components.0.text']],
    ['a variable last', body('hello {{1}}', { body_text: [['a']] }), ['components.0.text']],
    ['adjacent variables', body('a {{1}} {{2}} b', { body_text: [['a', 'b']] }), ['components.0.text']],
    ['a gap in the numbers', body('a {{1}} b {{3}} c', { body_text: [['a', 'b']] }), ['components.0.text']],
    ['a variable with spaces', body('a {{ 1 }} b'), ['components.0.text']],
    ['an empty variable', body('a {{}} b'), ['components.0.text']],
    ['no example', body('a {{1}} b'), ['components.0.example.body_text']],
    ['one example of two', body('a {{1}} b {{2}} c', { body_text: [['a']] }), ['components.0.example.body_text']],
    ['no example of a name', body('a {{who}} b'), ['components.0.example.body_text_named_params']],
    [
      'a name with capitals in a variable',
      body('a {{Who}} b', { body_text_named_params: [{ param_name: 'Who', example: 'x' }] }),
      ['components.0.text'],
    ],
    ['a header of 61', withPart({ type: 'HEADER', format: 'TEXT', text: 'a'.repeat(61) }), ['components.1.text']],
    [
      'a header with two variables',
      withPart({ type: 'HEADER', format: 'TEXT', text: 'a {{1}} {{2}}', example: { header_text: ['a', 'b'] } }),
      ['components.1.text'],
    ],
    ['a header in bold', withPart({ type: 'HEADER', format: 'TEXT', text: '*a*' }), ['components.1.text']],
    ['a header without a format', withPart({ type: 'HEADER', text: 'a' }), ['components.1.format']],
    ['a media header without a sample', withPart({ type: 'HEADER', format: 'IMAGE' }), ['components.1.example.header_handle']],
    ['a footer of 61', withPart({ type: 'FOOTER', text: 'a'.repeat(61) }), ['components.1.text']],
    ['a footer with a variable', withPart({ type: 'FOOTER', text: 'a {{1}} b' }), ['components.1.text']],
    ['no buttons', buttons(), ['components.1.buttons']],
    ['11 buttons', buttons(...Array.from({ length: 11 }, () => reply)), ['components.1.buttons']],
    ['3 addresses', buttons(url, url, url), ['components.1.buttons']],
    ['scattered replies', buttons(reply, url, reply), ['components.1.buttons']],
    ['a button of 26', buttons({ ...reply, text: 'a'.repeat(26) }), ['components.1.buttons.0.text']],
    ['a button with an emoji', buttons({ ...reply, text: 'Yes 😃' }), ['components.1.buttons.0.text']],
    ['a button that there is not', buttons({ type: 'BELL', text: 'a' }), ['components.1.buttons.0.type']],
    ['an address without a scheme', buttons({ ...url, url: 'a.example' }), ['components.1.buttons.0.url']],
    ['a variable amid an address', buttons({ ...url, url: 'https://a.example/{{1}}/x' }), ['components.1.buttons.0.url']],
    ['an address variable without example', buttons({ ...url, url: 'https://a.example/{{1}}' }), ['components.1.buttons.0.example']],
    ['an address of 2,001', buttons({ ...url, url: `https://a.example/${'a'.repeat(1_983)}` }), ['components.1.buttons.0.url']],
    ['a phone button without a phone', buttons({ type: 'PHONE_NUMBER', text: 'Call' }), ['components.1.buttons.0.phone_number']],
    ['a copied code of 21', buttons({ type: 'COPY_CODE', example: 'a'.repeat(21) }), ['components.1.buttons.0.example']],
    ['a one-time code button elsewhere', buttons({ type: 'OTP', text: 'x' }), ['components.1.buttons.0.type']],
    ['a short life of marketing', { category: 'MARKETING', message_send_ttl_seconds: 60 }, ['message_send_ttl_seconds']],
    [
      'a text in a code template',
      { ...code({}), components: [{ type: 'BODY', text: 'x' }, ...code({}).components.slice(1)] },
      ['components.0.text'],
    ],
    ['a header in a code template', code({}, [{ type: 'HEADER', format: 'TEXT', text: 'x' }]), ['components.1.type']],
    ['a code that lives 91 minutes', code({}, [{ type: 'FOOTER', code_expiration_minutes: 91 }]), ['components.1.code_expiration_minutes']],
    ['a code template without a button', { category: 'AUTHENTICATION', components: [{ type: 'BODY' }] }, ['components']],
    ['a tap that there is not', code({ otp_type: 'TWO_TAP', supported_apps: [app] }), ['components.1.buttons.0.otp_type']],
    ['one tap without an app', code({ otp_type: 'ONE_TAP' }), ['components.1.buttons.0.supported_apps']],
    [
      'six apps',
      code({ otp_type: 'ONE_TAP', supported_apps: Array.from({ length: 6 }, () => app) }),
      ['components.1.buttons.0.supported_apps'],
    ],
    [
      'a signature of 10',
      code({ otp_type: 'ONE_TAP', supported_apps: [{ ...app, signature_hash: '0123456789' }] }),
      ['components.1.buttons.0.supported_apps.0.signature_hash'],
    ],
    [
      'zero tap without its terms',
      code({ otp_type: 'ZERO_TAP', supported_apps: [app] }),
      ['components.1.buttons.0.zero_tap_terms_accepted'],
    ],
    [
      'a card with a bad button',
      { category: 'MARKETING', ...withPart({ type: 'CAROUSEL', cards: [cardWith(reply), cardWith({ ...reply, text: '' })] }) },
      ['components.1.cards.1.components.1.buttons.0.text'],
    ],
    ['components beyond all measure', withPart({ type: 'LIMITED_TIME_OFFER', x: 'a'.repeat(60_001) }), ['components']],
  ])('%s', (_what, over, fields) => expect(about(over)).toEqual(fields));
});

describe('what the provider takes passes', () => {
  test.each<[string, Record<string, unknown>]>([
    ['the plainest', {}],
    [
      'a header with its variable last',
      withPart({ type: 'HEADER', format: 'TEXT', text: 'Hello {{1}}', example: { header_text: ['Ada'] } }),
    ],
    ['a media header', withPart({ type: 'header', format: 'document', example: { header_handle: ['4::aW'] } })],
    ['a variable used twice', body('a {{1}} b {{1}} c', { body_text: [['a']] })],
    ['a flat list of examples', body('a {{1}} b', { body_text: ['a'] })],
    [
      'all buttons',
      buttons(
        reply,
        reply,
        url,
        { type: 'PHONE_NUMBER', text: 'Call', phone_number: '15550051310' },
        { type: 'COPY_CODE', example: '25OFF' },
      ),
    ],
    ['a life of 30 days', { message_send_ttl_seconds: -1 }],
    ['an old one-tap button, whose app goes into the list', code({ otp_type: 'one_tap', ...app })],
    ['any script', body('नमस्ते {{1}}, आपका ऑर्डर भेज दिया गया है।', { body_text: [['Ada']] })],
  ])('%s', (_what, over) => expect(about(over)).toEqual([]));

  test('and goes out in its form', () => {
    const parsed = templateBody.parse(orderUpdate(code({ otp_type: 'one_tap', ...app })));
    expect(toProviderRequest(toDraft(parsed))).toMatchObject({
      parameter_format: 'positional',
      components: [{ type: 'BODY' }, { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'ONE_TAP', supported_apps: [app] }] }],
    });
  });
});

describe('the moves of a status', () => {
  test.each([
    ['PENDING', 'APPROVED', true],
    ['PENDING', 'PAUSED', false],
    ['APPROVED', 'PENDING', false],
    ['APPROVED', 'PAUSED', true],
    ['PAUSED', 'APPROVED', true],
    ['REJECTED', 'IN_APPEAL', true],
    ['DISABLED', 'APPROVED', false],
    ['DISABLED', 'DELETED', true],
    ['DELETED', 'APPROVED', false],
    ['DELETED', 'DELETED', false],
    ['RESTING', 'APPROVED', true],
    ['APPROVED', 'RESTING', true],
  ])('%s to %s: %j', (from, to, is) => expect(isTransition(from, to)).toBe(is));

  test('an update counts when it is newer, and within one second when its status may follow', () => {
    const known = { status: 'PENDING', at: 10_700 };
    expect(supersedesStatus({ status: 'APPROVED', at: 10_000 }, known)).toBe(true);
    expect(supersedesStatus({ status: 'PAUSED', at: 10_000 }, known)).toBe(false);
    expect(supersedesStatus({ status: 'PAUSED', at: 11_000 }, known)).toBe(true);
    expect(supersedesStatus({ status: 'APPROVED', at: 9_999 }, known)).toBe(false);
  });
});
