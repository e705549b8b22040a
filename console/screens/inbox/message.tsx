import { type JSX, memo, type ReactNode, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Message } from '../../../client/client.ts';
import { Button } from '../../components/basics.tsx';
import { Icon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { formatTime, Time, useNow } from '../../components/time.tsx';
import { toastProblem } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { read, refresh } from '../../data/queries.ts';
import { useUsers } from '../../data/session.ts';
import type { Outgoing } from '../../data/thread.ts';
import { inboxText } from '../../text/inbox.ts';
import { useLocale, useText } from '../../text/text.ts';
import { kindOf, lineOf } from './message-words.ts';
import type { Reactions } from './reactions.ts';
import { Ticks } from './ticks.tsx';

export const dayOf = (at: string): string => new Date(at).toDateString();

export const DayLine = ({ at }: { at: string }): JSX.Element => {
  const text = useText(inboxText);
  const { tag } = useLocale();
  const now = useNow();
  const day = dayOf(at);
  const words =
    day === new Date(now).toDateString()
      ? text.today
      : day === new Date(now - 86_400_000).toDateString()
        ? text.yesterday
        : formatTime(tag, at, { weekday: 'short', day: 'numeric', month: 'long' });
  return (
    <div className="day-line">
      <span>{words}</span>
    </div>
  );
};

interface MessageProps {
  message: Message;
  /** The message that it quotes, where it is shown. */
  answered?: Message | undefined;
  reactions?: Reactions | undefined;
  onReply?: ((message: Message) => void) | undefined;
  canReact?: boolean;
}

/** One message of the thread: from the contact at the start of the line, ours at its end. Drawn again where it changed. */
export const MessageBubble = memo(({ message, answered, reactions, onReply, canReact = false }: MessageProps): JSX.Element => {
  const text = useText(inboxText);
  const { tag } = useLocale();
  const isOurs = !message.is_message_by_contact;
  const isUnknown = message.ambiguous && message.status < 3;
  const [isStory, setStory] = useState(false);
  // a failed one by its state; to people it is what they wanted
  const isCancelled = message.error?.code === 'cancelled';
  return (
    <article
      className={`message ${isOurs ? 'ours' : ''} ${isCancelled ? 'cancelled' : message.status === 5 ? 'failed' : ''} ${isUnknown ? 'unknown' : ''}`}
    >
      <div className="bubble">
        {isOurs && <Sender message={message} />}
        {answered && (
          <blockquote dir="auto" aria-label={text.repliedTo}>
            {lineOf(text, answered)}
          </blockquote>
        )}
        <Content message={message} />
        <footer>
          {message.edited_at !== null && <span>{text.edited}</span>}
          <button type="button" className="story-toggle" aria-expanded={isStory} title={text.story} onClick={() => setStory(!isStory)}>
            <time
              dateTime={message.created_at}
              title={formatTime(tag, message.created_at, { dateStyle: 'medium', timeStyle: 'medium' })}
              className="numbers"
            >
              {formatTime(tag, message.created_at, { hour: '2-digit', minute: '2-digit' })}
            </time>
          </button>
          {isCancelled ? <span>{text.cancelled}</span> : isOurs && <Ticks status={message.status} ambiguous={message.ambiguous} />}
        </footer>
        {message.fb_message_id !== null && message.revoked_at === null && (
          <span className="bubble-actions">
            {onReply && <Button look="quiet" small icon="reply" label={text.replyTo} onClick={() => onReply(message)} />}
            {canReact && <React message={message} hasOwn={reactions?.ours !== undefined} />}
          </span>
        )}
      </div>
      {reactions && <ReactionsOn {...reactions} />}
      {isStory && <Story message={message} />}
      {message.status === 0 && message.scheduled_at !== null && <Scheduled message={message} />}
      {isUnknown && (
        <p className="state warn" role="note">
          <strong>{text.unknown}.</strong> {text.unknownHint}
        </p>
      )}
      {message.error && !isCancelled && (
        <p className="state bad" role="note">
          <strong>{text.failed}.</strong> {message.error.title} {message.error.details ?? ''} <code>{message.error.code}</code>
        </p>
      )}
    </article>
  );
});

const emojis = ['👍', '❤️', '😂', '😮', '😢', '🙏'];

/** Puts an emoji on a message, or takes it back. Sent with a key of its own for each choice. */
const React = ({ message, hasOwn }: { message: Message; hasOwn: boolean }): JSX.Element => {
  const text = useText(inboxText);
  const send = (emoji: string): void =>
    void api
      .sendReaction({ body: { contact_id: message.contact_id, message_id: String(message.id), emoji } })
      .then(() => refresh('listConversationMessages', 'listConversations'), toastProblem);
  return (
    <Menu
      label={text.react}
      className="button quiet small icon"
      trigger={<Icon name="smile" />}
      entries={[
        ...emojis.map((emoji) => ({ id: emoji, label: emoji })),
        ...(hasOwn ? [{ id: '', label: text.reactionTaken, icon: 'close' as const }] : []),
      ]}
      onSelect={send}
    />
  );
};

const ReactionsOn = ({ contact, ours }: Reactions): JSX.Element | null => {
  const text = useText(inboxText);
  if (contact === undefined && ours === undefined) return null;
  return (
    <span className="reactions">
      {contact !== undefined && (
        <span role="img" aria-label={text.reactedWith(contact, text.contact)} title={text.contact}>
          {contact}
        </span>
      )}
      {ours !== undefined && (
        <span role="img" aria-label={text.reactedWith(ours, text.you)} title={text.you}>
          {ours}
        </span>
      )}
    </span>
  );
};

/** Everything that happened to a message, step by step. */
const Story = ({ message }: { message: Message }): JSX.Element => {
  const text = useText(inboxText);
  const { tag } = useLocale();
  const { data, error } = useQuery(read('getMessage', { params: { id: message.id }, query: { contact_id: message.contact_id } }));
  if (error) return <ProblemCard error={error} />;
  return (
    <ol className="state story" aria-label={text.story}>
      {data?.data.timeline.map(({ step, at }) => (
        <li key={`${step}${at}`}>
          <span>{text[`step_${step}`]}</span>
          <time dateTime={at} className="numbers">
            {formatTime(tag, at, { timeStyle: 'medium' })}
          </time>
        </li>
      ))}
      {data && data.data.attempts > 1 && <li>{text.attempts(data.data.attempts)}</li>}
    </ol>
  );
};

/** Who of the team, or what, sent it. */
const Sender = ({ message: { sent_by: by, template_name: template } }: { message: Message }): JSX.Element | null => {
  const text = useText(inboxText);
  const users = useUsers();
  const name =
    by?.via === 'campaign'
      ? text.viaCampaign
      : by?.via === 'system'
        ? text.viaSystem
        : by?.user_id
          ? users.find(({ id }) => id === by.user_id)?.name
          : by?.token_id
            ? text.viaApi
            : undefined;
  const parts = [name, template === null ? undefined : `${text.template} ${template}`].filter((each) => each !== undefined);
  return parts.length === 0 ? null : <span className="sender">{parts.join(' · ')}</span>;
};

const Scheduled = ({ message }: { message: Message }): JSX.Element => {
  const text = useText(inboxText);
  const { tag } = useLocale();
  const cancel = (): void =>
    void api
      .cancelMessage({ params: { id: message.id }, query: { contact_id: message.contact_id } })
      .then(() => refresh('listConversationMessages', 'listMessages', 'listConversations'), toastProblem);
  return (
    <p className="state row">
      <Icon name="calendar" size={14} />
      <span>{text.sendsAt(formatTime(tag, message.scheduled_at ?? message.created_at, { dateStyle: 'medium', timeStyle: 'short' }))}</span>
      <Button look="quiet" small onClick={cancel}>
        {text.cancelSend}
      </Button>
    </p>
  );
};

const Content = ({ message }: { message: Message }): JSX.Element => {
  const text = useText(inboxText);
  const { subtype, value, media, content } = message;
  if (message.revoked_at !== null) return <p className="muted">{text.revoked}</p>;
  if (subtype === 'reaction' || subtype === 'reaction_removed') return <p className="reaction">{value || '—'}</p>;
  if (subtype === 'unsupported') return <p className="muted">{text.unsupported}</p>;
  if (subtype === 'location') return <Location content={content} value={value} />;
  return (
    <>
      {media && <Media message={message} />}
      {(value !== '' || !media) && (
        <p className="words" dir="auto">
          {value === '' ? kindOf(text, subtype) || subtype : rich(value)}
        </p>
      )}
      <Choices content={content} />
    </>
  );
};

/** WhatsApp's own marks: *bold*, _italic_, ~struck~, `code`; and addresses as links. */
const rich = (value: string): ReactNode =>
  value.split(/(\*[^*\n]+\*|_[^_\n]+_|~[^~\n]+~|`[^`\n]+`|https?:\/\/[^\s<>"]+)/g).map((part, index) => {
    const inner = part.slice(1, -1);
    if (index % 2 === 0) return part;
    if (part.startsWith('http'))
      return (
        // oxlint-disable-next-line react/no-array-index-key -- parts of one text
        <a key={index} href={part} target="_blank" rel="noopener noreferrer nofollow">
          {part}
        </a>
      );
    const Emphasis = ({ '*': 'strong', _: 'em', '~': 's', '`': 'code' } as const)[part[0] ?? ''] ?? 'span';
    // oxlint-disable-next-line react/no-array-index-key -- parts of one text
    return <Emphasis key={index}>{inner}</Emphasis>;
  });

