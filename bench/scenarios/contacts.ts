import { withFixture, type Scenario, expectOk } from '../scenario.ts';

const tokenCheck = 1;

export const scenario: Scenario = {
  name: 'contacts',
  description: 'Contacts: create, an upsert that changes nothing, read one, the first page of the list',
  deterministic: true,
  measure: () =>
    withFixture(async ({ testApp, token }) => {
      const upsert = (phone: string, name: string) =>
        expectOk(
          testApp.call({ method: 'POST', path: '/api/v1/contacts', token, body: { phone, name, email: 'ada@example.com', city: 'Pune' } }),
        );
      for (let i = 0; i < 40; i++) await upsert(`+49151200000${String(i).padStart(2, '0')}`, `Contact ${i}`);
      await testApp.drain();
      const create = await testApp.meterRounds(() => upsert('+4915130000000', 'New'));
      await testApp.drain();
      const unchanged = await testApp.meter(() => upsert('+4915130000000', 'New'));
      const get = await testApp.meter(() => expectOk(testApp.call({ method: 'GET', path: '/api/v1/contacts/1', token })));
      const list = await testApp.meterRounds(() => expectOk(testApp.call({ method: 'GET', path: '/api/v1/contacts', token })));
      return [
        { name: 'create, writes', unit: 'WRU', value: create.wru, atMost: 7 },
        { name: 'create, reads', unit: 'RRU', value: create.rru },
        { name: 'create, sequential rounds', unit: 'rounds', value: create.rounds },
        { name: 'unchanged upsert, writes beyond the token', unit: 'WRU', value: unchanged.wru - tokenCheck, atMost: 0 },
        { name: 'unchanged upsert, reads', unit: 'RRU', value: unchanged.rru, atMost: 1 },
        { name: 'get, reads', unit: 'RRU', value: get.rru },
        { name: 'list, first page of 20, reads', unit: 'RRU', value: list.rru, atMost: 2.5 },
        { name: 'list, first page, sequential rounds', unit: 'rounds', value: list.rounds },
      ];
    }),
};
