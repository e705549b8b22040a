import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCompany } from '../../functions/account/service/companies.ts';
import { changeStreamContext } from '../../functions/app.ts';
import { ensureContact } from '../../functions/contacts/service/contacts.ts';
import { isProblem } from '../../shared/contract/problems.ts';
import { type Caller, type ContactsTestApp, startContacts } from './support.ts';

let testApp: ContactsTestApp;
beforeAll(async () => {
  testApp = await startContacts([changeStreamContext]);
});
afterAll(() => testApp.stop());

const limits = { contacts: 2, users: null, numbers: null, pipelines: null };
const company = async (input: Parameters<typeof createCompany>[0]) => {
  const made = await createCompany(input);
  if (isProblem(made)) throw new Error(made.problem);
  return testApp.as(made.id);
};

it('a plan of two contacts rejects the third by API with the usage, updates the others, and accepts every inbound sender', async () => {
  const me = await company({ name: 'Small', plan: { name: 'small', limits } });
  await me.post({ phone: '919876500001' });
  await me.post({ phone: '919876500002' });
  await testApp.drain();
  const refused = await me.post({ phone: '919876500003' });
  expect([refused.status, refused.body]).toMatchObject([
    403,
    { code: 'plan_limit_reached', details: { resource: 'contacts', limit: 2, used: 2 } },
  ]);
  expect((await me.post({ phone: '919876500001', name: 'Ana' })).status).toBe(200);
  expect(isProblem(await ensureContact(me.companyId, { phone: '919876500004', source: 'inbound' }))).toBe(false);
});

describe('a plan of 30 contacts with a reservation of a crashed call', () => {
  class Death extends Error {
    override name = 'Death';
  }
  /** Runs work that crashes at its nth call to the table, before or after it. */
  const dying = async (nth: number, when: 'before' | 'after', work: () => Promise<unknown>): Promise<boolean> => {
    let calls = 0;
    let hasStopped = false;
    using _watch = testApp.onTable((call) => {
      if (call.when === 'before') calls++;
      if (hasStopped || (calls >= nth && call.when === when)) {
        hasStopped = true;
        throw new Death();
      }
    });
    await work().catch(() => undefined);
    return hasStopped;
  };
  const sync = (me: Caller, from: number, count: number) =>
    testApp.call({
      method: 'POST',
      path: '/api/v1/contacts/bulk-sync',
      token: me.token,
      body: { contacts: Array.from({ length: count }, (_, i) => ({ phone: `+4915120${String(from + i).padStart(6, '0')}` })) },
    });
  const countsOf = async (me: Caller) =>
    (await testApp.dump()).find((item) => item['pk'] === `C#${me.companyId}#COUNTER` && item['sk'] === 'contact');

  it.each(['before', 'after'] as const)('is filled exactly, wherever the crash happened, %s the call', async (when) => {
    for (let nth = 1, died = true; died; nth++) {
      const me = await company({ name: 'Thirty', plan: { name: 'thirty', limits: { ...limits, contacts: 30 } } });
      died = await dying(nth, when, () => sync(me, 0, 60));
      // the change stream may be late: written contacts are not counted yet when the reservation is reconciled
      if (nth % 2 === 0) await testApp.drain();
      const early = await sync(me, 1_000, 60);
      expect(early.status).toBe(200);
      await testApp.drain();
      expect((await countsOf(me))?.['total'] ?? 0).toBeLessThanOrEqual(30);
      testApp.clock.advance(91_000);
      await sync(me, 2_000, 60);
      await testApp.drain();
      expect(await countsOf(me)).toMatchObject({ total: 30 });
      expect((await countsOf(me))?.['promises']).toBeUndefined();
    }
  });

  it.each(['before', 'after'] as const)(
    'restores a deleted contact within the plan, wherever the crash happened, %s the call',
    async (when) => {
      for (let nth = 1, died = true; died; nth++) {
        const me = await company({ name: 'Three', plan: { name: 'three', limits: { ...limits, contacts: 3 } } });
        await sync(me, 0, 3);
        await testApp.drain();
        await me.delete(1);
        await testApp.drain();
        died = await dying(nth, when, () => me.post({ phone: '+4915120000000' }));
        testApp.clock.advance(91_000);
        // with a change stream that is up to a minute and a half late
        await sync(me, 1_000, 5);
        await testApp.drain();
        expect((await countsOf(me))?.['total']).toBe(3);
      }
    },
  );
});

it('with strict_fields an unknown custom field is rejected by name, and without it is created', async () => {
  const strict = await company({ name: 'Strict', settings: { strict_fields: true } });
  const refused = await strict.post({ phone: '919876500001', custom: { size: 'L' } });
  expect([refused.status, refused.body]).toMatchObject([422, { errors: { 'custom.size': [expect.any(String)] } }]);
  const loose = await company({ name: 'Loose' });
  expect((await loose.post({ phone: '919876500001', custom: { size: 'L' } })).status).toBe(200);
});
