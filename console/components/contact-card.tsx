import { type JSX, type ReactNode, useEffect, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Contact } from '../../client/client.ts';
import { countryName } from './country.ts';
import { amountText } from './amount.ts';
import { Avatar, Badge, Button, CopyButton, Loading } from './basics.tsx';
import { CheckField } from './fields.tsx';
import { Icon } from './icons.tsx';
import { Menu } from './menu.tsx';
import { ProblemCard } from './problem.tsx';
import { Time } from './time.tsx';
import { toastProblem } from './toasts.tsx';
import { type Answer, api, type Input } from '../data/client.ts';
import { changeAhead, read, refresh } from '../data/queries.ts';
import { addressOf } from '../data/phone.ts';
import { useMay, useSession } from '../data/session.ts';
import { useStored } from '../data/stored.ts';
import { inboxText } from '../text/inbox.ts';
import { openedText } from '../text/opened.ts';
import { shellText } from '../text/shell.ts';
import { useLocale, useText } from '../text/text.ts';
import './contact-card.css';

/** A contact beside a conversation or a list: consent and its history, groups, tags, fields, leads and orders. */
const ContactCard = ({
  contactId,
  actions,
  more,
  onClose,
}: {
  contactId: number;
  /** What the page can do with the contact. */
  actions?: (contact: Contact) => ReactNode;
  /** What the page shows below. */
  more?: ReactNode;
  onClose: () => void;
}): JSX.Element => {
  const text = useText(inboxText);
  const opened = useText(openedText);
  const shell = useText(shellText);
  const { tag } = useLocale();
  const hasStayed = useHasStayed();
  const { data, error } = useQuery({ ...read('getContact', { params: { id: contactId } }), staleTime: 5 * 60_000, enabled: hasStayed });
  const contact = data?.data;
  return (
    <aside className="contact-card" aria-label={text.contact}>
      <header className="row">
        <h2 className="grow">{text.contact}</h2>
        <Button look="quiet" small icon="close" label={shell.close} onClick={onClose} />
      </header>
      {error && !data && <ProblemCard error={error} />}
      {!contact && !error && <Loading />}
      {contact && (
        <div className="contact-body">
          <div className="contact-name">
            <Avatar name={contact.name ?? addressOf(contact)} size={52} />
            <strong dir="auto">{contact.name ?? addressOf(contact)}</strong>
            <span className="row numbers muted">
              {addressOf(contact)}
              <CopyButton value={contact.phone === '' ? addressOf(contact) : contact.phone} />
            </span>
            {contact.phone !== '' && contact.username !== null && <span className="muted">@{contact.username}</span>}
            {actions && <div className="row wrap">{actions(contact)}</div>}
          </div>
          <Section title={opened.consent}>
            <div className="row wrap">
              <Badge look={contact.subscribed ? 'good' : 'bad'}>{contact.subscribed ? opened.subscribed : opened.optedOut}</Badge>
              {contact.blocked && <Badge look="bad">{text.blocked}</Badge>}
              {contact.marketing_blocked && <Badge look="bad">{opened.marketingBlocked}</Badge>}
            </div>
            <OnDemand name="consents" title={opened.consentHistory}>
              {(isOpen) => <Consents contactId={contactId} isOpen={isOpen} />}
            </OnDemand>
          </Section>
          <BotSwitch contact={contact} />
          <Facts
            facts={[
              [opened.email, contact.email],
              [opened.company, contact.company],
              [opened.city, contact.city],
              [opened.country, countryName(tag, contact.country)],
              ...Object.entries(contact.custom).map(([key, value]): [string, string] => [key, String(value)]),
            ]}
          />
          <Groups contact={contact} />
          <Tags contact={contact} />
          <OnDemand name="leads" title={opened.leads}>
            {(isOpen) => <Leads contactId={contactId} isOpen={isOpen} />}
          </OnDemand>
          {contact.phone !== '' && (
            <OnDemand name="orders" title={opened.orders}>
              {(isOpen) => <Orders phone={contact.phone} contactId={contactId} isOpen={isOpen} />}
            </OnDemand>
          )}
          {more}
        </div>
      )}
    </aside>
  );
};

