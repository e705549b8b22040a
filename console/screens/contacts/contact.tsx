import type { JSX } from 'react';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { Contact as ContactRecord } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Button } from '../../components/basics.tsx';
import ContactCard from '../../components/contact-card.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { useRemoval } from '../../components/form-dialog.tsx';
import { Icon } from '../../components/icons.tsx';
import { api } from '../../data/client.ts';
import { refresh } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { contactsText } from '../../text/contacts.ts';
import { useText } from '../../text/text.ts';
import { ContactForm } from './contact-form.tsx';
import { ContactMore } from './contact-more.tsx';
import { ContactTimeline } from './contact-timeline.tsx';

/** One contact beside the list, and what can be done with it. */
const Contact = (): JSX.Element => {
  const text = useText(contactsText);
  const { id } = useParams({ from: '/shell/contacts/$id' });
  const navigate = useNavigate();
  const mayWrite = useMay('member');
  const { dialog, open, close } = useDialog();
  useInspectable({ title: text.contacts, subject: `contact:${id}`, call: { operation: 'getContact', input: { params: { id } } } });
  const leave = (): void => void navigate({ to: '/contacts', search: (before) => before });
  const edit = (contact: ContactRecord): void => open(<ContactForm contact={contact} onClose={close} onDone={close} />);
  const { question, remove } = useRemoval({
    title: text.remove,
    action: text.remove,
    words: text.removeText,
    send: (call) => api.deleteContact({ params: { id } }, call),
    onRemoved: () => {
      void refresh('listContacts');
      leave();
    },
  });
  return (
    <>
      <ContactCard
        key={id}
        contactId={id}
        onClose={leave}
        actions={(contact) => (
          <>
            <Link className="button small" to="/inbox/$id" params={{ id }}>
              <Icon name="inbox" />
              {text.conversation}
            </Link>
            {mayWrite && (
              <>
                <Button small icon="edit" onClick={() => edit(contact)}>
                  {text.edit}
                </Button>
                <Button small look="quiet" icon="trash" label={text.remove} onClick={remove} />
              </>
            )}
            <ContactMore contact={contact} />
          </>
        )}
        more={<ContactTimeline id={id} />}
      />
      {dialog}
      {question}
    </>
  );
};
export default Contact;
