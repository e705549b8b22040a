import { describe, expect, test } from 'vitest';
import type { Contact } from '../../functions/contacts/contract/stored.ts';
import { newContact } from '../../functions/contacts/domain/contact.ts';
import type { Sender } from '../../functions/contacts/service/find-by-identities.ts';
import { decideIdentities, inMergeOrder } from '../../functions/contacts/domain/identities.ts';

const fresh: Sender = { contactId: 1, mergedIds: [] };
const late: Sender = { contactId: 1, mergedIds: [], isLate: true };
const [phone, userId, name, username] = ['4915110000001', 'US.1', 'Ana', 'ana.sol'];

describe('a sender', () => {
  const every = [{ phone }, { userId }, { phone, userId }].flatMap((identities) => [
    identities,
    { ...identities, name },
    { ...identities, username },
  ]);
  const rows = every.flatMap((given) =>
    [undefined, fresh, late].flatMap((found) => [false, true].map((isChecked) => ({ given, found, isChecked }))),
  );

  test.each(rows)('of $given, found as $found, checked: $isChecked', ({ given, found, isChecked }) => {
    const hasBoth = 'phone' in given && 'userId' in given;
    const isNamed = 'name' in given || 'username' in given;
    const { act } = decideIdentities(found, given, isChecked);
    const expected = {
      create: !found,
      known: found && (isChecked || (!hasBoth && (!isNamed || found === late))),
      join: found && !isChecked && hasBoth,
      learnNames: found === fresh && !isChecked && !hasBoth && isNamed,
    };
    expect([act]).toEqual(Object.entries(expected).flatMap(([each, is]) => (is ? [each] : [])));
  });
});

describe('of two contacts that are one', () => {
  const contact = (id: number, fields: Partial<Contact>): Contact => ({
    ...newContact(1, id, { phone: '', phoneCountry: undefined }, 1, []),
    ...fields,
  });
  const moved = { phone: '4915110000001', until: 1, to: '4915110000002' };
  const [former, next, other] = ['4915110000001', '4915110000002', '4915110000003'];

  test.each([
    ['the one that wrote from the new phone', { phone: next }, { phone: former }, moved, 'is'],
    ['the one that wrote with the user id, of two without a phone', { userId: 'b' }, { userId: 'a' }, undefined, 'is'],
    ['the one that has a phone, where the other has none', { userId: 'b' }, { phone: former }, undefined, 'was'],
    ['the one that has another phone than the one that moved', { phone: next }, { phone: other }, moved, 'was'],
  ])('%s stays', (_, is, was, phoneMoved, stays) => {
    const [one, two] = [contact(1, is), contact(2, was)];
    expect(inMergeOrder(one, two, phoneMoved).map(({ id }) => id)).toEqual(stays === 'is' ? [1, 2] : [2, 1]);
  });
});
