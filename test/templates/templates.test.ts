import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { endTemplateUse, startTemplateUse } from '../../functions/templates/service/template-uses.ts';
import { getTemplateByName } from '../../functions/templates/store/template.ts';
import { commit } from '../../shared/table/transaction.ts';
import type { TestCompany } from '../support/company.ts';
import { problemOf } from '../messaging/fixture.ts';
import {
  countsOf,
  helloWorld,
  orderUpdate,
  providerError,
  refusalOf,
  startTemplateFixture,
  templateOf,
  tenPerPage,
  templatesOf,
} from './fixture.ts';

const fixture = await startTemplateFixture();
afterEach(() => fixture.line());
afterAll(() => fixture.stop());

describe('syncing', () => {
  test('creates, updates and removes templates as the provider has them, page by page', async () => {
    const company = await fixture.company();
    const names = Array.from({ length: 23 }, (_, i) => `t_${String(i).padStart(3, '0')}`);
    fixture.line(tenPerPage);
    await fixture.atProvider(
      company,
      names.map((name) => ({ ...helloWorld, name })),
    );
    expect(countsOf(await fixture.api(company, 'POST', '/sync'))).toEqual([23, 23, 0, 0]);
    expect(fixture.calls.filter(({ method }) => method === 'GET')).toHaveLength(3);
    expect(countsOf(await fixture.api(company, 'POST', '/sync'))).toEqual([23, 0, 0, 0]);
    await fixture.atProvider(company, [{ ...helloWorld, name: 't_000', status: 'PAUSED' }]);
    await fixture.manage(company, 'DELETE', 'name=t_022');
    fixture.testApp.clock.advance(1_000);
    expect(countsOf(await fixture.api(company, 'POST', '/sync'))).toEqual([22, 0, 1, 1]);
    await fixture.testApp.drain();
    expect(templatesOf(await fixture.api(company, 'GET', '?status=all')).meta.total).toBe(22);
    expect(templatesOf(await fixture.api(company, 'GET', '')).meta.total).toBe(21);
    expect(fixture.statusUpdate(company)).toMatchObject([
      { name: 't_000', status: 'PAUSED', previous_status: 'APPROVED' },
      { name: 't_022', status: 'DELETED', previous_status: 'APPROVED' },
    ]);
    expect((await getTemplateByName(company.id, 't_001', 'en-US'))?.status).toBe('APPROVED');
  });

  test('removes nothing when a page could not be read', async () => {
    const company = await fixture.company();
    await fixture.atProvider(
      company,
      Array.from({ length: 12 }, (_, i) => ({ ...helloWorld, name: `t_${i}` })),
    );
    await fixture.api(company, 'POST', '/sync');
    fixture.line((call) => (call.path.includes('after=') ? 'lose-answer' : tenPerPage(call)));
    expect(refusalOf(await fixture.api(company, 'POST', '/sync'))).toEqual([503, 'temporarily_unavailable']);
    await fixture.testApp.drain();
    expect(templatesOf(await fixture.api(company, 'GET', '')).meta.total).toBe(12);
  });

  test('of an account that takes longer than a caller can wait is 202, and finished by itself', async () => {
    const company = await fixture.company();
    await fixture.atProvider(
      company,
      Array.from({ length: 25 }, (_, i) => ({ ...helloWorld, name: `t_${i}` })),
    );
    const real = performance.now.bind(performance);
    let passed = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => real() + passed);
    fixture.line((call) => {
      if (call.path.includes('after=')) passed = 20_000;
      return tenPerPage(call);
    });
    const answer = await fixture.api(company, 'POST', '/sync');
    expect([answer.status, (answer.body as { data: unknown }).data]).toMatchObject([202, { synced_count: 0 }]);
    await fixture.testApp.drain({ disorder: { seed: 1, duplicate: 1 } });
    expect(templatesOf(await fixture.api(company, 'GET', '')).meta.total).toBe(25);
    vi.restoreAllMocks();
  });

  test('begins again when the provider forgot the page', async () => {
    const company = await fixture.company();
    await fixture.atProvider(
      company,
      Array.from({ length: 11 }, (_, i) => ({ ...helloWorld, name: `t_${i}` })),
    );
    let forgotten = false;
    fixture.line((call) => {
      if (forgotten || !call.path.includes('after=')) return tenPerPage(call);
      forgotten = true;
      return { status: 400, body: providerError(131_059) };
    });
    expect(countsOf(await fixture.api(company, 'POST', '/sync'))).toEqual([11, 11, 0, 0]);
  });

  test('stores an id that a float would round, and unknown values', async () => {
    const company = await fixture.company();
    const shown = '{"data":[{"id":9007199254740993,"name":"big","language":"en","status":"resting","category":"FUN"}]}';
    fixture.line(() => ({ status: 200, body: shown }));
    expect(countsOf(await fixture.api(company, 'POST', '/sync'))).toEqual([1, 1, 0, 0]);
    expect(templatesOf(await fixture.api(company, 'GET', '?status=resting')).data).toMatchObject([
      { status: 'RESTING', category: 'FUN', provider_template_id: '9007199254740993' },
    ]);
  });

  test('does not remove a template that it cannot read', async () => {
    const company = await fixture.company();
    await fixture.atProvider(company, [helloWorld]);
    await fixture.api(company, 'POST', '/sync');
    fixture.testApp.clock.advance(1_000);
    fixture.line(() => ({ status: 200, body: { data: [{ ...helloWorld, id: { odd: true } }] } }));
    expect(countsOf(await fixture.api(company, 'POST', '/sync'))).toEqual([0, 0, 0, 0]);
    fixture.line(() => ({ status: 200, body: { data: [{ odd: true }] } }));
    expect(countsOf(await fixture.api(company, 'POST', '/sync'))).toEqual([0, 0, 0, 0]);
  });

  test('of one template takes its status, and loses it when the provider has', async () => {
    const company = await fixture.company();
    await fixture.atProvider(company, [helloWorld]);
    await fixture.api(company, 'POST', '/sync');
    await fixture.atProvider(company, [{ ...helloWorld, status: 'DISABLED' }]);
    fixture.testApp.clock.advance(1_000);
    expect(templateOf(await fixture.api(company, 'POST', '/1/sync'))).toMatchObject({ id: 1, status: 'DISABLED' });
    await fixture.atProvider(company, [helloWorld]);
    await fixture.manage(company, 'DELETE', 'name=hello_world');
    fixture.testApp.clock.advance(1_000);
    expect((await fixture.api(company, 'POST', '/1/sync')).status).toBe(404);
    expect((await fixture.api(company, 'GET', '/1')).status).toBe(404);
    expect((await fixture.api(company, 'POST', '/77/sync')).status).toBe(404);
  });

  test('with a token that the provider refuses is 422 with a remedy', async () => {
    const company = await fixture.company();
    fixture.line(() => ({ status: 401, body: providerError(190) }));
    const answer = await fixture.api(company, 'POST', '/sync');
    expect(refusalOf(answer)).toEqual([422, 'provider_rejected']);
    expect(problemOf(answer).details).toMatchObject({ provider_code: 190, fix: expect.stringContaining('access token') });
  });
});

