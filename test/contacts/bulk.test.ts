import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createCompany } from '../../functions/account/service/companies.ts';
import { changeStreamContext } from '../../functions/app.ts';
import { bulkResult } from '../../functions/contacts/contract/bulk.ts';
import { isProblem } from '../../shared/contract/problems.ts';
import type { Answer } from '../support/gateway-event.ts';
import { tableError } from '../support/sdk-hooks.ts';
import { type Caller, contactOf, type ContactsTestApp, newCompany, pageOf, refusalOf, startContacts } from './support.ts';

let testApp: ContactsTestApp;
beforeAll(async () => {
  testApp = await startContacts([changeStreamContext]);
});
afterAll(() => testApp.stop());

const sync = (me: Caller, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  testApp.call({ method: 'POST', path: '/api/v1/contacts/bulk-sync', token: me.token, body, headers });
const resultOf = (answer: Answer) => {
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.raw}`);
  return z.object({ data: bulkResult }).parse(answer.body).data;
};
const people = (from: number, count: number) => Array.from({ length: count }, (_, i) => ({ phone: `+49151${2_000_000 + from + i}` }));
const fresh = (): Promise<Caller> => testApp.as(newCompany());
const limited = async (contacts: number): Promise<Caller> => {
  const made = await createCompany({
    name: 'Small',
    plan: { name: 'small', limits: { contacts, users: null, numbers: null, pipelines: null } },
  });
  if (isProblem(made)) throw new Error(made.problem);
  return testApp.as(made.id);
};
const total = async (me: Caller): Promise<number> => {
  await testApp.drain();
  return pageOf(await me.get('')).meta.total;
};

describe('POST /contacts/bulk-sync', () => {
  it('creates, updates and merges duplicates: the last name wins, an empty name erases nothing', async () => {
    const me = await fresh();
    contactOf(await me.post({ phone: '+4915120000001', name: 'Old', city: 'Pune' }));
    const group = contactOf(await me.post({ phone: '+4915120000009', groups: ['list'] })).groups[0]?.id;
    const body = {
      country_code: '+49',
      group_id: group,
      contacts: [
        { phone: '0151 20000001', name: 'New' },
        { phone: '4915120000001', name: '' },
        { phone: '0049 151 20000002', name: 'Ana' },
        { phone: '(0151) 20000002', name: 'Bo' },
        { phone: '+5215512345678' },
        { phone: '+525512345678', name: 'Meche' },
        { phone: '16 0 20000003' },
      ],
    };
    const first = resultOf(await sync(me, body));
    expect(first).toEqual({ synced_count: 4, updated_count: 1, created_count: 3, skipped_limit_count: 0, duplicate_count: 3, skipped: [] });
    await testApp.drain();
    const listed = pageOf(await me.get(`?group_id=${group}`)).data;
    expect(listed.map(({ phone, name, city }) => [phone, name, city])).toEqual([
      ['4916020000003', null, null],
      ['5215512345678', 'Meche', null],
      ['4915120000002', 'Bo', null],
      ['4915120000009', null, null],
      ['4915120000001', 'New', 'Pune'],
    ]);
    const cost = await testApp.meter(async () =>
      expect(resultOf(await sync(me, body))).toMatchObject({ created_count: 0, updated_count: 4 }),
    );
    expect(cost.wru).toBe(1);
  });

  it.each([
    [{ contacts: [] }, 'contacts'],
    [{}, 'contacts'],
    [{ contacts: people(0, 1_001) }, 'contacts'],
    [{ contacts: [...people(0, 2), { phone: 'none' }] }, 'contacts.2.phone'],
    [{ contacts: [{ phone: '+1234567890123456' }] }, 'contacts.0.phone'],
    [{ contacts: people(0, 1), country_code: 'DE' }, 'country_code'],
    [{ contacts: people(0, 1), group_id: 99 }, 'group_id'],
    [{ contacts: people(0, 1), tag_id: 99 }, 'tag_id'],
  ])('%j is rejected as a whole, naming %s', async (body, field) => {
    const me = await fresh();
    expect(refusalOf(await sync(me, body))).toEqual([422, 'validation_failed', field]);
    expect(await total(me)).toBe(0);
  });

  it("another company's group or tag is 422, and no contact gets it", async () => {
    const [me, other] = [await fresh(), await fresh()];
    const theirs = contactOf(await other.post({ phone: '+4915120000001', groups: ['one', 'two', 'three'] })).groups.at(-1)?.id ?? 0;
    await testApp.call({ method: 'POST', path: '/api/v1/tags', token: other.token, body: { name: 'theirs' } });
    expect(refusalOf(await sync(me, { contacts: people(0, 2), group_id: theirs }))).toEqual([422, 'validation_failed', 'group_id']);
    expect(refusalOf(await sync(me, { contacts: people(0, 2), tag_id: 1 }))).toEqual([422, 'validation_failed', 'tag_id']);
    expect(refusalOf(await me.post({ phone: '+4915120000001', groups: [theirs], tags: [1] }))).toEqual([
      422,
      'validation_failed',
      'groups',
      'tags',
    ]);
    expect(await total(me)).toBe(0);
  });

  it('parallel calls with the same contacts create each once', async () => {
    const me = await fresh();
    const results = await Promise.all([0, 1, 2, 3].map(async (i) => resultOf(await sync(me, { contacts: people(i * 30, 120) }))));
    expect(results.reduce((sum, { created_count }) => sum + created_count, 0)).toBe(210);
    expect(results.every(({ synced_count }) => synced_count === 120)).toBe(true);
    expect(await total(me)).toBe(210);
  });

  it('parallel bulk and single calls fill the plan exactly, in list order, and skipped contacts are named', async () => {
    const me = await limited(250);
    const bulks = Promise.all([0, 1, 2, 3].map(async (i) => resultOf(await sync(me, { contacts: people(i * 100, 100) }))));
    const singles = Promise.all(Array.from({ length: 12 }, (_, i) => me.post({ phone: `+49160200${1_000 + i}` })));
    const [results, answers] = await Promise.all([bulks, singles]);
    const created =
      results.reduce((sum, { created_count }) => sum + created_count, 0) + answers.filter(({ status }) => status === 200).length;
    expect(created).toBe(250);
    for (const [i, { skipped, skipped_limit_count, created_count }] of results.entries()) {
      expect(skipped.map(({ phone }) => phone)).toEqual(
        people(i * 100, 100)
          .slice(created_count)
          .map(({ phone }) => phone.slice(1)),
      );
      expect(skipped_limit_count).toBe(100 - created_count);
    }
    expect(answers.filter(({ status }) => status !== 200).every(({ status }) => status === 403)).toBe(true);
    expect(await total(me)).toBe(250);
    expect((await me.post({ phone: '+4915999999999' })).status).toBe(403);
    await me.delete(pageOf(await me.get('')).data[0]?.id ?? 0);
    await testApp.drain();
    expect((await me.post({ phone: '+4915999999999' })).status).toBe(200);
    expect(await total(me)).toBe(250);
  });

  it('repeating a call that failed halfway completes it, within the plan and without duplicates', async () => {
    const me = await limited(300);
    let transactions = 0;
    {
      using _fault = testApp.onTable(({ command, when }) => {
        if (command === 'TransactWriteItems' && when === 'after' && ++transactions === 2) throw tableError('TimeoutError');
        if (command === 'TransactWriteItems' && when === 'before' && transactions >= 3) throw tableError('InternalServerError');
      });
      expect((await sync(me, { contacts: people(0, 300) })).status).toBeGreaterThanOrEqual(500);
    }
    await testApp.drain();
    testApp.clock.advance(100_000);
    const again = resultOf(await sync(me, { contacts: people(0, 300) }));
    expect(again).toMatchObject({ synced_count: 300, skipped_limit_count: 0 });
    expect(await total(me)).toBe(300);
    expect((await me.post({ phone: '+4915999999999' })).status).toBe(403);
  });

  it('new contacts cost at most 5.2 WRU and 0.6 RRU each, change stream included; a changed one 3 WRU', async () => {
    const me = await fresh();
    contactOf(await me.post({ phone: '+4915120000001', groups: ['list'] }));
    await testApp.drain();
    const cost = await testApp.meter(async () => {
      resultOf(await sync(me, { contacts: people(0, 500).map((each, i) => ({ ...each, name: `Person ${i}` })), group_id: 1 }));
      await testApp.drain();
    });
    expect(cost.wru / 500).toBeLessThanOrEqual(5.2);
    expect(cost.rru / 500).toBeLessThanOrEqual(0.6);
    const changed = await testApp.meter(async () =>
      resultOf(await sync(me, { contacts: people(0, 20).map((each) => ({ ...each, name: 'Other' })) })),
    );
    expect((changed.wru - 1) / 20).toBe(3);
  });
});
