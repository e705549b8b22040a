import { updateSearchSnapshot } from '../../functions/contacts/service/search-snapshots.ts';
import { contactEntityName } from '../../functions/contacts/contract/stored.ts';
import { smallestSnapshot } from '../../functions/contacts/domain/search-snapshot.ts';
import { minuteMs } from '../../shared/runtime/clock.ts';
import { nextIds } from '../../shared/table/counter.ts';
import { newCompany } from '../support/company.ts';
import type { ContractFixture } from './fixture.ts';
import { newPhone } from './phones.ts';
import type { Scenario } from './scenarios.ts';

/** Of contacts: what is read from the search snapshot, or removed from it. */
export const contactScenarios: readonly Scenario[] = [
  {
    route: 'listContacts',
    title: 'found in the search snapshot',
    example: async ({ testApp }) => {
      const { id, tokens } = await newCompany({ roles: ['owner'] });
      // one of the size that is searched by snapshot
      await nextIds(id, contactEntityName, smallestSnapshot);
      await testApp.call({ method: 'POST', path: '/api/v1/contacts', token: tokens.owner, body: { phone: newPhone(), name: 'Ada' } });
      await takeSnapshot(testApp, id);
      return { token: tokens.owner, query: { search: 'Ada' } };
    },
  },
  {
    route: 'eraseContact',
    title: 'that is in the search snapshot',
    example: async ({ testApp, company, newContact }) => {
      const id = await newContact(newPhone());
      await takeSnapshot(testApp, company.id);
      return { params: { id } };
    },
  },
];

async function takeSnapshot(testApp: ContractFixture['testApp'], companyId: number): Promise<void> {
  await testApp.drain();
  testApp.clock.advance(2 * minuteMs);
  await updateSearchSnapshot(companyId);
}
