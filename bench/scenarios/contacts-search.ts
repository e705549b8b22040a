import { smallestSnapshot } from '../../functions/contacts/domain/search-snapshot.ts';
import { updateSearchSnapshot } from '../../functions/contacts/service/search-snapshots.ts';
import { getSearchSnapshot } from '../../functions/contacts/store/search-snapshot.ts';
import { loadContacts } from '../large-contacts.ts';
import { expectOk, type Figure, type Scenario, withFixture } from '../scenario.ts';

/** As few as are searched by snapshot; its cost does not depend on how many there are. */
const size = smallestSnapshot;

export const scenario: Scenario = {
  name: 'contacts-search',
  description: `Search of ${size.toLocaleString('en')} contacts by snapshot: by name, by phone, after changes; a campaign's audience; what an update of the snapshot costs.`,
  deterministic: true,
  measure: () =>
    withFixture(async ({ testApp, company, token }) => {
      await loadContacts(company.id, size);
      const figures: Figure[] = [];
      const meter = async (name: string, rruAtMost: number, work: () => Promise<unknown>): Promise<void> => {
        const cost = await testApp.meterRounds(work);
        figures.push(
          { name: `${name}, reads`, unit: 'RRU', value: cost.rru, atMost: rruAtMost },
          { name: `${name}, sequential rounds`, unit: 'rounds', value: cost.rounds, atMost: 5 },
        );
      };
      const search = (typed: string) => () =>
        expectOk(testApp.call({ method: 'GET', path: `/api/v1/contacts?search=${encodeURIComponent(typed)}`, token }));
      while (((await getSearchSnapshot(company.id, { consistent: true }))?.asOf ?? 0) < testApp.clock.now() - 120_000)
        await updateSearchSnapshot(company.id);
      await meter('a name', 60, search('ngström'));
      await meter('a phone', 60, search('+49 151 200'));
      await meter('no contact', 60, search('qqqqqq'));
      const preview = () =>
        expectOk(testApp.call({ method: 'POST', path: '/api/v1/campaigns/audience-preview', token, body: { audience_type: 'all' } }));
      await meter('audience preview of all', 60, preview);
      const body = { contacts: Array.from({ length: 500 }, (_, i) => ({ phone: `+4917${7_000_000_000 + i}`, name: `Changed ${i}` })) };
      await expectOk(testApp.call({ method: 'POST', path: '/api/v1/contacts/bulk-sync', token, body }));
      await testApp.drain();
      await meter('a name, 500 changes later', 60, search('ngström'));
      testApp.clock.advance(180_000);
      const update = await testApp.meter(() => updateSearchSnapshot(company.id));
      figures.push(
        { name: 'update of the snapshot by 500 changes, reads', unit: 'RRU', value: update.rru },
        // its row before and after the objects are replaced, so that a crash leaves none: docs/decisions/contact-search.md
        { name: 'update of the snapshot by 500 changes, writes', unit: 'WRU', value: update.wru, atMost: 4 },
      );
      return figures;
    }),
};
