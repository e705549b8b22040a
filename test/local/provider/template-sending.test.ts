import { expect, test } from 'vitest';
import { openFixture, wabaId } from './fixture.ts';

const stored = [
  { name: 'plain', components: [{ type: 'BODY', text: 'Hello' }] },
  { name: 'order', components: [{ type: 'BODY', text: 'Hi {{1}}, your order {{2}} has shipped.' }] },
  { name: 'named', parameter_format: 'NAMED', components: [{ type: 'BODY', text: 'Hi {{who}}, good day.' }] },
  {
    name: 'picture',
    components: [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: 'Look' },
    ],
  },
  {
    name: 'links',
    components: [
      { type: 'BODY', text: 'Choose' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'URL', text: 'Shop', url: 'https://example.com/{{1}}' },
          { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+15550000000' },
          { type: 'QUICK_REPLY', text: 'Stop' },
        ],
      },
    ],
  },
  {
    name: 'coupon',
    components: [
      { type: 'BODY', text: 'Save' },
      { type: 'BUTTONS', buttons: [{ type: 'COPY_CODE', example: 'A' }] },
    ],
  },
  {
    name: 'code',
    category: 'AUTHENTICATION',
    components: [{ type: 'BODY' }, { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] }],
  },
  { name: 'paused', status: 'PAUSED', components: [{ type: 'BODY', text: 'Hello' }] },
  { name: 'disabled', status: 'DISABLED', components: [{ type: 'BODY', text: 'Hello' }] },
  { name: 'waiting', status: 'PENDING', components: [{ type: 'BODY', text: 'Hello' }] },
].map((each) => ({ language: 'en', category: 'UTILITY', status: 'APPROVED', ...each }));

const say = (...texts: string[]) => ({ type: 'body', parameters: texts.map((text) => ({ type: 'text', text })) });
const url = (text?: string, index: string | number = '0') => ({
  type: 'button',
  sub_type: 'url',
  index,
  ...(text !== undefined && { parameters: [{ type: 'text', text }] }),
});
const message = (name: string, components?: unknown[], language = 'en') => ({
  type: 'template',
  template: { name, language: { code: language }, ...(components && { components }) },
});

async function openWithTemplates() {
  const fixture = await openFixture();
  await fixture.control('PUT', 'templates', { waba_id: wabaId, templates: stored });
  return fixture;
}

const accepted: [string, Record<string, unknown>][] = [
  ['without parameters', message('plain')],
  ['as many parameters as variables', message('order', [say('Ann', '17')])],
  [
    'currency and date parameters',
    message('order', [
      {
        type: 'body',
        parameters: [
          { type: 'currency', currency: { fallback_value: '$1' } },
          { type: 'date_time', date_time: { fallback_value: 'May' } },
        ],
      },
    ]),
  ],
  ['named parameters', message('named', [{ type: 'body', parameters: [{ type: 'text', parameter_name: 'who', text: 'Ann' }] }])],
  [
    'an image above',
    message('picture', [{ type: 'header', parameters: [{ type: 'image', image: { link: 'https://example.com/a.jpg' } }] }]),
  ],
  ['a link suffix, words in capitals', message('links', [{ ...url('a'), type: 'BUTTON', sub_type: 'URL', index: 0 }])],
  [
    'a coupon',
    message('coupon', [{ type: 'button', sub_type: 'copy_code', index: 0, parameters: [{ type: 'coupon_code', coupon_code: 'A1' }] }]),
  ],
  ['a code given twice', message('code', [say('123456'), url('123456')])],
];

test.for(accepted)('accepted: %s', async ([, content]) => {
  const { send } = await openWithTemplates();
  const { body } = await send(content);
  expect(body.error).toBeUndefined();
  expect(body.messages).toMatchObject([{ message_status: 'accepted' }]);
});

const refused: [string, Record<string, unknown>, number, RegExp][] = [
  ['an unknown name', message('nothing'), 132001, /template name \(nothing\) does not exist in en/],
  ['another language', message('plain', undefined, 'en_US'), 132001, /does not exist in en_US/],
  ['one not approved yet', message('waiting'), 132001, /waiting/],
  ['a paused one', message('paused'), 132015, /paused/],
  ['a disabled one', message('disabled'), 132016, /disabled/],
  [
    'too few parameters',
    message('order', [say('Ann')]),
    132000,
    /body: number of localizable_params \(1\) does not match the expected number of params \(2\)/,
  ],
  ['too many parameters', message('plain', [say('Ann')]), 132000, /\(1\).*\(0\)/],
  ['a named parameter without its name', message('named', [say('Ann')]), 100, /Parameter name is missing or empty/],
  ['a header left out', message('picture'), 132012, /expected IMAGE, received UNKNOWN/],
  [
    'a header of another kind',
    message('picture', [{ type: 'header', parameters: [{ type: 'text', text: 'A' }] }]),
    132012,
    /received TEXT/,
  ],
  [
    'an image in the body',
    message('order', [{ type: 'body', parameters: [{ type: 'image' }, { type: 'text', text: 'A' }] }]),
    132012,
    /received IMAGE/,
  ],
  ['a new line in a parameter', message('order', [say('Ann\nB', '17')]), 100, /new-line/],
  ['an empty parameter', message('order', [say('', '17')]), 131008, /missing text value/],
  ['a link suffix left out', message('links'), 131008, /Button at index 0 of type Url requires a parameter/],
  ['a parameter for the phone button', message('links', [url('a'), url('b', 1)]), 100, /of type Call and does not support parameters/],
  ['another kind of button', message('links', [url('a'), url('b', 2)]), 131009, /sub_type invalid at index: 2/],
  [
    'an unknown kind of button',
    message('links', [{ ...url('a'), sub_type: 'phone_number' }]),
    100,
    /must be one of \{BOOKING_CONFIRMATION/,
  ],
  ['a code without its button', message('code', [say('123456')]), 131008, /requires a parameter/],
  ['a code of 16 characters', message('code', [say('1234567890123456'), url('1234567890123456')]), 131009, /at most 15/],
  ['two different codes', message('code', [say('123456'), url('654321')]), 131009, /must be the authentication code/],
  ['a code to a user id', { ...message('code', [say('1'), url('1')]), to: undefined, recipient: 'US.123' }, 131062, /BSUID/],
];

test.for(refused)('refused: %s', async ([, content, code, details]) => {
  const { send, control } = await openWithTemplates();
  const { status, body } = await send(content);
  expect(status).toBe(code === 132001 ? 404 : 400);
  expect(body.error?.code).toBe(code);
  expect(`${body.error?.message} ${body.error?.error_data?.details}`).toMatch(details);
  expect((await control('GET', 'messages')).body.data).toEqual([]);
});

test('a template needs no open window, and is reported under its category', async () => {
  const { send, receiver, quiet } = await openWithTemplates();
  await send(message('plain'));
  await quiet();
  expect(receiver.statuses()).toMatchObject([
    { status: 'sent', pricing: { category: 'utility' } },
    { status: 'delivered' },
    { status: 'read' },
  ]);
});
