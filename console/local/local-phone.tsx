import { type FormEvent, type JSX, type ReactNode, useEffect, useRef, useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Avatar, Button, Field } from '../components/basics.tsx';
import { Icon } from '../components/icons.tsx';
import { Menu } from '../components/menu.tsx';
import { formatTime, productNow } from '../components/time.tsx';
import { toastProblem } from '../components/toasts.tsx';
import { read } from '../data/queries.ts';
import { useStored } from '../data/stored.ts';
import { useMe, useSession } from '../data/session.ts';
import { phoneText } from '../text/phone.ts';
import { useLocale, useText } from '../text/text.ts';
import { type Accepted, listAccepted, writeInbound, type Written } from './controls.ts';
import { record, words } from './payload.ts';
import { type AnswerWith, FromBusiness, Rich } from './phone-bubble.tsx';
import { Clock, Emails, FaultSwitches } from './phone-tools.tsx';
import './local-phone.css';

interface Customer {
  phone: string;
  name: string;
}

const tabs = ['chat', 'faults', 'emails'] as const;
type Tab = (typeof tabs)[number];

/** A customer's phone beside the inbox, on the laptop alone: it shows what the provider accepted, and writes back. What is no phone stands around it. */
const Phone = ({ contact, onClose }: { contact: { phone: string; name: string | null } | undefined; onClose: () => void }): JSX.Element => {
  const text = useText(phoneText);
  const [stored, setStored] = useStored(useSession().stored, 'phone');
  const [tab, setTab] = useState<Tab>('chat');
  const chosen = stored === '' ? { phone: '4915112345678', name: 'Ada Lovelace' } : (JSON.parse(stored) as Customer);
  // the phone follows the conversation that is open
  const customer = contact && contact.phone !== '' ? { phone: contact.phone, name: contact.name ?? contact.phone } : chosen;
  const panels: Readonly<Record<Tab, ReactNode>> = {
    chat: <Device key={customer.phone} customer={customer} />,
    faults: <FaultSwitches phone={customer.phone} />,
    emails: <Emails />,
  };
  return (
    <aside className="phone" aria-label={text.title}>
      <header className="row">
        <h2 className="grow">
          {text.title} <small className="muted">{text.hint}</small>
        </h2>
        <Button look="quiet" small icon="close" label={text.close} onClick={onClose} />
      </header>
      <div className="tabs" role="tablist" aria-label={text.title}>
        {tabs.map((each) => (
          <button key={each} type="button" role="tab" aria-selected={each === tab} onClick={() => setTab(each)}>
            {text[each]}
          </button>
        ))}
      </div>
      {!contact && <CustomerForm key={stored} customer={chosen} onChoose={(next) => setStored(JSON.stringify(next))} />}
      {panels[tab]}
      <Clock />
    </aside>
  );
};
export default Phone;

/** A phone number has 7 to 15 digits. */
const isNumber = (digits: string): boolean => /^\d{7,15}$/.test(digits);

const CustomerForm = ({ customer, onChoose }: { customer: Customer; onChoose: (customer: Customer) => void }): JSX.Element => {
  const text = useText(phoneText);
  const [{ phone, name }, set] = useState(customer);
  const [isRefused, setRefused] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const digits = phone.replace(/[\s()+./-]/g, '');
    setRefused(!isNumber(digits));
    if (isNumber(digits)) onChoose({ phone: digits, name: name.trim() === '' ? `+${digits}` : name.trim() });
  };
  return (
    <details className="phone-customer">
      <summary className="row">
        <Icon name="user" />
        <span className="grow cut">
          {customer.name} <span className="muted numbers">+{customer.phone}</span>
        </span>
        <span className="muted">{text.newCustomer}</span>
      </summary>
      <form className="stack" noValidate onSubmit={submit}>
        <Field id="phone-name" label={text.name}>
          <input id="phone-name" className="input" value={name} onChange={(event) => set({ phone, name: event.target.value })} />
        </Field>
        <Field id="phone-number" label={text.number} problem={isRefused ? text.noNumber : undefined}>
          <input
            id="phone-number"
            className="input"
            inputMode="tel"
            value={phone}
            aria-invalid={isRefused}
            onChange={(event) => set({ phone: event.target.value, name })}
          />
        </Field>
        <Button type="submit">{text.use}</Button>
      </form>
    </details>
  );
};

interface OnPhone {
  id: string;
  at: string;
  /** Of the business. */
  accepted?: Accepted;
  /** What the customer wrote. */
  words: string;
}

/** What the customer wrote by other ways than this phone, as the product has it. */
const useWrittenElsewhere = (phone: string): OnPhone[] => {
  const conversations = useQuery({ ...read('listConversations', { query: { search: phone, limit: 1 } }), staleTime: 5_000 });
  const id = conversations.data?.data.find(({ contact }) => contact.phone === phone)?.id;
  const { data } = useQuery({
    ...read('listConversationMessages', { params: { id: id ?? 0 }, query: { per_page: 50 } }),
    enabled: id !== undefined,
    refetchInterval: 5_000,
  });
  return (data?.data ?? [])
    .filter((message) => message.is_message_by_contact === 1 && message.fb_message_id !== null && message.subtype !== 'reaction')
    .map((message) => ({
      id: String(message.fb_message_id),
      at: message.created_at,
      words: message.value === '' ? message.subtype : message.value,
    }));
};

