import { type FormEvent, type JSX, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Button, Field } from '../components/basics.tsx';
import { Icon } from '../components/icons.tsx';
import { Menu } from '../components/menu.tsx';
import { formatTime, productNow, setClockOffset } from '../components/time.tsx';
import { toastProblem } from '../components/toasts.tsx';
import { api } from '../data/client.ts';
import { useStored } from '../data/forms.ts';
import { useMe } from '../data/session.ts';
import { phoneText } from '../text/phone.ts';
import { useLocale, useText } from '../text/text.ts';
import {
  type Accepted,
  advanceClock,
  type Faults,
  getClock,
  getFaults,
  listAccepted,
  listEmails,
  setClockBack,
  setFaults,
  writeInbound,
  type Written,
} from './controls.ts';
import './local-phone.css';

interface Customer {
  phone: string;
  name: string;
}

const tabs = ['chat', 'faults', 'emails'] as const;
type Tab = (typeof tabs)[number];

/** A customer's phone beside the inbox, on the laptop alone: it shows what the provider accepted, and writes back. */
const Phone = ({ contact, onClose }: { contact: { phone: string; name: string | null } | undefined; onClose: () => void }): JSX.Element => {
  const text = useText(phoneText);
  const [stored, setStored] = useStored('switchboard.phone', '');
  const [tab, setTab] = useState<Tab>('chat');
  const chosen = stored === '' ? { phone: '4915112345678', name: 'Ada Lovelace' } : (JSON.parse(stored) as Customer);
  // the phone follows the conversation that is open
  const customer = contact && contact.phone !== '' ? { phone: contact.phone, name: contact.name ?? contact.phone } : chosen;
  const panels: Readonly<Record<Tab, ReactNode>> = {
    chat: <Chat key={customer.phone} customer={customer} />,
    faults: <FaultSwitches customer={customer} />,
    emails: <Emails />,
  };
  return (
    <aside className="phone" aria-label={text.title}>
      <header className="row">
        <h2 className="grow">
          {text.title} <small className="muted">{text.hint}</small>
        </h2>
        <Button look="quiet" small icon="close" label={text.title} onClick={onClose} />
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

const CustomerForm = ({ customer, onChoose }: { customer: Customer; onChoose: (customer: Customer) => void }): JSX.Element => {
  const text = useText(phoneText);
  const [{ phone, name }, set] = useState(customer);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onChoose({ phone: phone.replace(/\D/g, ''), name });
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
      <form className="stack" onSubmit={submit}>
        <Field id="phone-name" label={text.name}>
          <input id="phone-name" className="input" value={name} onChange={(event) => set({ phone, name: event.target.value })} />
        </Field>
        <Field id="phone-number" label={text.number}>
          <input
            id="phone-number"
            className="input"
            inputMode="tel"
            value={phone}
            onChange={(event) => set({ phone: event.target.value, name })}
          />
        </Field>
        <Button type="submit">{text.use}</Button>
      </form>
    </details>
  );
};

/** What was written from here, by customer: the provider keeps only what it accepted from the business. */
const writtenBy = (phone: string): Written[] => JSON.parse(sessionStorage.getItem(`switchboard.phone.${phone}`) ?? '[]') as Written[];

const Chat = ({ customer }: { customer: Customer }): JSX.Element => {
  const text = useText(phoneText);
  const { tag } = useLocale();
  const { company_id: companyId } = useMe();
  const queries = useQueryClient();
  const { phone, name } = customer;
  const key = ['phone-messages', companyId, phone];
  const { data: taken = [] } = useQuery({ queryKey: key, queryFn: () => listAccepted(companyId, phone), refetchInterval: 1_000 });
  const accepted = taken.filter(({ error_code: code }) => code === null);
  const [written, setWritten] = useState(() => writtenBy(phone));
  const [draft, setDraft] = useState('');
  const end = useRef<HTMLDivElement>(null);
  const write = useCallback(
    (words: string, message: Readonly<Record<string, unknown>>, context?: string): void => {
      const body = {
        company_id: companyId,
        from: phone,
        name,
        ...message,
        ...(context === undefined ? {} : { context_message_id: context }),
      };
      void writeInbound(body)
        .then(({ wamid }) => {
          const all = [...writtenBy(phone), { wamid, from: phone, at: new Date(productNow()).toISOString(), words }];
          sessionStorage.setItem(`switchboard.phone.${phone}`, JSON.stringify(all));
          setWritten(all);
          return queries.invalidateQueries({ queryKey: ['phone-messages'] });
        })
        .catch(toastProblem);
    },
    [companyId, phone, name, queries],
  );
  const messages = [
    ...accepted.map((message) => ({ at: message.at, id: message.wamid, accepted: message, words: '' })),
    ...written.map(({ at, wamid, words }) => ({ at, id: wamid, accepted: undefined, words })),
  ].toSorted((a, b) => (a.at < b.at ? -1 : 1));
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'end' });
  }, [messages.length]);
  const last = accepted.findLast(({ type }) => type !== 'reaction');
  const others: Readonly<Record<string, { label: string; words: string; message: Readonly<Record<string, unknown>> }>> = {
    photo: { label: text.photo, words: `📷 ${text.photo}`, message: { type: 'image', media: { caption: '' } } },
    voice: { label: text.voice, words: `🎤 ${text.voice}`, message: { type: 'voice', media: {} } },
    document: { label: text.document, words: `📄 ${text.document}`, message: { type: 'document', media: { filename: 'invoice.pdf' } } },
    place: {
      label: text.place,
      words: `📍 ${text.place}`,
      message: {
        type: 'location',
        location: { latitude: 52.5163, longitude: 13.3777, name: 'Brandenburger Tor', address: 'Pariser Platz, Berlin' },
      },
    },
    ...(last
      ? { thumb: { label: text.thumb, words: '👍', message: { type: 'reaction', reaction: { message_id: last.wamid, emoji: '👍' } } } }
      : {}),
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (draft.trim() === '') return;
    write(draft.trim(), { type: 'text', text: draft.trim() });
    setDraft('');
  };
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys */}
      <div className="phone-screen" role="log" aria-label={text.chat} tabIndex={0}>
        {messages.length === 0 && <p className="muted">{text.nothing}</p>}
        {messages.map(({ id, at, accepted: message, words }) => (
          <div key={id} className={`phone-message ${message ? '' : 'mine'}`}>
            {message ? <FromBusiness message={message} onAnswer={write} /> : <p dir="auto">{words}</p>}
            <small className="numbers">{formatTime(tag, at, { hour: '2-digit', minute: '2-digit' })}</small>
          </div>
        ))}
        <div ref={end} />
      </div>
      <form className="phone-write" onSubmit={submit}>
        <Menu
          label={text.more}
          className="button quiet icon"
          trigger={<Icon name="plus" />}
          entries={Object.entries(others).map(([id, { label }]) => ({ id, label }))}
          onSelect={(id) => others[id] && write(others[id].words, others[id].message)}
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
    </>
  );
};

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
const words = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
const list = (value: unknown): readonly Readonly<Record<string, unknown>>[] => (Array.isArray(value) ? value.map(record) : []);

