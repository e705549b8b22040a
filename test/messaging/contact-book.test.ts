import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { erasureRecord } from '../../functions/erasures/contract/erasure.ts';
import { contactIdOf } from '../support/contact-id.ts';
import type { TestCompany } from '../support/company.ts';
import { inboundOf, startFixture } from './fixture.ts';

/** What the provider's contact book holds of a customer ends with the customer's data. */
const fixture = await startFixture();
afterAll(() => fixture.stop());
const { testApp } = fixture;
const { nextPhone } = inboundOf(fixture);

const hour = 3_600_000;
const user = z.looseObject({
  phone: z.string(),
  seen_by: z.array(z.looseObject({ phone_number_id: z.string(), is_in_contact_book: z.boolean() })),
});

/** A customer with a user name whose phone the company's contact book has. */
const inBook = async () => {
  const company = await fixture.company();
  const phone = nextPhone();
  await fixture.control('PUT', 'users', { phone, username: `user.${phone}` });
  expect((await fixture.send(company, phone, 'Hello')).status).toBe(200);
  await fixture.inbound({ company_id: company.id, from: phone, text: 'Hi' });
  await fixture.deliverAll();
  const id = (await contactIdOf(company.id, { phone })) ?? 0;
  const isInBook = async (): Promise<boolean | undefined> => {
    const users = z.array(user).parse(await fixture.control('GET', 'users'));
    const seen = users.find((each) => each.phone === phone)?.seen_by;
    return seen?.find((each) => each.phone_number_id === company.number.phoneNumberId)?.is_in_contact_book;
  };
  expect(await isInBook()).toBe(true);
  return { company, id, isInBook };
};
const erasure = async (company: TestCompany, id: number, method: 'GET' | 'POST' = 'GET') => {
  const answer = await testApp.call({ method, path: `/api/v1/contacts/${id}/erase`, token: company.tokens.owner });
  return z.object({ data: erasureRecord }).parse(answer.body).data;
};

describe('the erasure of a contact', () => {
  test('removes its entry of the provider’s contact book, which the receipt counts, and no other customer’s', async () => {
    const { company, id, isInBook } = await inBook();
    const other = await inBook();
    await erasure(company, id, 'POST');
    await testApp.drain();
    expect(await erasure(company, id)).toMatchObject({ status: 'done', removed: { contacts: 1, contact_book_entries: 1 } });
    expect([await isInBook(), await other.isInBook()]).toEqual([false, true]);
    await testApp.passTime(26 * 3_600);
    expect((await erasure(company, id)).removed['contact_book_entries']).toBe(1);
  });

  test('waits for a provider that does not do it, tries again until it does, and keeps nothing else for it', async () => {
    const { company, id, isInBook } = await inBook();
    await fixture.faults({ contact_book_error: 131016 });
    await erasure(company, id, 'POST');
    await testApp.drain();
    expect(await erasure(company, id)).toMatchObject({ status: 'running', finished_at: null });
    expect(await testApp.dump({ kind: 'message', companyId: company.id, contactId: id })).toEqual([]);
    await testApp.passTime(3 * 3_600);
    expect([(await erasure(company, id)).status, await isInBook()]).toEqual(['running', true]);
    await fixture.faults({});
    await testApp.passTime(6 * 3_600);
    expect(await erasure(company, id)).toMatchObject({ status: 'done', removed: { contact_book_entries: 1 } });
    expect(await isInBook()).toBe(false);
    testApp.clock.advance(26 * hour);
    await testApp.passTime(120);
    expect((await erasure(company, id)).checked_at).not.toBeNull();
  });

  test('ends where the provider refuses it for good', async () => {
    const { company, id } = await inBook();
    await fixture.faults({ contact_book_error: 10 });
    await erasure(company, id, 'POST');
    await testApp.drain();
    expect((await erasure(company, id)).status).toBe('done');
    await fixture.faults({});
  });
});
