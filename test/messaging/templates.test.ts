import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { usingTemplate, releasingTemplate, findTemplate } from '../../functions/messaging/service/templates.ts';
import { spendCreate } from '../../functions/messaging/store/template-state.ts';
import { commit } from '../../shared/table/entity.ts';
import type { TestCompany } from '../support/company.ts';
import { problemOf } from './stage.ts';
import {
  countsOf,
  orderUpdate,
  refusalOf,
  startTemplateStage,
  templateOf,
  tenAPage,
  templatesOf,
  type TemplateStage,
} from './template-stage.ts';

let stage: TemplateStage;
beforeAll(async () => {
  stage = await startTemplateStage();
});
afterEach(() => stage.line());
afterAll(() => stage.stop());

const statusesOf = (company: TestCompany): unknown[] =>
  stage.world.events
    .filter(({ name, detail }) => name === 'template.status' && detail['company_id'] === company.id)
    .map(({ detail }) => detail['data']);

const helloWorld = { name: 'hello_world', language: 'en_US', category: 'UTILITY', components: [{ type: 'BODY', text: 'Hello!' }] };
const error = (code: number, subcode?: number) => ({ error: { code, message: 'x', ...(subcode ? { error_subcode: subcode } : {}) } });
const isCreate = ({ method }: { method: string }): boolean => method === 'POST';