type Answer = (words: string, message: Readonly<Record<string, unknown>>, context?: string) => void;

/** A message of the business as the phone shows it; its buttons and lists answer. */
const FromBusiness = ({ message, onAnswer }: { message: Accepted; onAnswer: Answer }): JSX.Element => {
  const text = useText(phoneText);
  const { type, payload, wamid } = message;
  const content = record(payload[type]);
  if (type === 'template') return <SentTemplate content={content} wamid={wamid} onAnswer={onAnswer} />;
  if (type === 'reaction') return <p className="big">{words(content['emoji'])}</p>;
  if (type === 'interactive') {
    const action = record(content['action']);
    const rows = list(action['sections']).flatMap((section) => list(section['rows']));
    const link = record(action['parameters']);
    return (
      <>
        <strong dir="auto">{words(record(content['header'])['text'])}</strong>
        <p dir="auto">{words(record(content['body'])['text'])}</p>
        <small className="muted">{words(record(content['footer'])['text'])}</small>
        {list(action['buttons']).map((button) => {
          const { id, title } = record(button['reply']);
          return (
            <button
              key={words(id)}
              type="button"
              className="phone-choice"
              onClick={() => onAnswer(words(title), { type: 'button_reply', button_reply: { id: words(id), title: words(title) } }, wamid)}
            >
              {words(title)}
            </button>
          );
        })}
        {words(link['display_text']) !== '' && (
          <a className="phone-choice" href={words(link['url'])} target="_blank" rel="noopener noreferrer">
            {words(link['display_text'])}
          </a>
        )}
        {rows.length > 0 && (
          <Menu
            label={words(action['button']) || text.options}
            className="phone-choice"
            trigger={words(action['button']) || text.options}
            entries={rows.map(({ id, title }) => ({ id: words(id), label: words(title) }))}
            onSelect={(id) => {
              const row = rows.find((each) => words(each['id']) === id);
              const title = words(row?.['title']);
              onAnswer(title, { type: 'list_reply', list_reply: { id, title } }, wamid);
            }}
          />
        )}
      </>
    );
  }
  if (type === 'text') return <p dir="auto">{words(content['body'])}</p>;
  if (type === 'location')
    return <p dir="auto">📍 {words(content['name']) || `${words(content['latitude'])}, ${words(content['longitude'])}`}</p>;
  return (
    <p dir="auto">
      📎 {words(content['filename']) || type} {words(content['caption'])}
    </p>
  );
};

const SentTemplate = ({
  content,
  wamid,
  onAnswer,
}: {
  content: Readonly<Record<string, unknown>>;
  wamid: string;
  onAnswer: Answer;
}): JSX.Element => {
  const name = words(content['name']);
  const values = list(content['components'])
    .filter((each) => each['type'] === 'body' || each['type'] === 'header')
    .flatMap((each) => list(each['parameters']).map((parameter) => words(parameter['text'])))
    .filter((value) => value !== '');
  return (
    <>
      <small className="muted">{name}</small>
      <p dir="auto">{values.join(' · ') || name}</p>
      <button type="button" className="phone-choice" onClick={() => onAnswer('👍', { type: 'text', text: '👍' }, wamid)}>
        👍
      </button>
    </>
  );
};