const links = new Map<number, { url: string; until: number }>();

/** The link of a message's file: each answer of the API signs another for a quarter of an hour, and a page would load the file again with each. */
const useSameLink = ({ id, media }: Message): string | undefined => {
  const now = useNow();
  const url = media?.url ?? undefined;
  const known = links.get(id);
  if (url === undefined || (known && known.until > now)) return url === undefined ? undefined : known?.url;
  links.set(id, { url, until: now + 12 * 60_000 });
  return url;
};

const Media = ({ message }: { message: Message }): JSX.Element => {
  const text = useText(inboxText);
  const { media, subtype } = message;
  const name = media?.filename ?? (kindOf(text, subtype) || text.document);
  const url = useSameLink(message);
  if (url !== undefined && (subtype === 'image' || subtype === 'sticker'))
    return (
      <a href={url} target="_blank" rel="noopener noreferrer" className="media">
        <img src={url} alt={media?.caption ?? name} loading="lazy" />
      </a>
    );
  // oxlint-disable-next-line jsx-a11y/media-has-caption -- what people send has none
  if (url !== undefined && subtype === 'video') return <video src={url} controls preload="metadata" className="media" aria-label={name} />;
  if (url !== undefined && (subtype === 'audio' || subtype === 'voice'))
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- what people send has none
    return <audio src={url} controls preload="none" aria-label={name} />;
  const inner = (
    <>
      <Icon name={subtype === 'image' ? 'image' : 'file'} size={20} />
      <span className="grow">
        <span className="cut" style={{ display: 'block' }}>
          {name}
        </span>
        <small className="muted">{[media?.mime, media?.size && `${Math.ceil(media.size / 1024)} KB`].filter(Boolean).join(' · ')}</small>
      </span>
    </>
  );
  return url === undefined ? (
    <span className="file">{inner}</span>
  ) : (
    <a href={url} target="_blank" rel="noopener noreferrer" className="file">
      {inner}
    </a>
  );
};

