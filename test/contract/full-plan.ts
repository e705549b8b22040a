import { reserveQuota } from '../../functions/contacts/store/quota.ts';
import { newCompany, type TestCompany } from '../support/company.ts';
import type { ContractFixture } from './fixture.ts';

/** A company whose plan has quota for five contacts, all of it held by a process that died: who needs some finds out first that it did. */
export const companyAtItsLimit = async ({ testApp }: ContractFixture): Promise<TestCompany> => {
  const contacts = 5;
  const limits = { contacts, users: null, numbers: null, pipelines: null };
  const company = await newCompany({ input: { plan: { name: 'small', limits } } });
  await reserveQuota(company.id, contacts, contacts, 'of a process that died');
  // longer than any process lives
  testApp.clock.advance(120_000);
  return company;
};
