import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tagEntity } from '../../functions/contacts/store/tag.ts';
import { contactOf, type ContactsTestApp, newCompany, pageOf, startContacts } from './support.ts';

/** Request units of the routes; each includes 1 WRU for the token (G12). */
let testApp: ContactsTestApp;
beforeAll(async () => {
  testApp = await startContacts();
});
afterAll(() => testApp.stop());

const typical = (i: number) => ({
  phone: String(919_800_000_000 + i),
  name: `Priya Sharma ${i}`,
  email: `priya.sharma${i}@example.com`,
  city: 'Bengaluru',
  company_name: 'Acme Trading',
  groups: ['Customers', i % 2 ? 'Newsletter' : 'Leads'],
  tags: [1, 2],
  custom: { plan: 'gold', renewal: '2027-01-31' },
});

const tagged = async (companyId: number): Promise<void> => {
  for (const [id, name] of ['vip', 'west'].entries())
    await tagEntity.put({ companyId, id: id + 1, name, color: '#6B7280', createdAt: 0, updatedAt: 0 });
};

describe('request units', () => {
  it('creating a contact: at most 7 WRU, token included', async () => {
    const me = await testApp.as(newCompany());
    // secrets are read once for each process
    contactOf(await me.post({ phone: '919876543209' }));
    const cost = await testApp.meterRounds(async () => contactOf(await me.post({ phone: '919876543210', name: 'Ana' })));
    expect(cost.wru).toBeLessThanOrEqual(7);
    expect([cost.wru, cost.rru]).toEqual([7, 2]);
    expect(cost.rounds).toBeLessThanOrEqual(5);
  });

  it('an upsert that changes nothing: 0 WRU beyond the token, 1 RRU', async () => {
    const me = await testApp.as(newCompany());
    const body = { phone: '919876543210', name: 'Ana', city: 'Pune', subscribed: true };
    contactOf(await me.post(body));
    const cost = await testApp.meterRounds(async () => contactOf(await me.post(body)));
    expect([cost.wru, cost.rru, cost.rounds]).toEqual([1, 1, 3]);
  });

  it('an upsert that changes something: 3 WRU beyond the token', async () => {
    const me = await testApp.as(newCompany());
    contactOf(await me.post({ phone: '919876543210' }));
    const cost = await testApp.meter(async () => contactOf(await me.post({ phone: '919876543210', name: 'Ana' })));
    expect([cost.wru, cost.rru]).toEqual([4, 1]);
  });

  it('a PUT that changes something: 3 WRU beyond the token; with the phone 8', async () => {
    const me = await testApp.as(newCompany());
    const { id } = contactOf(await me.post({ phone: '919876543210' }));
    const plain = await testApp.meter(async () => contactOf(await me.put(id, { phone: '919876543210', name: 'Ana' })));
    expect([plain.wru, plain.rru]).toEqual([4, 0.5]);
    const moved = await testApp.meter(async () => contactOf(await me.put(id, { phone: '919876543211', name: 'Ana' })));
    expect([moved.wru, moved.rru]).toEqual([9, 0.5]);
    const same = await testApp.meter(async () => contactOf(await me.put(id, { phone: '919876543211', name: 'Ana' })));
    expect([same.wru, same.rru]).toEqual([1, 0.5]);
  });

  it('the first page of 100 typical contacts: at most 2.5 RRU, groups and tags included', async () => {
    const me = await testApp.as(newCompany());
    await tagged(me.companyId);
    for (let i = 0; i < 100; i++) contactOf(await me.post(typical(i)));
    const cost = await testApp.meterRounds(async () => expect(pageOf(await me.get('')).data).toHaveLength(20));
    expect(cost.wru).toBe(1);
    expect(cost.rru).toBeLessThanOrEqual(2.5);
    expect(cost.rounds).toBe(4);
    const one = await testApp.meter(async () => contactOf(await me.get('/50')));
    expect(one.rru).toBeLessThanOrEqual(2.5);
  });

  it('the first page stays within 2.5 RRU at every position of the newest id within its contact page', async () => {
    const me = await testApp.as(newCompany());
    await tagged(me.companyId);
    const costs: number[] = [];
    for (let i = 0; i < 90; i++) {
      contactOf(await me.post(typical(i)));
      if (i >= 57) costs.push((await testApp.meter(async () => pageOf(await me.get('')))).rru);
    }
    expect(costs).toHaveLength(33);
    expect(Math.max(...costs)).toBeLessThanOrEqual(2.5);
  });

  it('a page past the end costs one read of the counter', async () => {
    const me = await testApp.as(newCompany());
    contactOf(await me.post({ phone: '919876543210' }));
    const cost = await testApp.meter(async () => expect(pageOf(await me.get('?page=1000000')).data).toEqual([]));
    expect(cost.rru).toBe(0.5);
  });
});
