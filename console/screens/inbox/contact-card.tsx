import type { JSX, ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Contact } from '../../../client/client.ts';
import { Avatar, Badge, Button, CopyButton, Loading } from '../../components/basics.tsx';
import { Icon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { Time } from '../../components/time.tsx';
import { toastProblem } from '../../components/toasts.tsx';
import { api, type Input } from '../../data/client.ts';
import { queryClient, read, refresh } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { inboxText } from '../../text/inbox.ts';
import { shellText } from '../../text/shell.ts';
import { useLocale, useText } from '../../text/text.ts';
import { formatPhone } from './inbox.tsx';

/** Who the conversation is with: consent and its history, groups, tags, fields, leads and orders. */
export const ContactCard = ({ contactId, onClose }: { contactId: number; onClose: () => void }): JSX.Element => {
  const text = useText(inboxText);
  const shell = useText(shellText);
  const { data, error } = useQuery(read('getContact', { params: { id: contactId } }));
  const contact = data?.data;
  return (
    <aside className="contact-card" aria-label={text.contact}>
      <header className="row">
        <h2 className="grow">{text.contact}</h2>
        <Button look="quiet" small icon="close" label={shell.close} onClick={onClose} />
      </header>
      {error && <ProblemCard error={error} />}
      {!contact && !error && <Loading />}
      {contact && (
        <div className="contact-body">
          <div className="contact-name">
            <Avatar name={contact.name ?? contact.phone} size={52} />
            <strong dir="auto">{contact.name ?? formatPhone(contact.phone)}</strong>
            <span className="row numbers muted">
              {formatPhone(contact.phone)}
              <CopyButton value={contact.phone} />
            </span>
          </div>
          <Section title={text.consent}>
            <div className="row wrap">
              <Badge look={contact.subscribed ? 'good' : 'bad'}>{contact.subscribed ? text.subscribed : text.optedOut}</Badge>
              {contact.marketing_blocked && <Badge look="bad">{text.marketingBlocked}</Badge>}
            </div>
            <Consents contactId={contactId} />
          </Section>
          <Facts
            facts={[
              [text.email, contact.email],
              [text.company, contact.company],
              [text.city, contact.city],
              [text.country, contact.country],
              ...Object.entries(contact.custom).map(([key, value]): [string, string] => [key, String(value)]),
            ]}
          />
          <Section title={text.groups}>
            <Groups contact={contact} />
          </Section>
          <Section title={text.tags}>
            <Tags contact={contact} />
          </Section>
          <Leads contactId={contactId} />
          <Orders phone={contact.phone} contactId={contactId} />
        </div>
      )}
    </aside>
  );
};

const Section = ({ title, children }: { title: string; children: ReactNode }): JSX.Element => (
  <section>
    <h3>{title}</h3>
    {children}
  </section>
);

interface Named {
  id: number;
  name: string;
}

/** Changes of a contact, shown at once and taken back where the API refuses them. */
const change = (contact: Contact, shown: Partial<Contact>, body: Input<'updateContact'>['body']): void => {
  const key = read('getContact', { params: { id: contact.id } }).queryKey;
  const before = queryClient.getQueryData(key);
  queryClient.setQueryData(key, before && { ...before, data: { ...before.data, ...shown } });
  void api
    .updateContact({ params: { id: contact.id }, body })
    .catch((error: unknown) => {
      queryClient.setQueryData(key, before);
      toastProblem(error);
    })
    .finally(() => void refresh('getContact', 'listGroups', 'listTags'));
};

const Groups = ({ contact }: { contact: Contact }): JSX.Element => {
  const text = useText(inboxText);
  const { data } = useQuery({ ...read('listGroups', { query: { limit: 100 } }), staleTime: 5 * 60_000 });
  const { groups } = contact;
  return (
    <Chips
      names={groups}
      others={(data?.data.data ?? []).filter(({ id }) => !groups.some((each) => each.id === id))}
      addLabel={text.addGroup}
      onAdd={({ id, name }) => change(contact, { groups: [...groups, { id, name }] }, { add_groups: [id] })}
      onRemove={({ id }) => change(contact, { groups: groups.filter((each) => each.id !== id) }, { remove_groups: [id] })}
    />
  );
};

const Tags = ({ contact }: { contact: Contact }): JSX.Element => {
  const text = useText(inboxText);
  const { data } = useQuery({ ...read('listTags'), staleTime: 5 * 60_000 });
  const { tags } = contact;
  const others = (data?.data ?? []).filter(({ id }) => !tags.some((each) => each.id === id));
  return (
    <Chips
      names={tags}
      others={others}
      addLabel={text.addTag}
      onAdd={({ id }) => {
        const added = others.filter((each) => each.id === id).map(({ name, color }) => ({ id, name, color }));
        change(contact, { tags: [...tags, ...added] }, { add_tags: [id] });
      }}
      onRemove={({ id }) => change(contact, { tags: tags.filter((each) => each.id !== id) }, { remove_tags: [id] })}
    />
  );
};

/** Groups or tags of a contact: each can be taken away, and others added. */
const Chips = ({
  names,
  others,
  addLabel,
  onAdd,
  onRemove,
}: {
  names: readonly Named[];
  others: readonly Named[];
  addLabel: string;
  onAdd: (one: Named) => void;
  onRemove: (one: Named) => void;
}): JSX.Element => {
  const text = useText(inboxText);
  const mayWrite = useMay('member');
  return (
    <div className="row wrap">
      {names.length === 0 && <span className="muted">{text.none}</span>}
      {names.map((each) => (
        <span key={each.id} className="badge chip" title={each.name}>
          <span className="cut" dir="auto">
            {each.name}
          </span>
          {mayWrite && (
            <button type="button" aria-label={text.removeName(each.name)} onClick={() => onRemove(each)}>
              <Icon name="close" size={12} />
            </button>
          )}
        </span>
      ))}
      {mayWrite && (
        <Menu
          label={addLabel}
          className="button quiet small icon"
          trigger={<Icon name="plus" size={14} />}
          entries={
            others.length === 0
              ? [{ id: 'none', label: text.noneToAdd, disabled: true }]
              : others.map(({ id, name }) => ({ id: String(id), label: name }))
          }
          onSelect={(chosen) => others.filter(({ id }) => String(id) === chosen).map(onAdd)}
        />
      )}
    </div>
  );
};

const Facts = ({ facts }: { facts: readonly (readonly [string, string | null])[] }): JSX.Element | null => {
  const known = facts.filter(([, value]) => value !== null && value !== '');
  if (known.length === 0) return null;
  return (
    <dl className="facts-list">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  );
};

const Consents = ({ contactId }: { contactId: number }): JSX.Element | null => {
  const text = useText(inboxText);
  const { data } = useQuery(read('listContactConsents', { params: { id: contactId } }));
  if (!data || data.data.length === 0) return null;
  return (
    <details>
      <summary className="muted">{text.consentHistory}</summary>
      <ol className="consents">
        {data.data.map((each) => (
          <li key={`${each.at}${each.scope}${each.source}`} className="row">
            <Badge look={each.subscribed ? 'good' : 'bad'}>{each.scope}</Badge>
            <span className="cut grow" title={each.evidence ?? undefined}>
              {each.source}
            </span>
            <Time at={each.at} />
          </li>
        ))}
      </ol>
    </details>
  );
};

const Leads = ({ contactId }: { contactId: number }): JSX.Element => {
  const text = useText(inboxText);
  const { tag } = useLocale();
  const { data } = useQuery(read('listLeads', { query: { contact_id: contactId, limit: 5 } }));
  return (
    <Section title={text.leads}>
      {data?.data.length === 0 && <span className="muted">{text.none}</span>}
      {data?.data.map(({ id, title, stage, value, currency }) => (
        <div key={id} className="row line">
          <span className="cut grow" dir="auto">
            {title}
          </span>
          {value !== null && currency !== null && (
            <span className="numbers muted">
              {new Intl.NumberFormat(tag, { style: 'currency', currency, maximumFractionDigits: 0 }).format(value)}
            </span>
          )}
          {stage && <Badge>{stage.name}</Badge>}
        </div>
      ))}
    </Section>
  );
};

const Orders = ({ phone, contactId }: { phone: string; contactId: number }): JSX.Element => {
  const text = useText(inboxText);
  const { tag } = useLocale();
  const { data } = useQuery({ ...read('listOrders', { query: { customer_phone: phone, limit: 5 } }), enabled: phone !== '' });
  const orders = data?.data.filter(({ contact_id }) => contact_id === null || contact_id === contactId) ?? [];
  return (
    <Section title={text.orders}>
      {data && orders.length === 0 && <span className="muted">{text.none}</span>}
      {orders.map(({ id, order_number: number, status, total_amount: total, currency }) => (
        <div key={id} className="row line">
          <span className="cut grow">{number}</span>
          <span className="numbers muted">{new Intl.NumberFormat(tag, { style: 'currency', currency }).format(Number(total))}</span>
          <Badge>{status}</Badge>
        </div>
      ))}
    </Section>
  );
};