const FaultSwitches = ({ customer }: { customer: Customer }): JSX.Element => {
  const text = useText(phoneText);
  const { data: faults = {}, refetch } = useQuery({ queryKey: ['phone-faults'], queryFn: getFaults });
  const change = (next: Faults): void => void setFaults(next).then(() => refetch(), toastProblem);
  const { error_for: _errors, hold_statuses: held, enforce_window: enforced, ...shares } = faults;
  const isBlocked = faults.error_for?.[customer.phone] !== undefined;
  const rest: Faults = {
    ...(held === undefined ? {} : { hold_statuses: held }),
    ...(enforced === undefined ? {} : { enforce_window: enforced }),
  };
  const share = (name: 'timeout_after_accept' | 'throttle' | 'server_error' | 'latency_ms', value: number) => ({
    isOn: (shares[name] ?? 0) > 0,
    toggle: () => change((shares[name] ?? 0) > 0 ? rest : { ...rest, [name]: value }),
  });
  const switches: readonly { label: string; hint?: string; isOn: boolean; toggle: () => void }[] = [
    {
      label: text.reads,
      hint: text.readsHint,
      isOn: held !== true,
      toggle: () => {
        const { hold_statuses: _held, ...others } = faults;
        change(held === true ? others : { ...others, hold_statuses: true });
      },
    },
    { label: text.unanswered, hint: text.unansweredHint, ...share('timeout_after_accept', 1) },
    { label: text.throttled, ...share('throttle', 1) },
    { label: text.serverError, ...share('server_error', 1) },
    { label: text.slow, ...share('latency_ms', 2_000) },
    { label: text.blocked, isOn: isBlocked, toggle: () => change(isBlocked ? rest : { ...rest, error_for: { [customer.phone]: 131026 } }) },
  ];
  return (
    <ul className="phone-switches">
      {switches.map(({ label, hint, isOn, toggle }) => (
        <li key={label}>
          <button type="button" role="switch" aria-checked={isOn} onClick={toggle}>
            <span className="grow">
              {label}
              {hint !== undefined && <small className="muted">{hint}</small>}
            </span>
            <span className="switch" aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  );
};

const Emails = (): JSX.Element => {
  const text = useText(phoneText);
  const { data: emails = [] } = useQuery({ queryKey: ['phone-emails'], queryFn: listEmails, refetchInterval: 2_000 });
  return (
    <ol className="phone-emails">
      {emails.length === 0 && <li className="muted">{text.noEmails}</li>}
      {emails.toReversed().map((email, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- mails have no id
        <li key={emails.length - index}>
          <details>
            <summary>
              <strong className="cut">{words(email['subject'])}</strong>
              <small className="muted cut">{[email['to']].flat().map(words).join(', ')}</small>
            </summary>
            <pre className="code">{words(email['text']) || JSON.stringify(email, undefined, 2)}</pre>
          </details>
        </li>
      ))}
    </ol>
  );
};

/** A session ends after twelve hours without a call: a user who works through the day makes one before. */
const advanceInSteps = async (seconds: number): Promise<void> => {
  for (let left = seconds; left > 0; left -= longestStep) {
    await advanceClock(Math.min(left, longestStep));
    await api.getMe();
  }
};
const longestStep = 10 * 3_600;

const Clock = (): JSX.Element => {
  const text = useText(phoneText);
  const { tag } = useLocale();
  const queries = useQueryClient();
  const { data, refetch } = useQuery({ queryKey: ['phone-clock'], queryFn: getClock, refetchInterval: 10_000 });
  const [moving, setMoving] = useState(false);
  useEffect(() => {
    if (data) setClockOffset(data.offset_seconds * 1_000);
  }, [data]);
  const move = (how: () => Promise<unknown>): void => {
    setMoving(true);
    void how()
      .then(async () => {
        await refetch();
        await queries.invalidateQueries();
      })
      .catch(toastProblem)
      .finally(() => setMoving(false));
  };
  return (
    <footer className="phone-clock row">
      <Icon name="clock" />
      <span className="grow cut numbers">
        {data ? formatTime(tag, data.now, { weekday: 'short', hour: '2-digit', minute: '2-digit' }) : text.clock}
      </span>
      {data && data.offset_seconds > 0 && (
        <Button small onClick={() => move(setClockBack)} disabled={moving}>
          {text.backToNow}
        </Button>
      )}
      <Button small onClick={() => move(() => advanceInSteps(3_600))} disabled={moving}>
        {text.hourLater}
      </Button>
      <Button small onClick={() => move(() => advanceInSteps(25 * 3_600))} disabled={moving}>
        {text.dayLater}
      </Button>
    </footer>
  );
};
