import { expect, test } from 'vitest';
import { accessToken, moveClock, openFixture, phoneNumberId, wabaId } from './fixture.ts';

const path = `/v23.0/${wabaId}/message_templates`;
const body = (text: string, ...examples: string[]) => ({
  type: 'BODY',
  text,
  ...(examples.length > 0 && { example: { body_text: [examples] } }),
});
const template = (components: unknown[], more: Record<string, unknown> = {}) => ({
  name: 'order_news',
  language: 'en_US',
  category: 'UTILITY',
  components,
  ...more,
});
const buttons = (...list: unknown[]) => [body('Hello there'), { type: 'BUTTONS', buttons: list }];
const otp = { type: 'otp', otp_type: 'copy_code', text: 'Copy code' };
const code = (components: unknown[]) => template(components, { category: 'authentication', name: 'code' });

const created: [string, Record<string, unknown>][] = [
  ['a body alone', template([body('Your order has shipped.')])],
  ['positional variables', template([body('Hi {{1}}, your order {{2}} has shipped.', 'Ann', '17')])],
  [
    'named variables',
    template(
      [
        {
          type: 'body',
          text: 'Hi {{who}}, good to see you.',
          example: { body_text_named_params: [{ param_name: 'who', example: 'Ann' }] },
        },
      ],
      { parameter_format: 'named' },
    ),
  ],
  ['an image header', template([{ type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::x'] } }, body('Look at this.')])],
  [
    'buttons',
    template(
      buttons({ type: 'URL', text: 'Shop', url: 'https://example.com/{{1}}', example: ['a'] }, { type: 'QUICK_REPLY', text: 'Stop' }),
    ),
  ],
  [
    'a code',
    code([
      { type: 'body', add_security_recommendation: true },
      { type: 'footer', code_expiration_minutes: 5 },
      { type: 'buttons', buttons: [otp] },
    ]),
  ],
];

test.for(created)('created: %s, pending, then approved by webhook', async ([, request]) => {
  const { call, receiver, quiet } = await openFixture();
  const answer = await call('POST', path, request);
  expect(answer).toMatchObject({ status: 200, body: { id: expect.stringMatching(/^\d{15,16}$/), status: 'PENDING' } });
  expect((await call('GET', `/v23.0/${answer.body.id}?fields=status`)).body).toEqual({ status: 'PENDING', id: answer.body.id });
  moveClock(1_000);
  await quiet();
  expect(receiver.changes()).toMatchObject([
    {
      field: 'message_template_status_update',
      value: { event: 'APPROVED', message_template_id: Number(answer.body.id), message_template_name: request.name },
    },
  ]);
  expect((await call('GET', `/v23.0/${answer.body.id}`)).body).toMatchObject({ status: 'APPROVED' });
  expect(receiver.faulty).toEqual([]);
});

const refused: [string, Record<string, unknown>, number | undefined][] = [
  ['a name in capitals', template([body('Hello')], { name: 'News' }), undefined],
  ['an unknown category', template([body('Hello')], { category: 'SPAM' }), undefined],
  ['a name of 513 characters', template([body('Hello')], { name: 'x'.repeat(513) }), 2388040],
  ['no body', template([{ type: 'FOOTER', text: 'Bye' }]), 2388043],
  ['a body of 1025 characters', template([body('x'.repeat(1025))]), 2388040],
  ['variables without examples', template([body('Hi {{1}}, good to see you.')]), 2388043],
  ['a variable at the end', template([body('Your order number is {{1}}', '17')]), 2388299],
  ['adjacent variables', template([body('Hello to {{1}}{{2}} and everybody else here', 'a', 'b')]), 2388072],
  ['a gap in the numbers', template([body('Hello to {{1}} and {{3}} and everybody else', 'a', 'b')]), 2388072],
  ['too many variables for the words', template([body('Hi {{1}} and {{2}} end', 'a', 'b')]), 2388293],
  ['two variables in the header', template([{ type: 'HEADER', format: 'TEXT', text: '{{1}} and {{2}}' }, body('Hello')]), 2388047],
  ['a header of 61 characters', template([{ type: 'HEADER', format: 'TEXT', text: 'x'.repeat(61) }, body('Hello')]), 2388040],
  ['a variable in the footer', template([body('Hello'), { type: 'FOOTER', text: 'Bye {{1}}' }]), 2388073],
  ['an emoji on a button', template(buttons({ type: 'QUICK_REPLY', text: 'Yes 👍' })), 2388060],
  ['three links', template(buttons(...['a', 'b', 'c'].map((text) => ({ type: 'URL', text, url: 'https://example.com' })))), 2388060],
  [
    'quick replies apart from each other',
    template(
      buttons(
        { type: 'QUICK_REPLY', text: 'A' },
        { type: 'URL', text: 'B', url: 'https://example.com' },
        { type: 'QUICK_REPLY', text: 'C' },
      ),
    ),
    2388060,
  ],
  ['a code with a text of its own', code([body('Your code'), { type: 'buttons', buttons: [otp] }]), 2388072],
  ['a code without its button', code([{ type: 'body' }]), 2388060],
  [
    'a code that lives 91 minutes',
    code([{ type: 'body' }, { type: 'footer', code_expiration_minutes: 91 }, { type: 'buttons', buttons: [otp] }]),
    undefined,
  ],
];

test.for(refused)('not created: %s', async ([, request, subcode]) => {
  const { call } = await openFixture();
  const { status, body } = await call('POST', path, request);
  expect(status).toBe(400);
  expect(body.error?.code).toBe(100);
  expect(body.error?.error_subcode).toBe(subcode);
  expect((await call('GET', path)).body.data).toEqual([]);
});

test('one content per name and language; a deleted approved name stays blocked for a while', async () => {
  const { call, quiet } = await openFixture();
  const request = template([body('Your order has shipped.')]);
  await call('POST', path, request);
  expect((await call('POST', path, request)).body.error?.error_subcode).toBe(2388024);
  expect((await call('POST', path, { ...request, language: 'fr' })).status).toBe(200);
  moveClock(1_000);
  await quiet();
  expect((await call('DELETE', `${path}?name=order_news`)).body).toEqual({ success: true });
  expect((await call('GET', path)).body.data).toEqual([]);
  expect((await call('POST', path, request)).body.error?.error_subcode).toBe(2388023);
  expect(await call('DELETE', `${path}?name=order_news`)).toMatchObject({ status: 404, body: { error: { code: 803 } } });
});

test('a rejected template says so by webhook and cannot be sent', async () => {
  const { call, receiver, send, quiet } = await openFixture({ webhook_version: 'v24.0' });
  await call('POST', path, template([body('Hello')], { name: 'please_reject' }));
  moveClock(1_000);
  await quiet();
  expect(receiver.changes()).toMatchObject([
    { value: { event: 'REJECTED', reason: 'INVALID_FORMAT', message_template_language: 'en-US' } },
  ]);
  const { body: answer } = await send({ type: 'template', template: { name: 'please_reject', language: { code: 'en_US' } } });
  expect(answer.error?.code).toBe(132001);
});

test('lists page by cursor, filter and choose fields', async () => {
  const { call, control } = await openFixture();
  const templates = ['a', 'b', 'c'].map((name) => ({
    name,
    language: 'en',
    category: name === 'c' ? 'MARKETING' : 'UTILITY',
    components: [body('Hello')],
  }));
  await control('PUT', 'templates', { waba_id: wabaId, templates });
  const first = await call('GET', `${path}?limit=2&fields=name,status`);
  expect(first.body).toMatchObject({ data: [{ name: 'a', status: 'APPROVED' }, { name: 'b' }], paging: { next: expect.any(String) } });
  const next = new URL(String((first.body.paging as { next: string }).next));
  const second = await call('GET', next.pathname + next.search);
  expect(second.body.data).toMatchObject([{ name: 'c' }]);
  expect(second.body.paging).not.toHaveProperty('next');
  expect((await call('GET', `${path}?category=MARKETING`)).body.data).toMatchObject([{ name: 'c' }]);
});

test('an approved template may be edited once a day, and is reviewed again', async () => {
  const { call, control, quiet } = await openFixture();
  const stored = await control('PUT', 'templates', {
    waba_id: wabaId,
    templates: [{ name: 'a', language: 'en', category: 'UTILITY', components: [body('Hello')] }],
  });
  const [{ id } = { id: '' }] = stored.body.data as { id: string }[];
  expect((await call('POST', `/v23.0/${id}`, { category: 'MARKETING' })).status).toBe(400);
  expect((await call('POST', `/v23.0/${id}`, { components: [body('Good day')] })).body).toEqual({ success: true });
  expect((await call('GET', `/v23.0/${id}`)).body).toMatchObject({ status: 'PENDING', components: [{ text: 'Good day' }] });
  moveClock(1_000);
  await quiet();
  expect((await call('POST', `/v23.0/${id}`, { components: [body('Hi')] })).body.error?.code).toBe(100);
});

test('storing templates by the control route is idempotent and can announce a change', async () => {
  const { control, receiver, quiet } = await openFixture();
  const one = { name: 'a', language: 'en', category: 'UTILITY', status: 'APPROVED', components: [body('Hello')] };
  const first = await control('PUT', 'templates', { waba_id: wabaId, templates: [one] });
  expect((await control('PUT', 'templates', { waba_id: wabaId, templates: [one] })).body).toEqual(first.body);
  await control('PUT', 'templates', { waba_id: wabaId, templates: [{ ...one, status: 'PAUSED' }], notify: true });
  moveClock(1_000);
  await quiet();
  expect(receiver.changes()).toMatchObject([{ value: { event: 'PAUSED', message_template_name: 'a' } }]);
});

test.each([
  ['2027-01-20', ['v21.0', 'v21.0', 'v27.0']],
  ['2027-01-21', ['v22.0', 'v22.0', 'v27.0']],
])('on %s a call is served by the oldest live version in place of an ended one, and one of no version is unknown', async (day, served) => {
  const { provider } = await openFixture();
  moveClock(Date.parse(day) - Date.now());
  const get = (version: string): Promise<Response> =>
    fetch(`${provider.url}/${version}/${phoneNumberId}`, { headers: { authorization: `Bearer ${accessToken}` } });
  const answers = await Promise.all(['v19.0', 'v21.0', 'v27.0'].map(get));
  expect(answers.map(({ headers }) => headers.get('facebook-api-version'))).toEqual(served);
  expect((await get('v28.0')).status).toBe(400);
});

test('an account and its numbers can be read', async () => {
  const { call } = await openFixture();
  expect((await call('GET', `/v19.0/${wabaId}/phone_numbers`)).body.data).toMatchObject([
    { id: phoneNumberId, display_phone_number: '+1 555 078 3881', quality_rating: 'GREEN' },
  ]);
  expect((await call('GET', `/v19.0/${phoneNumberId}?fields=throughput`)).body).toEqual({
    throughput: { level: 'STANDARD' },
    id: phoneNumberId,
  });
  expect((await call('GET', `/v19.0/${wabaId}?fields=message_template_namespace`)).body).toMatchObject({
    message_template_namespace: expect.stringMatching(/^\w{8}_/),
  });
  const upsert = {
    name: 'code',
    languages: ['en_US', 'fr'],
    category: 'AUTHENTICATION',
    components: [{ type: 'BODY' }, { type: 'BUTTONS', buttons: [otp] }],
  };
  expect((await call('POST', `/v19.0/${wabaId}/upsert_message_templates`, upsert)).body.data).toMatchObject([
    { language: 'en_US', status: 'APPROVED' },
    { language: 'fr' },
  ]);
});
