import { afterAll, beforeAll, expect, it } from 'vitest';
import { changeStreamContext } from '../../functions/app.ts';
import { storedContact } from '../../functions/contacts/contract/stored.ts';
import { contactReactions } from '../../functions/contacts/reactions/contact.ts';
import { contactOf, type ContactsTestApp, newCompany, pageOf, startContacts } from './support.ts';

let testApp: ContactsTestApp;
beforeAll(async () => {
  testApp = await startContacts([changeStreamContext]);
});
afterAll(() => testApp.stop());

it('the total follows creation, change, deletion and restoration', async () => {
  const me = await testApp.as(newCompany());
  const total = async (): Promise<number> => {
    await testApp.drain();
    return pageOf(await me.get('')).meta.total;
  };
  const phones = ['919876543210', '919876543211', '919876543212'];
  expect(await total()).toBe(0);
  for (const phone of phones) contactOf(await me.post({ phone }));
  expect(await total()).toBe(3);
  contactOf(await me.post({ phone: phones[0], name: 'Ana' }));
  expect(await total()).toBe(3);
  await me.delete(1);
  await me.delete(2);
  expect(await total()).toBe(1);
  contactOf(await me.post({ phone: phones[1] }));
  expect(await total()).toBe(2);
});

it('a purge, and a change of a value without projection, change no row', () => {
  const contact = { c: 1, i: 1, r: 1, p: '919876543210', at: 1, g: [1], t: [2] };
  const parse = (raw: object | undefined) => raw && (storedContact.parse(raw) as never);
  const rounds = (before: object | undefined, after: object | undefined) =>
    contactReactions[0]
      ?.react({ before: parse(before), after: parse(after), writtenAt: 0, changeId: '1' })
      .map((each) => (each.kind === 'projection' ? each.into : each.kind));
  expect(rounds({ ...contact, del: 2 }, undefined)).toEqual([]);
  expect(rounds(contact, { ...contact, e: 'a@example.com', x: { a: '1' } })).toEqual([]);
  expect(rounds(contact, { ...contact, n: 'x' })).toEqual(['contact-digest']);
  expect(rounds(contact, { ...contact, t: [] })).toEqual(['contact-members']);
  expect(rounds(contact, { ...contact, g: [1, 5] })).toEqual(['contact-members', 'group']);
  const whole = ['counter', 'contact-counts', 'contact-digest', 'contact-members', 'group', 'contact-members'];
  expect(rounds(undefined, contact)).toEqual(whole);
  expect(rounds(contact, { ...contact, g: undefined, del: 2 })).toEqual(whole);
});