describe('the list', () => {
  test('shows approved templates only, unless a status is asked for', async () => {
    const company = await fixture.company();
    await fixture.atProvider(company, [
      helloWorld,
      { ...helloWorld, name: 'b', status: 'REJECTED' },
      { ...helloWorld, name: 'a', language: 'de', status: 'PAUSED' },
    ]);
    await fixture.api(company, 'POST', '/sync');
    await fixture.testApp.drain();
    const namesOf = async (query: string): Promise<string[]> =>
      templatesOf(await fixture.api(company, 'GET', query)).data.map(({ name }) => name);
    expect(await namesOf('')).toEqual(['hello_world']);
    expect(await namesOf('?status=rejected')).toEqual(['b']);
    expect(await namesOf('?status=all')).toEqual(['a', 'b', 'hello_world']);
    expect(await namesOf('?status=PENDING')).toEqual([]);
    expect(await namesOf('?status=all&name=a')).toEqual(['a']);
    expect(await namesOf('?name=hello')).toEqual([]);
    expect(templatesOf(await fixture.api(company, 'GET', '?status=all')).meta).toMatchObject({ total: 3, per_page: 100, last_page: 1 });
  });

  test('pages by number and by cursor to the same end, and refuses a cursor of another list', async () => {
    const company = await fixture.company();
    await fixture.atProvider(
      company,
      Array.from({ length: 25 }, (_, i) => ({ ...helloWorld, name: `t_${String(i).padStart(2, '0')}` })),
    );
    await fixture.api(company, 'POST', '/sync');
    await fixture.testApp.drain();
    const pages: string[][] = [];
    let cursor: string | null = '';
    for (let page = 1; cursor !== null; page++) {
      const byCursor = templatesOf(await fixture.api(company, 'GET', `?limit=10${cursor ? `&cursor=${cursor}` : ''}`));
      const byNumber = templatesOf(await fixture.api(company, 'GET', `?limit=10&page=${page}`));
      expect(byNumber.data).toEqual(byCursor.data);
      pages.push(byCursor.data.map(({ name }) => name));
      cursor = byCursor.meta.next_cursor;
    }
    expect(pages.map(({ length }) => length)).toEqual([10, 10, 5]);
    expect(pages.flat()).toEqual(pages.flat().toSorted());
    const first = templatesOf(await fixture.api(company, 'GET', '?limit=10')).meta.next_cursor;
    expect(refusalOf(await fixture.api(company, 'GET', `?limit=10&status=all&cursor=${first}`))).toEqual([400, 'invalid_cursor']);
    expect(templatesOf(await fixture.api(company, 'GET', '?page=999999999')).data).toEqual([]);
    expect((await fixture.api(company, 'GET', '?limit=101')).status).toBe(422);
  });

  test('finds all languages of a name', async () => {
    const company = await fixture.company();
    await fixture.atProvider(
      company,
      ['en', 'de', 'fr'].map((language) => ({ ...helloWorld, language })),
    );
    await fixture.api(company, 'POST', '/sync');
    const found = templatesOf(await fixture.api(company, 'GET', '?name=hello_world&limit=2&page=2'));
    expect(found.data.map(({ language }) => language)).toEqual(['fr']);
    expect(found.meta).toMatchObject({ total: 3, last_page: 2 });
  });
});

