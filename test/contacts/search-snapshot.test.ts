import { describe, expect, it } from 'vitest';
import { changeStreamContext } from '../../functions/app.ts';
import {
  contactEntityName,
  contactItem,
  type Contact,
  toContact,
  toItem,
  toSearchedContact,
} from '../../functions/contacts/contract/stored.ts';
import { newContact } from '../../functions/contacts/domain/contact.ts';
import { requestsSnapshot, smallestSnapshot, snapshotMarginMs } from '../../functions/contacts/domain/search-snapshot.ts';
import { contactReactions } from '../../functions/contacts/reactions/contact.ts';
import { updateSearchSnapshot } from '../../functions/contacts/service/search-snapshots.ts';
import { getContactById, updateStoredContact } from '../../functions/contacts/store/contact.ts';
import { getSearchSnapshot } from '../../functions/contacts/store/search-snapshot.ts';
import { nextIds } from '../../shared/table/counter.ts';
import { contactOf, newCompany, startContacts } from './support.ts';

/** That a search and a preview find a search snapshot that nearly all contacts have not changed since. */
const madeAt = Date.parse('2026-11-20T10:00:00Z');

describe('changes that no search followed', () => {
  const contactAt = (id: number, updatedAt: number): Contact => ({
    ...newContact(1, id, { phone: `4915160${String(100_000 + id)}`, phoneCountry: 'DE' }, madeAt, []),
    updatedAt,
  });
  const messagesOf = (before: Contact | undefined, after: Contact | undefined): number[] =>
    (contactReactions[0]?.react({ before, after, writtenAt: madeAt, changeId: '1' } as never) ?? []).flatMap((consequence) =>
      consequence.kind === 'message' ? [consequence.delaySeconds ?? 0] : [],
    );
  /** Each contact changes once, as by the verdicts that follow from a campaign. */
  const campaign = (recipients: number, updatedAt: (id: number) => number): number => {
    let messages = 0;
    for (let id = smallestSnapshot + recipients; id > smallestSnapshot; id--)
      messages += messagesOf(contactAt(id, madeAt), contactAt(id, updatedAt(id))).length;
    return messages;
  };

  it.each([
    ['one a millisecond, newest contact first', (id: number) => madeAt + 200_000 - id],
    ['one a millisecond, oldest contact first', (id: number) => madeAt + 200_000 + id],
    ['200 a second', (id: number) => madeAt + 1_000_000 - 5 * id],
    ['25 of the same millisecond', (id: number) => madeAt + 200_000 - 25 * Math.floor(id / 25)],
  ])('cause an update of the snapshot about every 2,048: %s', (_, updatedAt) => {
    const updates = campaign(100_000, updatedAt);
    expect(updates).toBeGreaterThan(30);
    expect(updates).toBeLessThan(75);
  });

  it('cause none in a company that is searched without a snapshot, nor without a change, nor when a row is purged', () => {
    for (let id = 1; id < smallestSnapshot; id++) expect(messagesOf(contactAt(id, madeAt), contactAt(id, madeAt + 7 * id))).toEqual([]);
    for (let id = smallestSnapshot; id < 5 * smallestSnapshot; id++) {
      expect(messagesOf(contactAt(id, madeAt), contactAt(id, madeAt))).toEqual([]);
      expect(messagesOf({ ...contactAt(id, madeAt), deletedAt: madeAt }, undefined)).toEqual([]);
    }
  });
});

it('the snapshot of a large company is brought up to date by a change alone, which it then contains', async () => {
  await using testApp = await startContacts([changeStreamContext]);
  const me = await testApp.as(newCompany());
  await nextIds(me.companyId, contactEntityName, 2 * smallestSnapshot);
  const { id } = contactOf(await me.post({ phone: '+4915120000001', name: 'Ana' }));
  await testApp.drain();
  testApp.clock.advance(3 * snapshotMarginMs);
  await updateSearchSnapshot(me.companyId);
  const seen = await getSearchSnapshot(me.companyId, { consistent: true });
  const contact = await getContactById(me.companyId, id, { consistent: true });
  if (contact === undefined) throw new Error('The contact is not there.');
  let updatedAt = testApp.clock.now() + 1_000;
  while (!requestsSnapshot(contact, { id, updatedAt })) updatedAt++;
  testApp.clock.moveTo(updatedAt);
  expect(await updateStoredContact({ ...contact, rev: contact.rev + 1, marketingBlocked: true, updatedAt })).toBe('done');
  await testApp.drain();
  expect((await getSearchSnapshot(me.companyId, { consistent: true }))?.asOf).toBe(seen?.asOf);
  await testApp.passTime(90);
  expect((await getSearchSnapshot(me.companyId, { consistent: true }))?.asOf).toBeGreaterThan(updatedAt);
});

it('a contact that changed is read for a search as it is, by a part of its attributes', () => {
  const whole: Contact = {
    ...newContact(
      1,
      9_000,
      { phone: '4915120000001', phoneCountry: 'DE', name: 'Ana', email: 'ana@example.com', city: 'Pune' },
      madeAt,
      [],
    ),
    userId: 'US.1',
    subscribed: false,
    consent: { source: 'keyword', at: madeAt },
    marketingBlocked: true,
    notOnWhatsappAt: madeAt,
    groupIds: [1, 2],
    tagIds: [3],
    aliases: ['phone:4915120000002'],
    updatedAt: madeAt + 1,
    deletedAt: madeAt + 1,
  };
  const item = contactItem.parse(toItem(whole));
  const searched = toSearchedContact(item);
  const { consent, ...same } = searched;
  expect(toContact(item)).toMatchObject(same);
  expect(consent).toEqual({ source: 'keyword' });
  const { deletedAt: _gone, notOnWhatsappAt: _since, consent: _consent, aliases: _others, name: _name, ...bare } = whole;
  expect(Object.keys(toSearchedContact(contactItem.parse(toItem(bare)))).toSorted()).toEqual(
    ['groupIds', 'id', 'marketingBlocked', 'phone', 'subscribed', 'tagIds', 'updatedAt'].toSorted(),
  );
});