const record = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
const textIn = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const Location = ({ content, value }: { content: Message['content']; value: string }): JSX.Element => {
  const text = useText(inboxText);
  const place = record(content?.['location']);
  const [latitude, longitude] = [place?.['latitude'], place?.['longitude']].map(Number);
  const at = place ? `${latitude},${longitude}` : value;
  return (
    <a
      className="file"
      href={`https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`}
      target="_blank"
      rel="noopener noreferrer"
    >
      <Icon name="location" size={20} />
      <span className="grow">
        <span dir="auto">{textIn(place?.['name']) ?? text.location}</span>
        <small className="muted numbers" style={{ display: 'block' }}>
          {textIn(place?.['address']) ?? at}
        </small>
      </span>
    </a>
  );
};

/** Header, footer, buttons and lists of what we sent. */
const Choices = ({ content }: { content: Message['content'] }): JSX.Element | null => {
  const interactive = record(content?.['interactive']);
  const action = record(interactive?.['action']);
  if (!interactive || !action) return null;
  const footer = textIn(record(interactive['footer'])?.['text']);
  const buttons = listIn(action['buttons']).map((each) => textIn(record(record(each)?.['reply'])?.['title']));
  const link = textIn(record(action['parameters'])?.['display_text']);
  const rows = listIn(action['sections']).flatMap((section) =>
    listIn(record(section)?.['rows']).map((row) => textIn(record(row)?.['title'])),
  );
  const listName = textIn(action['button']);
  return (
    <>
      {footer !== undefined && <p className="muted">{footer}</p>}
      <div className="choices">
        {[...buttons, link].map((each) => each !== undefined && <span key={each}>{each}</span>)}
        {listName !== undefined && (
          <details>
            <summary>
              <Icon name="list" /> {listName}
            </summary>
            <ul>{rows.map((each) => each !== undefined && <li key={each}>{each}</li>)}</ul>
          </details>
        )}
      </div>
    </>
  );
};

/** What this page is sending, before the thread has it; and what was refused, with what to do. */
export const OutgoingBubble = ({
  outgoing,
  onRetry,
  onDiscard,
}: {
  outgoing: Outgoing;
  onRetry: () => void;
  onDiscard: () => void;
}): JSX.Element => {
  const text = useText(inboxText);
  const isFailed = outgoing.state === 'failed';
  return (
    <article className={`message ours ${isFailed ? 'failed' : ''}`}>
      <div className="bubble">
        {outgoing.file && (
          <span className="file">
            <Icon name="file" size={20} />
            <span className="cut grow">{outgoing.file.name}</span>
          </span>
        )}
        {outgoing.text !== '' && (
          <p className="words" dir="auto">
            {outgoing.text}
          </p>
        )}
        <footer>
          {isFailed ? <span>{text.notSent}</span> : <Time at={outgoing.createdAt} />}
          <Ticks status={isFailed ? 5 : 1} />
        </footer>
      </div>
      {isFailed && (
        <div className="state">
          <ProblemCard error={outgoing.error} />
          <div className="row" style={{ justifyContent: 'flex-end', marginTop: 6 }}>
            <Button small look="quiet" onClick={onDiscard}>
              {text.discard}
            </Button>
            <Button small onClick={onRetry}>
              {text.sendAgain}
            </Button>
          </div>
        </div>
      )}
    </article>
  );
};