describe('deleting', () => {
  const synced = async (): Promise<TestCompany> => {
    const company = await fixture.company();
    await fixture.atProvider(company, [helloWorld, { ...helloWorld, language: 'de' }]);
    await fixture.api(company, 'POST', '/sync');
    return company;
  };
  const idOf = async (company: TestCompany, language: string): Promise<number> =>
    (await getTemplateByName(company.id, 'hello_world', language))?.id ?? 0;

  test('takes that language alone, at the provider and here', async () => {
    const company = await synced();
    const id = await idOf(company, 'de');
    expect((await fixture.api(company, 'DELETE', `/${id}`)).body).toMatchObject({ data: { id, deleted: true } });
    expect((await fixture.api(company, 'GET', `/${id}`)).status).toBe(404);
    expect((await fixture.api(company, 'DELETE', `/${id}`)).status).toBe(404);
    expect(await fixture.manage(company, 'GET', '')).toMatchObject({ data: [{ language: 'en_US' }] });
    await fixture.testApp.drain();
    expect(fixture.statusUpdate(company)).toMatchObject([{ template_id: id, status: 'DELETED' }]);
    expect(countsOf(await fixture.api(company, 'POST', '/sync'))).toEqual([1, 0, 0, 0]);
  });

  test('counts as done when the provider has it no more', async () => {
    const company = await synced();
    await fixture.manage(company, 'DELETE', 'name=hello_world');
    expect((await fixture.api(company, 'DELETE', `/${await idOf(company, 'de')}`)).status).toBe(200);
  });

  test('is refused while a campaign uses it, and a campaign cannot begin to use one that goes', async () => {
    const company = await synced();
    const template = await getTemplateByName(company.id, 'hello_world', 'de');
    if (!template) throw new Error('The template is missing.');
    const user = 'campaign:1';
    const use = { companyId: company.id, templateId: template.id, user };
    expect(await commit(startTemplateUse(template, user, Date.now()))).toEqual({ done: true });
    expect(refusalOf(await fixture.api(company, 'DELETE', `/${template.id}`))).toEqual([409, 'template_in_use']);
    expect(fixture.calls.filter(({ method }) => method === 'DELETE')).toEqual([]);
    await commit(endTemplateUse(use));
    let begun: unknown;
    fixture.line(async ({ method }) => {
      if (method === 'DELETE') begun = await commit(startTemplateUse(template, user, Date.now()));
      return 'pass' as const;
    });
    expect((await fixture.api(company, 'DELETE', `/${template.id}`)).status).toBe(200);
    expect(begun).toMatchObject({ done: false });
  });

  test('stays when the provider refuses or does not say, and can be repeated', async () => {
    const company = await synced();
    const id = await idOf(company, 'de');
    fixture.line(() => ({ status: 400, body: providerError(100) }));
    expect(refusalOf(await fixture.api(company, 'DELETE', `/${id}`))).toEqual([422, 'provider_rejected']);
    fixture.line(() => 'lose-answer');
    expect(refusalOf(await fixture.api(company, 'DELETE', `/${id}`))).toEqual([503, 'temporarily_unavailable']);
    expect(templateOf(await fixture.api(company, 'GET', `/${id}`)).status).toBe('APPROVED');
    fixture.line();
    expect((await fixture.api(company, 'DELETE', `/${id}`)).status).toBe(200);
  });

  test('gives the name free again', async () => {
    const company = await fixture.company();
    templateOf(await fixture.create(company, orderUpdate()));
    expect((await fixture.api(company, 'DELETE', '/1')).status).toBe(200);
    expect(templateOf(await fixture.create(company, orderUpdate()))).toMatchObject({ id: 2, status: 'PENDING' });
  });
});

describe('request units', () => {
  test('a list of 20 typical templates: at most 5 RRU; one found by name and language: 0.5', async () => {
    const company = await fixture.company();
    const body = `Hi {{1}}, ${'your order is on its way and arrives soon. '.repeat(8)}See {{2}} for more.`;
    await fixture.atProvider(
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
    await fixture.api(company, 'POST', '/sync');
    await fixture.testApp.drain();
    const list = await fixture.testApp.meter(async () => expect(templatesOf(await fixture.api(company, 'GET', '')).data).toHaveLength(20));
    expect(list.rru).toBeLessThanOrEqual(5);
    const found = await fixture.testApp.meter(async () => expect(await getTemplateByName(company.id, 'typical_3', 'en')).toBeDefined());
    expect([found.rru, found.wru]).toEqual([0.5, 0]);
    const one = await fixture.testApp.meter(async () => templateOf(await fixture.api(company, 'GET', '/3')));
    expect([one.rru, one.wru]).toEqual([1, 1]);
  });
});
