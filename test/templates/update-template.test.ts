import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { TestCompany } from '../support/company.ts';
import { orderUpdate, providerError, refusalOf, startTemplateFixture, templateOf } from './fixture.ts';

const fixture = await startTemplateFixture();
afterEach(() => fixture.line());
afterAll(() => fixture.stop());

const body = (text: string) => ({ type: 'BODY', text });
const edit = (company: TestCompany, change: Record<string, unknown>, key?: string) =>
  fixture.api(company, 'PUT', '/1', { body: change, ...(key ? { headers: { 'idempotency-key': key } } : {}) });
const shown = async (company: TestCompany) => templateOf(await fixture.api(company, 'GET', '/1'));

/** A company with one template, in a status that the provider gave it. */
const withTemplate = async (status = 'APPROVED', over: Record<string, unknown> = {}): Promise<TestCompany> => {
  const company = await fixture.company();
  const template = { ...orderUpdate({ components: [body('Hello there.')] }), status, ...over };
  await fixture.atProvider(company, [template]);
  await fixture.api(company, 'POST', '/sync');
  fixture.line();
  return company;
};
const edits = (): number => fixture.calls.filter(({ method }) => method === 'POST').length;

describe('changing a template', () => {
  test('replaces its components, sends it to review, and counts the edit', async () => {
    const company = await withTemplate();
    expect((await shown(company)).edits_left).toEqual({ today: 1, in_30_days: 10 });
    const changed = templateOf(await edit(company, { components: [body('Good day.'), { type: 'FOOTER', text: 'Bye' }] }));
    expect(changed).toMatchObject({ status: 'PENDING', components: [{ text: 'Good day.' }, { text: 'Bye' }], edits_left: null });
    await fixture.deliverAll();
    expect(await shown(company)).toMatchObject({ status: 'APPROVED', edits_left: { today: 0, in_30_days: 9 } });
  });

  test('of an approved one is refused a second time on a day, before the provider is called', async () => {
    const company = await withTemplate();
    templateOf(await edit(company, { components: [body('Good day.')] }));
    await fixture.deliverAll();
    fixture.line();
    expect(refusalOf(await edit(company, { components: [body('Hi.')] }))).toEqual([429, 'rate_limited']);
    expect(fixture.calls).toEqual([]);
  });

  test('of a rejected one is not limited', async () => {
    const company = await withTemplate('REJECTED', { name: 'please_reject' });
    for (const text of ['One.', 'Two.', 'Three.']) {
      expect(templateOf(await edit(company, { components: [body(text)] }))).toMatchObject({ status: 'PENDING', edits_left: null });
      await fixture.deliverAll();
    }
    expect(await shown(company)).toMatchObject({ status: 'REJECTED', components: [{ text: 'Three.' }] });
  });

  test.each<[string, string, Record<string, unknown>, (string | number)[]]>([
    ['while it is reviewed', 'PENDING', { components: [body('Hi.')] }, [409, 'template_not_editable']],
    ['once it is disabled', 'DISABLED', { components: [body('Hi.')] }, [409, 'template_not_editable']],
    ['into another category while it is approved', 'APPROVED', { category: 'MARKETING' }, [422, 'validation_failed', 'category']],
    [
      'with the changed component alone',
      'APPROVED',
      { components: [{ type: 'FOOTER', text: 'x' }] },
      [422, 'validation_failed', 'components'],
    ],
    ['without a change', 'APPROVED', {}, [422, 'validation_failed', 'components']],
    [
      'into a life that its category has not',
      'APPROVED',
      { message_send_ttl_seconds: 5 },
      [422, 'validation_failed', 'message_send_ttl_seconds'],
    ],
  ])('is refused %s, before the provider is called', async (_what, status, change, refusal) => {
    const company = await withTemplate(status);
    expect(refusalOf(await edit(company, change))).toEqual(refusal);
    expect(edits()).toBe(0);
  });

  test('of its life alone keeps its components and counts no edit', async () => {
    const company = await withTemplate();
    expect(templateOf(await edit(company, { message_send_ttl_seconds: 600 })).message_send_ttl_seconds).toBe(600);
    await fixture.deliverAll();
    expect(await shown(company)).toMatchObject({ components: [{ text: 'Hello there.' }], edits_left: { today: 1, in_30_days: 10 } });
  });

  test('that the provider refuses changes nothing, and shows what it refused', async () => {
    const company = await withTemplate();
    fixture.line(({ method }) => (method === 'POST' ? { status: 400, body: providerError(100, 2_388_072) } : 'pass'));
    expect(refusalOf(await edit(company, { components: [body('Hi.')] }))).toEqual([422, 'provider_rejected']);
    fixture.line();
    expect(await shown(company)).toMatchObject({ components: [{ text: 'Hello there.' }], edits_left: { today: 1, in_30_days: 10 } });
    expect(templateOf(await edit(company, { components: [body('Hi.')] })).status).toBe('PENDING');
  });

  test('whose answer is lost is found at the provider, and is not made twice', async () => {
    const company = await withTemplate();
    fixture.line(({ method }) => (method === 'POST' ? 'lose-answer' : 'pass'));
    expect(templateOf(await edit(company, { components: [body('Hi.')] }, 'once'))).toMatchObject({ status: 'PENDING' });
    expect(templateOf(await edit(company, { components: [body('Hi.')] }, 'once'))).toMatchObject({ components: [{ text: 'Hi.' }] });
    expect(edits()).toBe(1);
  });
});

describe('ending a pause', () => {
  test('lets the template be sent again; a repetition changes nothing', async () => {
    const company = await withTemplate('PAUSED');
    for (const _ of [1, 2]) expect(templateOf(await fixture.api(company, 'POST', '/1/unpause')).status).toBe('APPROVED');
    expect(edits()).toBe(1);
  });

  test('is refused of a template that is not paused', async () => {
    const company = await withTemplate('REJECTED');
    expect(refusalOf(await fixture.api(company, 'POST', '/1/unpause'))).toEqual([409, 'template_not_paused']);
    expect(fixture.calls).toEqual([]);
  });
});
