import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { reserveTemplateCreate } from '../../functions/templates/store/create-limit.ts';
import { problemOf } from '../messaging/fixture.ts';
import { helloWorld, orderUpdate, providerError, refusalOf, startTemplateFixture, templateOf, templatesOf } from './fixture.ts';

const fixture = await startTemplateFixture();
afterEach(() => fixture.line());
afterAll(() => fixture.stop());

const isCreate = ({ method }: { method: string }): boolean => method === 'POST';

describe('creating', () => {
  test('submits the template and publishes its approval', async () => {
    const company = await fixture.company();
    const made = templateOf(await fixture.create(company, orderUpdate()));
    expect(made).toMatchObject({ id: 1, name: 'order_update', language: 'en', status: 'PENDING', category: 'UTILITY' });
    expect(made).toMatchObject({ parameter_format: 'positional', provider_template_id: expect.stringMatching(/^\d{15,16}$/) });
    await fixture.deliverAll();
    expect(templateOf(await fixture.api(company, 'GET', '/1')).status).toBe('APPROVED');
    expect(fixture.statusUpdate(company)).toMatchObject([
      { template_id: 1, status: 'APPROVED', previous_status: 'PENDING', rejected_reason: null, name: 'order_update', language: 'en' },
    ]);
  });

  test('shows why the provider rejected it', async () => {
    const company = await fixture.company();
    templateOf(await fixture.create(company, orderUpdate({ name: 'a_scam' })));
    await fixture.deliverAll();
    expect(templateOf(await fixture.api(company, 'GET', '/1'))).toMatchObject({ status: 'REJECTED', rejected_reason: 'SCAM' });
    expect(fixture.statusUpdate(company)).toMatchObject([{ status: 'REJECTED', rejected_reason: 'SCAM' }]);
  });

  test('of an authentication template stores the texts that the provider wrote; sends are checked against them', async () => {
    const company = await fixture.company();
    const made = templateOf(
      await fixture.create(company, {
        name: 'code',
        language: 'en_US',
        category: 'authentication',
        message_send_ttl_seconds: 60,
        components: [
          { type: 'body', add_security_recommendation: true },
          { type: 'footer', code_expiration_minutes: 5 },
          { type: 'buttons', buttons: [{ type: 'otp', otp_type: 'copy_code', text: 'Copy Code' }] },
        ],
      }),
    );
    expect(made.message_send_ttl_seconds).toBe(60);
    expect(made.components).toMatchObject([
      { type: 'BODY', text: '*{{1}}* is your verification code. For your security, do not share this code.' },
      { type: 'FOOTER', text: 'This code expires in 5 minutes.' },
      { type: 'BUTTONS', buttons: [{ type: 'URL', url: expect.stringContaining('{{1}}') }] },
    ]);
  });

  test('takes the examples beside the components, by place and by name', async () => {
    const company = await fixture.company();
    const positional = { components: [{ type: 'BODY', text: 'Hi {{1}}, order {{2}} has shipped today.' }], examples: ['Ada', 'A-1'] };
    expect(templateOf(await fixture.create(company, orderUpdate(positional))).components).toMatchObject([
      { example: { body_text: [['Ada', 'A-1']] } },
    ]);
    const named = orderUpdate({
      name: 'named',
      components: [
        { type: 'BODY', text: 'Hi {{first_name}}, order {{order}} has shipped today.', examples: { order: 'A-1', first_name: 'Ada' } },
      ],
    });
    const made = templateOf(await fixture.create(company, named));
    expect(made.parameter_format).toBe('named');
    expect(made.components).toMatchObject([
      {
        example: {
          body_text_named_params: [
            { param_name: 'first_name', example: 'Ada' },
            { param_name: 'order', example: 'A-1' },
          ],
        },
      },
    ]);
  });

  test('of a name that there is in that language is 409; in another language it is another template', async () => {
    const company = await fixture.company();
    templateOf(await fixture.create(company, orderUpdate()));
    const again = await fixture.create(company, orderUpdate({ category: 'MARKETING' }));
    expect(refusalOf(again)).toEqual([409, 'template_exists']);
    expect(problemOf(again).details).toMatchObject({ template_id: 1 });
    expect(templateOf(await fixture.create(company, orderUpdate({ language: 'en-US' })))).toMatchObject({ id: 2, language: 'en_US' });
  });

  test('of one that the provider has already is 409, and brings that one in', async () => {
    const company = await fixture.company();
    await fixture.atProvider(company, [{ ...helloWorld, name: 'order_update', language: 'en' }]);
    const answer = await fixture.create(company, orderUpdate());
    expect(refusalOf(answer)).toEqual([409, 'template_exists']);
    const { template_id: id } = problemOf(answer).details ?? {};
    expect(templateOf(await fixture.api(company, 'GET', `/${String(id)}`))).toMatchObject({
      status: 'APPROVED',
      components: helloWorld.components,
    });
  });

  test('is 422 with the reason of the provider, and leaves nothing', async () => {
    const company = await fixture.company();
    fixture.line((call) => (isCreate(call) ? { status: 400, body: providerError(100, 2388293) } : 'pass'));
    const answer = await fixture.create(company, orderUpdate());
    expect(refusalOf(answer)).toEqual([422, 'provider_rejected']);
    expect(problemOf(answer).details).toMatchObject({
      provider_code: 100,
      provider_subcode: 2388293,
      field: 'components.0',
      retryable: false,
    });
    await fixture.testApp.drain();
    expect(templatesOf(await fixture.api(company, 'GET', '?status=all'))).toMatchObject({ data: [], meta: { total: 0 } });
    expect(fixture.statusUpdate(company)).toEqual([]);
  });

  test.each([
    [{ status: 400, body: providerError(80007) }, '60'],
    [
      { status: 400, body: providerError(4), headers: { 'x-business-use-case-usage': '{"1":[{"estimated_time_to_regain_access":2}]}' } },
      '120',
    ],
    [{ status: 500, body: providerError(2) }, '10'],
    ['lose-request' as const, '5'],
  ])('is 503 with Retry-After when the provider takes no calls: %j', async (fate, retryAfter) => {
    const company = await fixture.company();
    fixture.line((call) => (isCreate(call) ? fate : 'pass'));
    const answer = await fixture.create(company, orderUpdate());
    expect(refusalOf(answer)).toEqual([503, 'temporarily_unavailable']);
    expect(answer.headers['retry-after']).toBe(retryAfter);
  });

  test('whose answer is lost is found by name and language, and made once', async () => {
    const company = await fixture.company();
    fixture.line((call) => (isCreate(call) ? 'lose-answer' : 'pass'));
    const made = templateOf(await fixture.create(company, orderUpdate()));
    expect(made).toMatchObject({ status: 'PENDING', provider_template_id: expect.any(String) });
    expect(fixture.creates()).toBe(1);
  });

  test('whose answer is lost, and which cannot be looked for, goes on under the same key without a second create', async () => {
    const company = await fixture.company();
    fixture.line((call) => (isCreate(call) ? 'lose-answer' : { status: 503, body: '' }));
    const first = await fixture.create(company, orderUpdate(), 'key-1');
    expect(refusalOf(first)).toEqual([503, 'temporarily_unavailable']);
    fixture.line();
    const made = templateOf(await fixture.create(company, orderUpdate(), 'key-1'));
    expect(made).toMatchObject({ id: 1, provider_template_id: expect.any(String) });
    expect(fixture.creates()).toBe(0);
    const replayed = await fixture.create(company, orderUpdate(), 'key-1');
    expect(replayed.headers['idempotent-replayed']).toBe('true');
  });

  test('that never reached the provider is made by a repetition, also without a key once its claim has expired', async () => {
    const company = await fixture.company();
    fixture.line(() => 'lose-request');
    expect((await fixture.create(company, orderUpdate(), 'key-1')).status).toBe(503);
    fixture.line();
    expect(refusalOf(await fixture.create(company, orderUpdate()))).toEqual([409, 'template_exists']);
    expect(templateOf(await fixture.create(company, orderUpdate(), 'key-1')).id).toBe(1);
    expect(fixture.creates()).toBe(1);

    fixture.line(() => 'lose-request');
    expect((await fixture.create(company, orderUpdate({ name: 'second' }))).status).toBe(503);
    fixture.line();
    fixture.testApp.clock.advance(60_000);
    expect(templateOf(await fixture.create(company, orderUpdate({ name: 'second' })))).toMatchObject({ id: 2, status: 'PENDING' });
    expect(fixture.creates()).toBe(1);
  });

  test('twice at once makes one', async () => {
    const company = await fixture.company();
    const answers = await Promise.all([1, 2, 3].map(() => fixture.create(company, orderUpdate())));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect(fixture.creates()).toBe(1);
  });

  test('survives a webhook that overtakes the answer', async () => {
    const company = await fixture.company();
    fixture.line((call) => (isCreate(call) ? { hold: () => fixture.deliverAll() } : 'pass'));
    const made = templateOf(await fixture.create(company, orderUpdate()));
    expect(made.status).toBe('APPROVED');
    await fixture.testApp.drain();
    expect(fixture.statusUpdate(company)).toHaveLength(1);
  });

  test('is limited to 100 an hour, as the provider limits it', async () => {
    const company = await fixture.company();
    fixture.line((call) => (isCreate(call) ? { status: 200, body: { id: '1', status: 'PENDING', category: 'UTILITY' } } : 'pass'));
    for (let i = 0; i < 99; i++) {
      expect(await reserveTemplateCreate(company.id, company.number.wabaId, 100, Date.now())).toBeUndefined();
      fixture.testApp.clock.advance(10_000);
    }
    templateOf(await fixture.create(company, orderUpdate({ name: 't_99' })));
    const refused = await fixture.create(company, orderUpdate({ name: 't_100' }));
    expect(refusalOf(refused)).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(2_500);
    expect(fixture.creates()).toBe(1);
    fixture.testApp.clock.advance(Number(refused.headers['retry-after']) * 1_000);
    templateOf(await fixture.create(company, orderUpdate({ name: 't_100' })));
  });

  test('goes on after an hour of which the table still holds the count', async () => {
    const company = await fixture.company();
    templateOf(await fixture.create(company, orderUpdate({ name: 'before_noon' })));
    fixture.testApp.clock.advance(2 * 3_600_000);
    templateOf(await fixture.create(company, orderUpdate({ name: 'after_noon' })));
  });

  test('needs a number and a member', async () => {
    const company = await fixture.company({ roles: ['viewer', 'member', 'owner'] });
    expect((await fixture.api(company, 'POST', '', { token: company.tokens.viewer, body: orderUpdate() })).status).toBe(403);
  });
});
