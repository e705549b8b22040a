import { type JSX, lazy, memo, Suspense, useState } from 'react';
import type { Message } from '../../../client/client.ts';
import { withTexts } from '../../app/with-texts.ts';
import { Button } from '../../components/basics.tsx';
import { formatTime, useNow } from '../../components/time.tsx';
import { inboxText } from '../../text/inbox.ts';
import { statesText } from '../../text/states.ts';
import { useLocale, useText } from '../../text/text.ts';
import { Content } from './message-content.tsx';
import { React, ReactionsOn, Sender, useSenderName } from './message-parts.tsx';
import { lineOf } from './message-words.ts';
import type { Reactions } from './reactions.ts';
import { Ticks } from './ticks.tsx';
import '../../components/message.css';

const MessageStates = lazy(withTexts([statesText], () => import('./message-states.tsx')));

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
  /** The name of the contact. */
  contact: string;
  /** It goes on with the message above it: who it is from stands there. */
  continued: boolean;
  /** The message that it quotes, where it is shown. */
  answered?: Message | undefined;
  reactions?: Reactions | undefined;
  onReply?: ((message: Message) => void) | undefined;
  /** Sends a text that failed as a new message. */
  onSendAgain?: ((message: Message) => void) | undefined;
  canReact?: boolean;
  /** The field takes the text of a message that was not sent yet. */
  onEdit?: (() => void) | undefined;
}

type Look = 'cancelled' | 'failed' | 'unknown' | '';

/** A failed one is one of ours: what a customer sent and WhatsApp does not pass on has an error too. */
const lookOf = ({ error, status, ambiguous, is_message_by_contact: isByContact }: Message): Look => {
  if (isByContact === 1) return '';
  // a failed one by its state; to people it is what they wanted
  if (error?.code === 'cancelled') return 'cancelled';
  if (status === 5) return 'failed';
  return ambiguous && status < 3 ? 'unknown' : '';
};

/** One message of the thread: from the contact at the start of the line, ours at its end. Drawn again where it changed. */
export const MessageBubble = memo(
  ({ message, contact, continued, answered, reactions, onReply, onSendAgain, canReact = false, onEdit }: MessageProps): JSX.Element => {
    const text = useText(inboxText);
    const isOurs = !message.is_message_by_contact;
    const look = lookOf(message);
    const sender = useSenderName(message);
    const [isStory, setStory] = useState(false);
    const isPlain = message.subtype === 'text' && message.content === null;
    const isScheduled = message.status === 0 && message.scheduled_at !== null;
    const canSendAgain = look === 'failed' && onSendAgain !== undefined && isPlain;
    return (
      <article
        className={`message ${isOurs ? 'ours' : ''} ${look} ${continued ? 'continued' : ''}`}
        aria-label={isOurs ? (sender ?? text.we) : contact}
      >
        <div className="bubble">
          {isOurs && !continued && <Sender message={message} />}
          {answered && (
            <blockquote dir="auto" aria-label={text.repliedTo}>
              {lineOf(text, answered)}
            </blockquote>
          )}
          <Content message={message} />
          <MessageFooter message={message} isStory={isStory} onStory={() => setStory(!isStory)} />
          {message.fb_message_id !== null && message.revoked_at === null && (
            <span className="bubble-actions">
              {onReply && <Button look="quiet" small icon="reply" label={text.replyTo} onClick={() => onReply(message)} />}
              {canReact && <React message={message} hasOwn={reactions?.ours !== undefined} />}
            </span>
          )}
        </div>
        {reactions && <ReactionsOn {...reactions} />}
        {(isStory || isScheduled || message.held || look === 'failed') && (
          <Suspense>
            <MessageStates
              message={message}
              isStory={isStory}
              isScheduled={isScheduled}
              isFailed={look === 'failed'}
              onSendAgain={canSendAgain ? () => onSendAgain?.(message) : undefined}
              onEdit={isPlain && message.context_message_id === null ? onEdit : undefined}
            />
          </Suspense>
        )}
        {look === 'unknown' && (
          <p className="state warn" role="note">
            <strong>{text.unknown}.</strong> {text.unknownHint}
          </p>
        )}
      </article>
    );
  },
);

interface FooterProps {
  message: Message;
  isStory: boolean;
  onStory: () => void;
}

/** When it was written, and how far it came. */
const MessageFooter = ({ message, isStory, onStory }: FooterProps): JSX.Element => {
  const text = useText(inboxText);
  const { tag } = useLocale();
  const isOurs = !message.is_message_by_contact;
  return (
    <footer>
      {message.edited_at !== null && <span>{text.edited}</span>}
      <button type="button" className="story-toggle" aria-expanded={isStory} title={text.story} onClick={onStory}>
        <time
          dateTime={message.created_at}
          title={formatTime(tag, message.created_at, { dateStyle: 'medium', timeStyle: 'medium' })}
          className="numbers"
        >
          {formatTime(tag, message.created_at, { hour: '2-digit', minute: '2-digit' })}
        </time>
      </button>
      {lookOf(message) === 'cancelled' ? (
        <span>{text.cancelled}</span>
      ) : (
        isOurs && <Ticks status={message.held ? 6 : message.status} ambiguous={message.ambiguous} />
      )}
    </footer>
  );
};