export default ContactCard;

/** Whether the user stays: who goes through the list by keys has nothing read of each contact. */
const useHasStayed = (): boolean => {
  const [hasStayed, setStayed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setStayed(true), 250);
    return () => clearTimeout(timer);
  }, []);
  return hasStayed;
};

const Section = ({ title, action, children }: { title: string; action?: ReactNode; children?: ReactNode }): JSX.Element => (
  <section>
    <div className="row">
      <h3 className="grow">{title}</h3>
      {action}
    </div>
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
  const ahead = (answer: Answer<'getContact'>): Answer<'getContact'> => ({ ...answer, data: { ...answer.data, ...shown } });
  void changeAhead(key, ahead, () => api.updateContact({ params: { id: contact.id }, body }))
    .catch(toastProblem)
    // the inbox may show the conversations of a tag
    .finally(() => void refresh('getContact', 'listGroups', 'listTags', ...('tags' in shown ? ['listConversations' as const] : [])));
};

/** Whether automated answers may go to the contact. */
const BotSwitch = ({ contact }: { contact: Contact }): JSX.Element => {
  const opened = useText(openedText);
  const mayWrite = useMay('member');
  // what is pressed shows at once; what was read comes a moment later
  const [isOn, setOn] = useState(contact.enabled_ai_bot);
  useEffect(() => setOn(contact.enabled_ai_bot), [contact.enabled_ai_bot]);
  return (
    <CheckField
      label={opened.bot}
      hint={opened.botHint}
      checked={isOn}
      disabled={!mayWrite}
      onCheck={(enabled_ai_bot) => {
        setOn(enabled_ai_bot);
        change(contact, { enabled_ai_bot }, { enabled_ai_bot });
      }}
    />
  );
};

const Groups = ({ contact }: { contact: Contact }): JSX.Element => {
  const opened = useText(openedText);
  const [isNear, setNear] = useState(false);
  const { data } = useQuery({ ...read('listGroups', { query: { limit: 100 } }), staleTime: 5 * 60_000, enabled: isNear });
  const { groups } = contact;
  return (
    <Chips
      title={opened.groups}
      onNear={() => setNear(true)}
      names={groups}
      others={(data?.data.data ?? []).filter(({ id }) => !groups.some((each) => each.id === id))}
      addLabel={opened.addGroup}
      onAdd={({ id, name }) => change(contact, { groups: [...groups, { id, name }] }, { add_groups: [id] })}
      onRemove={({ id }) => change(contact, { groups: groups.filter((each) => each.id !== id) }, { remove_groups: [id] })}
    />
  );
};

const Tags = ({ contact }: { contact: Contact }): JSX.Element => {
  const opened = useText(openedText);
  const [isNear, setNear] = useState(false);
  const { data } = useQuery({ ...read('listTags'), staleTime: 5 * 60_000, enabled: isNear });
  const { tags } = contact;
  const others = (data?.data ?? []).filter(({ id }) => !tags.some((each) => each.id === id));
  return (
    <Chips
      title={opened.tags}
      onNear={() => setNear(true)}
      names={tags}
      others={others}
      addLabel={opened.addTag}
      onAdd={({ id }) => {
        const added = others.filter((each) => each.id === id).map(({ name, color }) => ({ id, name, color }));
        change(contact, { tags: [...tags, ...added] }, { add_tags: [id] });
      }}
      onRemove={({ id }) => change(contact, { tags: tags.filter((each) => each.id !== id) }, { remove_tags: [id] })}
    />
  );
};

interface ChipsProps {
  title: string;
  names: readonly Named[];
  others: readonly Named[];
  addLabel: string;
  /** Called before the others are shown: they are read then, and not with each contact. */
  onNear: () => void;
  onAdd: (one: Named) => void;
  onRemove: (one: Named) => void;
}

