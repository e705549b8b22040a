import { type ReactNode, useMemo } from 'react';
import type { Contact } from '../../../client/client.ts';
import { purgeAfterDays } from '../../../functions/contacts/domain/purge.ts';
import { Avatar } from '../../components/basics.tsx';
import { menus, named } from '../../components/columns.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { ConfirmDialog } from '../../components/form-dialog.tsx';
import type { Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { addressOf } from '../../data/phone.ts';
import { refresh } from '../../data/queries.ts';
import { contactsText } from '../../text/contacts.ts';
import { useText } from '../../text/text.ts';

const nameOf = (contact: Contact): string => contact.name ?? addressOf(contact);
const restorableUntil = ({ deleted_at: at }: Contact): string =>
  at === undefined ? '' : new Date(Date.parse(at) + purgeAfterDays * 86_400_000).toISOString();

/** The columns of deleted contacts, with the way back for who may write; the question stands as `dialog` beside the table. */
export const useDeletedContacts = (mayWrite: boolean): { columns: Column<Contact>[]; dialog: ReactNode } => {
  const text = useText(contactsText);
  const { dialog, open, close } = useDialog();
  const columns = useMemo((): Column<Contact>[] => {
    const restore = (contact: Contact): void =>
      open(
        <ConfirmDialog
          title={`${text.restore}: ${nameOf(contact)}`}
          action={text.restore}
          isDanger={false}
          send={(call) => api.createContact({ body: { phone: `+${contact.phone}` } }, call)}
          onDone={({ data }) => {
            close();
            // meanwhile another contact may have been made with its phone
            toast(data.id === contact.id ? text.wasRestored : text.phoneOfAnother);
            void refresh('listContacts');
          }}
          onClose={close}
        >
          <p>{text.restoreText}</p>
        </ConfirmDialog>,
      );
    return [
      {
        id: 'name',
        name: text.name,
        width: 'minmax(10rem, 2fr)',
        value: nameOf,
        cell: (contact) => named(nameOf(contact), undefined, <Avatar name={nameOf(contact)} size={26} />),
      },
      { id: 'phone', name: text.phone, width: 'minmax(8rem, 1fr)', value: addressOf, isExtra: true },
      {
        id: 'deleted_at',
        name: text.deletedAt,
        width: '8rem',
        value: ({ deleted_at: at }) => at ?? '',
        cell: ({ deleted_at: at }) => at !== undefined && <Time at={at} />,
        isNumber: true,
        isExtra: true,
      },
      {
        id: 'restorable_until',
        name: text.restorableUntil,
        width: '8rem',
        value: restorableUntil,
        cell: (row) => <Time at={restorableUntil(row)} />,
        isNumber: true,
      },
      ...(mayWrite
        ? [
            // by a phone alone: who has none comes back with a message
            menus<Contact>(text.actions, nameOf, (contact) =>
              contact.phone === '' ? [] : [{ id: 'restore', label: text.restore, icon: 'refresh', run: () => restore(contact) }],
            ),
          ]
        : []),
    ];
  }, [text, mayWrite, open, close]);
  return { columns, dialog };
};