describe('creating', () => {
  test('submits the template and tells when it is approved', async () => {
    const company = await stage.company();
    const made = templateOf(await stage.create(company, orderUpdate()));
    expect(made).toMatchObject({ id: 1, name: 'order_update', language: 'en', status: 'PENDING', category: 'UTILITY' });
    expect(made).toMatchObject({ parameter_format: 'positional', provider_template_id: expect.stringMatching(/^\d{15,16}$/) });
    await stage.settle();
    expect(templateOf(await stage.api(company, 'GET', '/1')).status).toBe('APPROVED');
    expect(statusesOf(company)).toMatchObject([
      { template_id: 1, status: 'APPROVED', previous_status: 'PENDING', rejected_reason: null, name: 'order_update', language: 'en' },
    ]);
  });

  test('shows why the provider rejected it', async () => {
    const company = await stage.company();
    templateOf(await stage.create(company, orderUpdate({ name: 'a_scam' })));
    await stage.settle();
    expect(templateOf(await stage.api(company, 'GET', '/1'))).toMatchObject({ status: 'REJECTED', rejected_reason: 'SCAM' });
    expect(statusesOf(company)).toMatchObject([{ status: 'REJECTED', rejected_reason: 'SCAM' }]);
  });

  test('of an authentication template keeps the texts that the provider wrote, which a send is checked against', async () => {
    const company = await stage.company();
    const made = templateOf(
      await stage.create(company, {
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
    const company = await stage.company();
    const positional = { components: [{ type: 'BODY', text: 'Hi {{1}}, order {{2}} has shipped today.' }], examples: ['Ada', 'A-1'] };
    expect(templateOf(await stage.create(company, orderUpdate(positional))).components).toMatchObject([
      { example: { body_text: [['Ada', 'A-1']] } },
    ]);
    const named = orderUpdate({
      name: 'named',
      components: [
        { type: 'BODY', text: 'Hi {{first_name}}, order {{order}} has shipped today.', examples: { order: 'A-1', first_name: 'Ada' } },
      ],
    });
    const made = templateOf(await stage.create(company, named));
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
    const company = await stage.company();
    templateOf(await stage.create(company, orderUpdate()));
    const again = await stage.create(company, orderUpdate({ category: 'MARKETING' }));
    expect(refusalOf(again)).toEqual([409, 'template_exists']);
    expect(problemOf(again).details).toMatchObject({ template_id: 1 });
    expect(templateOf(await stage.create(company, orderUpdate({ language: 'en-US' })))).toMatchObject({ id: 2, language: 'en_US' });
  });

  test('of one that the provider has already is 409, and brings that one in', async () => {
    const company = await stage.company();
    await stage.atProvider(company, [{ ...helloWorld, name: 'order_update', language: 'en' }]);
    const answer = await stage.create(company, orderUpdate());
    expect(refusalOf(answer)).toEqual([409, 'template_exists']);
    const { template_id: id } = problemOf(answer).details ?? {};
    expect(templateOf(await stage.api(company, 'GET', `/${String(id)}`))).toMatchObject({
      status: 'APPROVED',
      components: helloWorld.components,
    });
  });

  test('is 422 with what the provider says, and leaves nothing', async () => {
    const company = await stage.company();
    stage.line((call) => (isCreate(call) ? { status: 400, body: error(100, 2388293) } : 'pass'));
    const answer = await stage.create(company, orderUpdate());
    expect(refusalOf(answer)).toEqual([422, 'provider_rejected']);
    expect(problemOf(answer).details).toMatchObject({
      provider_code: 100,
      provider_subcode: 2388293,
      field: 'components.0',
      retryable: false,
    });
    await stage.world.drain();
    expect(templatesOf(await stage.api(company, 'GET', '?status=all'))).toMatchObject({ data: [], meta: { total: 0 } });
    expect(statusesOf(company)).toEqual([]);
  });

  test.each([
    [{ status: 400, body: error(80007) }, '60'],
    [{ status: 400, body: error(4), headers: { 'x-business-use-case-usage': '{"1":[{"estimated_time_to_regain_access":2}]}' } }, '120'],
    [{ status: 500, body: error(2) }, '10'],
    ['lose-request' as const, '5'],
  ])('is 503 with Retry-After when the provider takes no calls: %j', async (fate, retryAfter) => {
    const company = await stage.company();
    stage.line((call) => (isCreate(call) ? fate : 'pass'));
    const answer = await stage.create(company, orderUpdate());
    expect(refusalOf(answer)).toEqual([503, 'temporarily_unavailable']);
    expect(answer.headers['retry-after']).toBe(retryAfter);
  });

  test('whose answer is lost is found by name and language, and made once', async () => {
    const company = await stage.company();
    stage.line((call) => (isCreate(call) ? 'lose-answer' : 'pass'));
    const made = templateOf(await stage.create(company, orderUpdate()));
    expect(made).toMatchObject({ status: 'PENDING', provider_template_id: expect.any(String) });
    expect(stage.creates()).toBe(1);
  });

  test('whose answer is lost, and which cannot be looked for, goes on under the same key without a second create', async () => {
    const company = await stage.company();
    stage.line((call) => (isCreate(call) ? 'lose-answer' : { status: 503, body: '' }));
    const first = await stage.create(company, orderUpdate(), 'key-1');
    expect(refusalOf(first)).toEqual([503, 'temporarily_unavailable']);
    stage.line();
    const made = templateOf(await stage.create(company, orderUpdate(), 'key-1'));
    expect(made).toMatchObject({ id: 1, provider_template_id: expect.any(String) });
    expect(stage.creates()).toBe(0);
    const replayed = await stage.create(company, orderUpdate(), 'key-1');
    expect(replayed.headers['idempotent-replayed']).toBe('true');
  });

  test('that never reached the provider is made by the repetition, without a key too once its holder is gone', async () => {
    const company = await stage.company();
    stage.line(() => 'lose-request');
    expect((await stage.create(company, orderUpdate(), 'key-1')).status).toBe(503);
    stage.line();
    expect(refusalOf(await stage.create(company, orderUpdate()))).toEqual([409, 'template_exists']);
    expect(templateOf(await stage.create(company, orderUpdate(), 'key-1')).id).toBe(1);
    expect(stage.creates()).toBe(1);

    stage.line(() => 'lose-request');
    expect((await stage.create(company, orderUpdate({ name: 'second' }))).status).toBe(503);
    stage.line();
    stage.world.clock.advance(60_000);
    expect(templateOf(await stage.create(company, orderUpdate({ name: 'second' })))).toMatchObject({ id: 2, status: 'PENDING' });
    expect(stage.creates()).toBe(1);
  });

  test('twice at once makes one', async () => {
    const company = await stage.company();
    const answers = await Promise.all([1, 2, 3].map(() => stage.create(company, orderUpdate())));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect(stage.creates()).toBe(1);
  });

  test('survives a webhook that overtakes the answer', async () => {
    const company = await stage.company();
    stage.line((call) => (isCreate(call) ? { hold: () => stage.settle() } : 'pass'));
    const made = templateOf(await stage.create(company, orderUpdate()));
    expect(made.status).toBe('APPROVED');
    await stage.world.drain();
    expect(statusesOf(company)).toHaveLength(1);
  });

  test('is limited to 100 an hour, as the provider limits it', async () => {
    const company = await stage.company();
    stage.line((call) => (isCreate(call) ? { status: 200, body: { id: '1', status: 'PENDING', category: 'UTILITY' } } : 'pass'));
    for (let i = 0; i < 99; i++) {
      expect(await spendCreate(company.id, company.number.wabaId, 100, Date.now())).toBeUndefined();
      stage.world.clock.advance(10_000);
    }
    templateOf(await stage.create(company, orderUpdate({ name: 't_99' })));
    const refused = await stage.create(company, orderUpdate({ name: 't_100' }));
    expect(refusalOf(refused)).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(2_500);
    expect(stage.creates()).toBe(1);
    stage.world.clock.advance(Number(refused.headers['retry-after']) * 1_000);
    templateOf(await stage.create(company, orderUpdate({ name: 't_100' })));
  });

  test('needs a number and a member', async () => {
    const company = await stage.company();
    expect((await stage.api(company, 'POST', '', { token: company.tokens.viewer, body: orderUpdate() })).status).toBe(403);
  });
});

describe('syncing', () => {
  test('brings in what is there, changes what changed, removes what is gone, page by page', async () => {
    const company = await stage.company();
    const names = Array.from({ length: 23 }, (_, i) => `t_${String(i).padStart(3, '0')}`);
    stage.line(tenAPage);
    await stage.atProvider(
      company,
      names.map((name) => ({ ...helloWorld, name })),
    );
    expect(countsOf(await stage.api(company, 'POST', '/sync'))).toEqual([23, 23, 0, 0]);
    expect(stage.calls.filter(({ method }) => method === 'GET')).toHaveLength(3);
    expect(countsOf(await stage.api(company, 'POST', '/sync'))).toEqual([23, 0, 0, 0]);
    await stage.atProvider(company, [{ ...helloWorld, name: 't_000', status: 'PAUSED' }]);
    await stage.manage(company, 'DELETE', 'name=t_022');
    stage.world.clock.advance(1_000);
    expect(countsOf(await stage.api(company, 'POST', '/sync'))).toEqual([22, 0, 1, 1]);
    await stage.world.drain();
    expect(templatesOf(await stage.api(company, 'GET', '?status=all')).meta.total).toBe(22);
    expect(templatesOf(await stage.api(company, 'GET', '')).meta.total).toBe(21);
    expect(statusesOf(company)).toMatchObject([
      { name: 't_000', status: 'PAUSED', previous_status: 'APPROVED' },
      { name: 't_022', status: 'DELETED', previous_status: 'APPROVED' },
    ]);
    expect((await findTemplate(company.id, 't_001', 'en-US'))?.status).toBe('APPROVED');
  });

  test('removes nothing when a page could not be read', async () => {
    const company = await stage.company();
    await stage.atProvider(
      company,
      Array.from({ length: 12 }, (_, i) => ({ ...helloWorld, name: `t_${i}` })),
    );
    await stage.api(company, 'POST', '/sync');
    stage.line((call) => (call.path.includes('after=') ? 'lose-answer' : tenAPage(call)));
    expect(refusalOf(await stage.api(company, 'POST', '/sync'))).toEqual([503, 'temporarily_unavailable']);
    await stage.world.drain();
    expect(templatesOf(await stage.api(company, 'GET', '')).meta.total).toBe(12);
  });

  test('of an account that takes longer than a caller can wait is 202, and finished by itself', async () => {
    const company = await stage.company();
    await stage.atProvider(
      company,
      Array.from({ length: 25 }, (_, i) => ({ ...helloWorld, name: `t_${i}` })),
    );
    const real = performance.now.bind(performance);
    let passed = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => real() + passed);
    stage.line((call) => {
      if (call.path.includes('after=')) passed = 20_000;
      return tenAPage(call);
    });
    const answer = await stage.api(company, 'POST', '/sync');
    expect([answer.status, (answer.body as { data: unknown }).data]).toMatchObject([202, { synced_count: 0 }]);
    await stage.world.drain({ disorder: { seed: 1, duplicate: 1 } });
    expect(templatesOf(await stage.api(company, 'GET', '')).meta.total).toBe(25);
    vi.restoreAllMocks();
  });

  test('begins again when the provider forgot the page', async () => {
    const company = await stage.company();
    await stage.atProvider(
      company,
      Array.from({ length: 11 }, (_, i) => ({ ...helloWorld, name: `t_${i}` })),
    );
    let forgotten = false;
    stage.line((call) => {
      if (forgotten || !call.path.includes('after=')) return tenAPage(call);
      forgotten = true;
      return { status: 400, body: error(131_059) };
    });
    expect(countsOf(await stage.api(company, 'POST', '/sync'))).toEqual([11, 11, 0, 0]);
  });

  test('keeps an id that a float would round, and values that nobody knows', async () => {
    const company = await stage.company();
    const shown = '{"data":[{"id":9007199254740993,"name":"big","language":"en","status":"resting","category":"FUN"}]}';
    stage.line(() => ({ status: 200, body: shown }));
    expect(countsOf(await stage.api(company, 'POST', '/sync'))).toEqual([1, 1, 0, 0]);
    expect(templatesOf(await stage.api(company, 'GET', '?status=resting')).data).toMatchObject([
      { status: 'RESTING', category: 'FUN', provider_template_id: '9007199254740993' },
    ]);
  });

  test('does not remove a template that it cannot read', async () => {
    const company = await stage.company();
    await stage.atProvider(company, [helloWorld]);
    await stage.api(company, 'POST', '/sync');
    stage.world.clock.advance(1_000);
    stage.line(() => ({ status: 200, body: { data: [{ ...helloWorld, id: { odd: true } }] } }));
    expect(countsOf(await stage.api(company, 'POST', '/sync'))).toEqual([0, 0, 0, 0]);
    stage.line(() => ({ status: 200, body: { data: [{ odd: true }] } }));
    expect(countsOf(await stage.api(company, 'POST', '/sync'))).toEqual([0, 0, 0, 0]);
  });

  test('of one template takes its status, and loses it when the provider has', async () => {
    const company = await stage.company();
    await stage.atProvider(company, [helloWorld]);
    await stage.api(company, 'POST', '/sync');
    await stage.atProvider(company, [{ ...helloWorld, status: 'DISABLED' }]);
    stage.world.clock.advance(1_000);
    expect(templateOf(await stage.api(company, 'POST', '/1/sync'))).toMatchObject({ id: 1, status: 'DISABLED' });
    await stage.atProvider(company, [helloWorld]);
    await stage.manage(company, 'DELETE', 'name=hello_world');
    stage.world.clock.advance(1_000);
    expect((await stage.api(company, 'POST', '/1/sync')).status).toBe(404);
    expect((await stage.api(company, 'GET', '/1')).status).toBe(404);
    expect((await stage.api(company, 'POST', '/77/sync')).status).toBe(404);
  });

  test('with a token that the provider refuses is 422 and says what to do', async () => {
    const company = await stage.company();
    stage.line(() => ({ status: 401, body: error(190) }));
    const answer = await stage.api(company, 'POST', '/sync');
    expect(refusalOf(answer)).toEqual([422, 'provider_rejected']);
    expect(problemOf(answer).details).toMatchObject({ provider_code: 190, fix: expect.stringContaining('access token') });
  });
});

describe('the list', () => {
  test('shows approved templates only, unless a status is asked for', async () => {
    const company = await stage.company();
    await stage.atProvider(company, [
      helloWorld,
      { ...helloWorld, name: 'b', status: 'REJECTED' },
      { ...helloWorld, name: 'a', language: 'de', status: 'PAUSED' },
    ]);
    await stage.api(company, 'POST', '/sync');
    await stage.world.drain();
    const namesOf = async (query: string): Promise<string[]> =>
      templatesOf(await stage.api(company, 'GET', query)).data.map(({ name }) => name);
    expect(await namesOf('')).toEqual(['hello_world']);
    expect(await namesOf('?status=rejected')).toEqual(['b']);
    expect(await namesOf('?status=all')).toEqual(['a', 'b', 'hello_world']);
    expect(await namesOf('?status=PENDING')).toEqual([]);
    expect(await namesOf('?status=all&name=a')).toEqual(['a']);
    expect(await namesOf('?name=hello')).toEqual([]);
    expect(templatesOf(await stage.api(company, 'GET', '?status=all')).meta).toMatchObject({ total: 3, per_page: 100, last_page: 1 });
  });

  test('pages by number and by cursor to the same end, and refuses a cursor of another list', async () => {
    const company = await stage.company();
    await stage.atProvider(
      company,
      Array.from({ length: 25 }, (_, i) => ({ ...helloWorld, name: `t_${String(i).padStart(2, '0')}` })),
    );
    await stage.api(company, 'POST', '/sync');
    await stage.world.drain();
    const pages: string[][] = [];
    let cursor: string | null = '';
    for (let page = 1; cursor !== null; page++) {
      const byCursor = templatesOf(await stage.api(company, 'GET', `?limit=10${cursor ? `&cursor=${cursor}` : ''}`));
      const byNumber = templatesOf(await stage.api(company, 'GET', `?limit=10&page=${page}`));
      expect(byNumber.data).toEqual(byCursor.data);
      pages.push(byCursor.data.map(({ name }) => name));
      cursor = byCursor.meta.next_cursor;
    }
    expect(pages.map(({ length }) => length)).toEqual([10, 10, 5]);
    expect(pages.flat()).toEqual(pages.flat().toSorted());
    const first = templatesOf(await stage.api(company, 'GET', '?limit=10')).meta.next_cursor;
    expect(refusalOf(await stage.api(company, 'GET', `?limit=10&status=all&cursor=${first}`))).toEqual([400, 'invalid_cursor']);
    expect(templatesOf(await stage.api(company, 'GET', '?page=999999999')).data).toEqual([]);
    expect((await stage.api(company, 'GET', '?limit=101')).status).toBe(422);
  });

  test('finds all languages of a name', async () => {
    const company = await stage.company();
    await stage.atProvider(
      company,
      ['en', 'de', 'fr'].map((language) => ({ ...helloWorld, language })),
    );
    await stage.api(company, 'POST', '/sync');
    const found = templatesOf(await stage.api(company, 'GET', '?name=hello_world&limit=2&page=2'));
    expect(found.data.map(({ language }) => language)).toEqual(['fr']);
    expect(found.meta).toMatchObject({ total: 3, last_page: 2 });
  });
});

describe('deleting', () => {
  const synced = async (): Promise<TestCompany> => {
    const company = await stage.company();
    await stage.atProvider(company, [helloWorld, { ...helloWorld, language: 'de' }]);
    await stage.api(company, 'POST', '/sync');
    return company;
  };
  const idOf = async (company: TestCompany, language: string): Promise<number> =>
    (await findTemplate(company.id, 'hello_world', language))?.id ?? 0;

  test('takes that language alone, at the provider and here', async () => {
    const company = await synced();
    const id = await idOf(company, 'de');
    expect((await stage.api(company, 'DELETE', `/${id}`)).body).toMatchObject({ data: { id, deleted: true } });
    expect((await stage.api(company, 'GET', `/${id}`)).status).toBe(404);
    expect((await stage.api(company, 'DELETE', `/${id}`)).status).toBe(404);
    expect(await stage.manage(company, 'GET', '')).toMatchObject({ data: [{ language: 'en_US' }] });
    await stage.world.drain();
    expect(statusesOf(company)).toMatchObject([{ template_id: id, status: 'DELETED' }]);
    expect(countsOf(await stage.api(company, 'POST', '/sync'))).toEqual([1, 0, 0, 0]);
  });

  test('counts as done when the provider has it no more', async () => {
    const company = await synced();
    await stage.manage(company, 'DELETE', 'name=hello_world');
    expect((await stage.api(company, 'DELETE', `/${await idOf(company, 'de')}`)).status).toBe(200);
  });

  test('is refused while a campaign uses it, and a campaign cannot begin to use one that goes', async () => {
    const company = await synced();
    const template = await findTemplate(company.id, 'hello_world', 'de');
    if (!template) throw new Error('The template is missing.');
    const user = 'campaign:1';
    const use = { companyId: company.id, templateId: template.id, user };
    expect(await commit(usingTemplate(template, user, Date.now()))).toEqual({ done: true });
    expect(refusalOf(await stage.api(company, 'DELETE', `/${template.id}`))).toEqual([409, 'template_in_use']);
    expect(stage.calls.filter(({ method }) => method === 'DELETE')).toEqual([]);
    await commit(releasingTemplate(use));
    let begun: unknown;
    stage.line(async ({ method }) => {
      if (method === 'DELETE') begun = await commit(usingTemplate(template, user, Date.now()));
      return 'pass' as const;
    });
    expect((await stage.api(company, 'DELETE', `/${template.id}`)).status).toBe(200);
    expect(begun).toMatchObject({ done: false });
  });

  test('stays when the provider refuses or does not say, and can be repeated', async () => {
    const company = await synced();
    const id = await idOf(company, 'de');
    stage.line(() => ({ status: 400, body: error(100) }));
    expect(refusalOf(await stage.api(company, 'DELETE', `/${id}`))).toEqual([422, 'provider_rejected']);
    stage.line(() => 'lose-answer');
    expect(refusalOf(await stage.api(company, 'DELETE', `/${id}`))).toEqual([503, 'temporarily_unavailable']);
    expect(templateOf(await stage.api(company, 'GET', `/${id}`)).status).toBe('APPROVED');
    stage.line();
    expect((await stage.api(company, 'DELETE', `/${id}`)).status).toBe(200);
  });

  test('gives the name free again', async () => {
    const company = await stage.company();
    templateOf(await stage.create(company, orderUpdate()));
    expect((await stage.api(company, 'DELETE', '/1')).status).toBe(200);
    expect(templateOf(await stage.create(company, orderUpdate()))).toMatchObject({ id: 2, status: 'PENDING' });
  });
});

describe('request units', () => {
  test('a list of 20 typical templates: at most 5 RRU; one found by name and language: 0.5', async () => {
    const company = await stage.company();
    const body = `Hi {{1}}, ${'your order is on its way and arrives soon. '.repeat(8)}See {{2}} for more.`;
    await stage.atProvider(
      company,
      Array.from({ length: 20 }, (_, i) => ({
        ...orderUpdate({ name: `typical_${i}` }),
        components: [
          { type: 'HEADER', format: 'TEXT', text: 'Your order' },
          { type: 'BODY', text: body, example: { body_text: [['Ada', 'our page']] } },
          { type: 'FOOTER', text: 'Alder Bakery' },
          { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Track', url: 'https://alder.example/track/{{1}}', example: ['A-1'] }] },
        ],
      })),
    );
    await stage.api(company, 'POST', '/sync');
    await stage.world.drain();
    const list = await stage.world.meter(async () => expect(templatesOf(await stage.api(company, 'GET', '')).data).toHaveLength(20));
    expect(list.rru).toBeLessThanOrEqual(5);
    const found = await stage.world.meter(async () => expect(await findTemplate(company.id, 'typical_3', 'en')).toBeDefined());
    expect([found.rru, found.wru]).toEqual([0.5, 0]);
    const one = await stage.world.meter(async () => templateOf(await stage.api(company, 'GET', '/3')));
    expect([one.rru, one.wru]).toEqual([1, 1]);
  });
});