/** Groups or tags of a contact: each can be taken away, and others added. */
const Chips = ({ title, names, others, addLabel, onNear, onAdd, onRemove }: ChipsProps): JSX.Element | null => {
  const text = useText(inboxText);
  const opened = useText(openedText);
  const mayWrite = useMay('member');
  if (names.length === 0 && !mayWrite) return null;
  const add = mayWrite && (
    <span onPointerEnter={onNear} onFocus={onNear}>
      <Menu
        label={addLabel}
        className="button quiet small icon"
        trigger={<Icon name="plus" size={14} />}
        entries={
          others.length === 0
            ? [{ id: 'none', label: opened.noneToAdd, disabled: true }]
            : others.map(({ id, name }) => ({ id: String(id), label: name }))
        }
        onSelect={(chosen) => others.filter(({ id }) => String(id) === chosen).map(onAdd)}
      />
    </span>
  );
  return (
    <Section title={title} action={add}>
      {names.length > 0 && (
        <div className="row wrap">
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
        </div>
      )}
    </Section>
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

/** A part of the card that is read while it is open, so that opening a conversation does not read it; it stays open for this user. */
const OnDemand = ({ name, title, children }: { name: string; title: string; children: (isOpen: boolean) => ReactNode }): JSX.Element => {
  const [open, setOpen] = useStored(useSession().stored, `card.${name}`);
  return (
    <details open={open !== ''} onToggle={({ currentTarget }) => setOpen(currentTarget.open ? 'open' : '')}>
      <summary className="muted">{title}</summary>
      {children(open !== '')}
    </details>
  );
};

const Consents = ({ contactId, isOpen }: { contactId: number; isOpen: boolean }): JSX.Element => {
  const { data } = useQuery({ ...read('listContactConsents', { params: { id: contactId } }), enabled: isOpen });
  return (
    <ol className="consents">
      {data?.data.map((each) => (
        <li key={`${each.at}${each.scope}${each.source}`} className="row">
          <Badge look={each.subscribed ? 'good' : 'bad'}>{each.scope}</Badge>
          <span className="cut grow" title={each.evidence ?? undefined}>
            {each.source}
          </span>
          <Time at={each.at} />
        </li>
      ))}
    </ol>
  );
};

const Leads = ({ contactId, isOpen }: { contactId: number; isOpen: boolean }): JSX.Element => {
  const { tag } = useLocale();
  const { data, error } = useQuery({ ...read('listLeads', { query: { contact_id: contactId, limit: 5 } }), enabled: isOpen });
  return (
    <Read rows={data?.data} error={error}>
      {({ id, title, stage, value, currency }) => (
        <div key={id} className="row line">
          <span className="cut grow" dir="auto">
            {title}
          </span>
          {value !== null && currency !== null && (
            <span className="numbers muted">{amountText(tag, value, currency, { maximumFractionDigits: 0 })}</span>
          )}
          {stage && <Badge>{stage.name}</Badge>}
        </div>
      )}
    </Read>
  );
};

const Orders = ({ phone, contactId, isOpen }: { phone: string; contactId: number; isOpen: boolean }): JSX.Element => {
  const { tag } = useLocale();
  const { data, error } = useQuery({ ...read('listOrders', { query: { customer_phone: phone, limit: 5 } }), enabled: isOpen });
  return (
    <Read rows={data?.data.filter(({ contact_id }) => contact_id === null || contact_id === contactId)} error={error}>
      {({ id, order_number: number, status, total_amount: total, currency }) => (
        <div key={id} className="row line">
          <span className="cut grow">{number}</span>
          <span className="numbers muted">{amountText(tag, Number(total), currency)}</span>
          <Badge>{status}</Badge>
        </div>
      )}
    </Read>
  );
};

/** The rows of a part that was opened, or that there are none. */
const Read = <T,>({
  rows,
  error,
  children,
}: {
  rows: readonly T[] | undefined;
  error: unknown;
  children: (row: T) => JSX.Element;
}): JSX.Element => {
  const opened = useText(openedText);
  if (!rows) return error ? <ProblemCard error={error} /> : <Loading rows={1} />;
  return rows.length === 0 ? <p className="muted">{opened.noneYet}</p> : <>{rows.map(children)}</>;
};
