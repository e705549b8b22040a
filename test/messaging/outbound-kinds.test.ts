import { afterAll, describe, expect, test } from 'vitest';
import { refusedFields, startOutboundFixture } from './outbound-fixture.ts';

/** Kinds of messages beside texts, lists and templates: what the provider is sent, and what is refused before. */
const { fixture, company, post, sentFor } = await startOutboundFixture();
afterAll(() => fixture.stop());

/** The newest message of a conversation, as the API shows it. */
const shownIn = async (contactId: number): Promise<unknown> => {
  const listed = await fixture.testApp.call({
    method: 'GET',
    path: `/api/v1/conversations/${contactId}/messages`,
    token: company.tokens.member,
  });
  return (listed.body as { data: unknown[] }).data[0];
};

describe('contact cards', () => {
  const ada = {
    name: { formatted_name: 'Ada Lovelace', first_name: 'Ada' },
    phones: [{ phone: '+44 20 7946 0000', wa_id: '442079460000', type: 'WORK' }],
    emails: [{ email: 'ada@example.com' }],
    org: { company: 'Engines' },
    birthday: '1990-12-10',
  };
  const grace = { name: { formatted_name: 'Grace Hopper', last_name: 'Hopper' } };

  test('go whole, and their names are the text of the message', async () => {
    const { sent, stored } = await sentFor('contacts', { contacts: [ada, grace] });
    expect(sent).toEqual({ type: 'contacts', contacts: [ada, grace] });
    expect(stored).toMatchObject({ type: 1, subtype: 'contacts', value: 'Ada Lovelace, Grace Hopper', status: 2 });
    expect(await shownIn(stored?.contactId ?? 0)).toMatchObject({ content: { contacts: [ada, grace] } });
  });

  test.each<[string, unknown, string]>([
    ['no card', [], 'contacts'],
    ['too many', Array.from({ length: 258 }, () => grace), 'contacts'],
    [
      'more than fits into a message',
      Array.from({ length: 200 }, () => ({ ...ada, urls: [{ url: `https://a.example/${'x'.repeat(300)}` }] })),
      'contacts',
    ],
    ['a name without a part', [{ name: { formatted_name: 'Ada' } }], 'contacts.0.name'],
    ['no name', [{ phones: [] }], 'contacts.0.name'],
    ['a birthday that is no date', [{ ...grace, birthday: '10.12.1990' }], 'contacts.0.birthday'],
    ['a website that is none', [{ ...grace, urls: [{ url: 'example' }] }], 'contacts.0.urls.0.url'],
  ])('%s is refused', async (_, contacts, field) => {
    expect(refusedFields(await post('contacts', { contacts }))).toEqual([field]);
  });
});
