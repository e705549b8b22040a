import { type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Contact } from '../../../client/client.ts';
import { Button, Loading } from '../../components/basics.tsx';
import type { RowAction } from '../../components/columns.tsx';
import { ContactPicker } from '../../components/contact-picker.tsx';
import { Dialog, useDialog } from '../../components/dialog.tsx';
import { ConfirmDialog } from '../../components/form-dialog.tsx';
import { Icon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { Facts } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { formatCount, Time } from '../../components/time.tsx';
import { toast, toastProblem } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { addressOf } from '../../data/phone.ts';
import { read, refresh } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { contactsText } from '../../text/contacts.ts';
import { useLocale, useText } from '../../text/text.ts';
import { saveContact } from './contact-file.ts';

const nameOf = (contact: Contact): string => contact.name ?? addressOf(contact);

/** What is seldom done with a contact: merging, the file of all that is known, and erasing. */
export const ContactMore = ({ contact }: { contact: Contact }): JSX.Element => {
  const text = useText(contactsText);
  const navigate = useNavigate();
  const [mayWrite, mayErase] = [useMay('member'), useMay('admin')];
  const { dialog, open, close } = useDialog();
  const save = (): void => {
    saveContact(contact).then(() => toast(text.contactSaved), toastProblem);
  };
  const erase = (): void =>
    open(
      <ConfirmDialog
        title={`${text.erase}: ${nameOf(contact)}`}
        action={text.erase}
        send={(call) => api.eraseContact({ params: { id: contact.id } }, call)}
        onDone={() => {
          void refresh('listContacts', 'listConversations');
          open(
            <Receipt
              id={contact.id}
              onClose={() => {
                close();
                void navigate({ to: '/contacts', search: (before) => before });
              }}
            />,
          );
        }}
        onClose={close}
      >
        <p>{text.eraseText}</p>
      </ConfirmDialog>,
    );
  const actions: RowAction[] = [
    { id: 'save', label: text.saveContact, icon: 'download', run: save },
    ...(mayWrite
      ? [{ id: 'merge', label: text.merge, icon: 'users' as const, run: () => open(<MergeDialog contact={contact} onClose={close} />) }]
      : []),
    ...(mayErase ? [{ id: 'erase', label: text.erase, icon: 'trash' as const, danger: true, run: erase }] : []),
  ];
  return (
    <>
      <Menu
        label={text.more}
        className="button small icon"
        trigger={<Icon name="more" />}
        entries={actions}
        onSelect={(id) => actions.find((each) => each.id === id)?.run()}
      />
      {dialog}
    </>
  );
};

/** Another record of the same customer becomes part of this one: those that look like it, or one that is searched. */
const MergeDialog = ({ contact, onClose }: { contact: Contact; onClose: () => void }): JSX.Element => {
  const text = useText(contactsText);
  const [other, setOther] = useState<Contact>();
  const candidates = useCandidates(contact);
  if (other)
    return (
      <ConfirmDialog
        title={text.merge}
        action={text.merge}
        send={(call) => api.mergeContacts({ params: { id: contact.id }, body: { contact_id: other.id } }, call)}
        onDone={() => {
          onClose();
          toast(text.wereMerged);
          void refresh('listContacts', 'getContact', 'listConversations', 'listContactConsents');
        }}
        onClose={onClose}
      >
        <p>{text.mergeText(`${nameOf(other)} (${addressOf(other)})`, nameOf(contact))}</p>
        <p className="muted">{text.mergeHint}</p>
        <p>
          <Button small onClick={() => setOther(undefined)}>
            {text.anotherOne}
          </Button>
        </p>
      </ConfirmDialog>
    );
  return (
    <Dialog title={text.merge} onClose={onClose} footer={<Button onClick={onClose}>{text.notNow}</Button>}>
      {candidates.length > 0 && (
        <>
          <h3>{text.candidates}</h3>
          <ul className="picked-from">
            {candidates.map((each) => (
              <li key={each.id}>
                <button type="button" className="row" onClick={() => setOther(each)}>
                  <span className="grow cut" dir="auto">
                    {nameOf(each)}
                  </span>
                  <span className="muted numbers">{addressOf(each)}</span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      <ContactPicker
        label={text.mergeWith}
        changeLabel={text.anotherOne}
        chosen={undefined}
        onChoose={(chosen) => chosen && chosen.id !== contact.id && setOther(chosen)}
      />
    </Dialog>
  );
};

/** Contacts with the same name or email. */
const useCandidates = ({ id, name, email }: Contact): readonly Contact[] => {
  const rules = [
    ...(name === null ? [] : [{ field: 'name', op: 'eq', value: name }]),
    ...(email === null ? [] : [{ field: 'email', op: 'eq', value: email }]),
  ];
  const { data } = useQuery({
    ...read('listContacts', { query: { limit: 6, filter_condition: JSON.stringify({ match: 'any', rules }) } }),
    enabled: rules.length > 0,
  });
  return (data?.data ?? []).filter((each) => each.id !== id);
};

/** What an erasure removed, while it runs and as its receipt. */
const Receipt = ({ id, onClose }: { id: number; onClose: () => void }): JSX.Element => {
  const text = useText(contactsText);
  const { tag } = useLocale();
  const { data, error } = useQuery({
    ...read('getErasure', { params: { id } }),
    refetchInterval: ({ state }) => (state.data?.data.status === 'done' ? false : 1_500),
  });
  const receipt = data?.data;
  return (
    <Dialog
      title={text.receipt}
      onClose={onClose}
      footer={
        <Button look="primary" onClick={onClose}>
          {text.closeJob}
        </Button>
      }
    >
      {error && !receipt && <ProblemCard error={error} />}
      {!receipt && !error && <Loading rows={2} />}
      {receipt && (
        <>
          <p aria-live="polite">
            <strong>{receipt.status === 'done' ? text.wasErased : text.isErased}</strong>
          </p>
          <Facts
            facts={[
              [text.receiptOf, String(receipt.contact_id)],
              [text.requestedAt, <Time key="at" at={receipt.requested_at} exact />],
              ...Object.entries(receipt.removed).map(([kind, count]) => [kind.replaceAll(/[-_]/g, ' '), formatCount(tag, count)] as const),
            ]}
          />
          <p className="muted">{text.receiptHint}</p>
        </>
      )}
    </Dialog>
  );
};
