import { pattern } from '../../../shared/table/pattern.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { type Contact, toItem } from '../contract/stored.ts';
import { contactEntity, identityChanges, isSuccessor } from './contact.ts';

/** Both contacts in one state before and one after: refused when either was written since, or another contact has an identity by now. */
export const mergeStoredContacts = pattern(
  { question: 'a contact becomes part of another one', entity: 'contact', by: 'TransactWriteItems', units: '12-20 WRU' },
  async (before: readonly [Contact, Contact], [contact, twin]: readonly [Contact, Contact]): Promise<boolean> =>
    (
      await commit({
        contact: contactEntity.putting(toItem(contact), isSuccessor(contact)),
        twin: contactEntity.putting(toItem(twin), isSuccessor(twin)),
        ...identityChanges(before, contact),
      })
    ).done,
);