/** What the provider accepted for a customer, what was written from here (the provider keeps none of it) and elsewhere, and writing. */
const useChat = ({ phone, name }: Customer) => {
  const { company_id: companyId } = useMe();
  const { stored } = useSession();
  const queries = useQueryClient();
  const key = ['phone-messages', companyId, phone];
  const { data: taken = [] } = useQuery({ queryKey: key, queryFn: () => listAccepted(companyId, phone), refetchInterval: 1_000 });
  const [written] = useStored(stored, `phone.${phone}`);
  const elsewhere = useWrittenElsewhere(phone);
  const accepted = taken.filter(({ error_code: code, status }) => code === null && status !== 'held');
  const write: AnswerWith = (text, message, context) => {
    const quoted = context === undefined ? {} : { context_message_id: context };
    void writeInbound({ company_id: companyId, from: phone, name, ...message, ...quoted })
      .then(({ wamid }) => {
        const one: Written = { wamid, from: phone, at: new Date(productNow()).toISOString(), words: text };
        stored.set(`phone.${phone}`, JSON.stringify([...writtenIn(stored.get(`phone.${phone}`)), one]));
        return queries.invalidateQueries({ queryKey: ['phone-messages'] });
      })
      .catch(toastProblem);
  };
  const here: OnPhone[] = writtenIn(written).map(({ at, wamid, words: text }) => ({ at, id: wamid, words: text }));
  const known = new Set(here.map(({ id }) => id));
  const messages = [
    ...accepted.map((message): OnPhone => ({ at: message.at, id: message.wamid, accepted: message, words: '' })),
    ...here,
    ...elsewhere.filter(({ id }) => !known.has(id)),
  ].toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
  return { messages, last: accepted.findLast(({ type }) => type !== 'reaction'), write };
};

const writtenIn = (stored: string): Written[] => JSON.parse(stored === '' ? '[]' : stored) as Written[];

/** The phone itself: the business at its top, the messages, and a line to write. */
const Device = ({ customer }: { customer: Customer }): JSX.Element => {
  const text = useText(phoneText);
  const { tag } = useLocale();
  const { company_name: business } = useMe();
  const { messages, last, write } = useChat(customer);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'end' });
  }, [messages.length]);
  return (
    <div className="phone-device">
      <div className="phone-top row">
        <Avatar name={business} size={30} />
        <span className="grow">
          <strong className="cut">{business}</strong>
          <small className="cut">{text.business}</small>
        </span>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys */}
      <div className="phone-screen" role="log" aria-label={text.chat} tabIndex={0}>
        {messages.length === 0 && <p className="phone-hint">{text.nothing}</p>}
        {messages.map(({ id, at, accepted, words: text }) => (
          <div key={id} className={`phone-message ${accepted ? '' : 'mine'}`}>
            {accepted && <Quoted message={accepted} all={messages} />}
            {accepted ? <FromBusiness message={accepted} onAnswer={write} /> : <Rich text={text} />}
            <small className="numbers row">
              {formatTime(tag, at, { hour: '2-digit', minute: '2-digit' })}
              {!accepted && <Icon name="ticks" size={13} />}
            </small>
          </div>
        ))}
        <div ref={end} />
      </div>
      <WriteForm last={last} onWrite={write} />
    </div>
  );
};

/** The message that an answer of the business is about. */
const Quoted = ({ message, all }: { message: Accepted; all: readonly OnPhone[] }): JSX.Element | null => {
  const id = words(record(message.payload['context'])['message_id']);
  const found = id === '' ? undefined : all.find((each) => each.id === id);
  if (!found) return null;
  const { accepted } = found;
  return (
    <blockquote className="cut">
      {accepted ? words(record(accepted.payload[accepted.type])['body']) || accepted.type : found.words}
    </blockquote>
  );
};

const WriteForm = ({ last, onWrite }: { last: Accepted | undefined; onWrite: AnswerWith }): JSX.Element => {
  const text = useText(phoneText);
  const [draft, setDraft] = useState('');
  const place = { latitude: 52.5163, longitude: 13.3777, name: 'Brandenburger Tor', address: 'Pariser Platz, Berlin' };
  const others: Readonly<Record<string, { label: string; words: string; message: Readonly<Record<string, unknown>> }>> = {
    photo: { label: text.photo, words: `📷 ${text.photo}`, message: { type: 'image', media: { caption: '' } } },
    voice: { label: text.voice, words: `🎤 ${text.voice}`, message: { type: 'voice', media: {} } },
    document: { label: text.document, words: `📄 ${text.document}`, message: { type: 'document', media: { filename: 'invoice.pdf' } } },
    place: { label: text.place, words: `📍 ${text.place}`, message: { type: 'location', location: place } },
    ...(last
      ? { thumb: { label: text.thumb, words: '👍', message: { type: 'reaction', reaction: { message_id: last.wamid, emoji: '👍' } } } }
      : {}),
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (draft.trim() === '') return;
    onWrite(draft.trim(), { type: 'text', text: draft.trim() });
    setDraft('');
  };
  return (
    <form className="phone-write" onSubmit={submit}>
      <Menu
        label={text.more}
        className="button quiet icon"
        trigger={<Icon name="plus" />}
        entries={Object.entries(others).map(([id, { label }]) => ({ id, label }))}
        onSelect={(id) => others[id] && onWrite(others[id].words, others[id].message)}
      />
      <input
        className="input grow"
        dir="auto"
        aria-label={text.write}
        placeholder={text.write}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
      />
      <Button type="submit" look="primary" icon="send" label={text.send} />
    </form>
  );
};
