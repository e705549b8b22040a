import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCompany } from '../../functions/account/service/companies.ts';
import { changesContext } from '../../functions/changes/context.ts';
import { ensureContact } from '../../functions/contacts/service.ts';
import { isProblem } from '../../shared/contract/problems.ts';
import { type ContactsWorld, startContacts } from './support.ts';

let world: ContactsWorld;
beforeAll(async () => {
  world = await startContacts([changesContext]);
});
afterAll(() => world.stop());

const limits = { contacts: 2, users: null, numbers: null, pipelines: null };
const company = async (input: Parameters<typeof createCompany>[0]) => {
  const made = await createCompany(input);
  if (isProblem(made)) throw new Error(made.problem);
  return world.as(made.id);
};

it('a plan of two contacts refuses the third by API with what is used, updates the others, and turns no inbound person away', async () => {
  const me = await company({ name: 'Small', plan: { name: 'small', limits } });
  await me.post({ phone: '919876500001' });
  await me.post({ phone: '919876500002' });
  await world.drain();
  const refused = await me.post({ phone: '919876500003' });
  expect([refused.status, refused.body]).toMatchObject([
    403,
    { code: 'plan_limit_reached', details: { resource: 'contacts', limit: 2, used: 2 } },
  ]);
  expect((await me.post({ phone: '919876500001', name: 'Ana' })).status).toBe(200);
  expect(isProblem(await ensureContact(me.companyId, { phone: '919876500004', source: 'inbound' }))).toBe(false);
});

it('with strict_fields an unknown custom field is refused by name, and without it is defined', async () => {
  const strict = await company({ name: 'Strict', settings: { strict_fields: true } });
  const refused = await strict.post({ phone: '919876500001', custom: { size: 'L' } });
  expect([refused.status, refused.body]).toMatchObject([422, { errors: { 'custom.size': [expect.any(String)] } }]);
  const loose = await company({ name: 'Loose' });
  expect((await loose.post({ phone: '919876500001', custom: { size: 'L' } })).status).toBe(200);
});
