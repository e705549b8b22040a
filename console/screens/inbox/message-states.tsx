import { type JSX, useEffect, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Message } from '../../../client/client.ts';
import { Button } from '../../components/basics.tsx';
import { Icon } from '../../components/icons.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { formatTime } from '../../components/time.tsx';
import { toastProblem } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { toFieldTime } from '../../data/field-time.ts';
import { read, refresh } from '../../data/queries.ts';
import { useSession } from '../../data/session.ts';
import { inboxText } from '../../text/inbox.ts';
import { statesText } from '../../text/states.ts';
import { useLocale, useText } from '../../text/text.ts';
import { failureWords } from './failure-words.ts';

interface MessageStatesProps extends FailureProps {
  isStory: boolean;
  isScheduled: boolean;
  isFailed: boolean;
  onEdit: (() => void) | undefined;
}

/** How a message goes, where that is more than its ticks. */
const MessageStates = ({ message, isStory, isScheduled, isFailed, onSendAgain, onEdit }: MessageStatesProps): JSX.Element => (
  <>
    {isStory && <Story message={message} />}
    {isScheduled && <Scheduled message={message} onEdit={onEdit} />}
    {message.held && <Held />}
    {isFailed && <Failure message={message} onSendAgain={onSendAgain} />}
  </>
);

export default MessageStates;

/** Everything that happened to a message, step by step. */
const Story = ({ message }: { message: Message }): JSX.Element => {
  const inbox = useText(inboxText);
  const text = useText(statesText);
  const { tag } = useLocale();
  const { data, error } = useQuery(read('getMessage', { params: { id: message.id }, query: { contact_id: message.contact_id } }));
  if (error && !data) return <ProblemCard error={error} />;
  return (
    <ol className="state story" aria-label={inbox.story}>
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

/** When a message goes: at the time that was chosen, or again after the provider put it off. */
const Scheduled = ({ message, onEdit }: { message: Message; onEdit: (() => void) | undefined }): JSX.Element => {
  const text = useText(statesText);
  const { stored } = useSession();
  const { tag } = useLocale();
  const { error, scheduled_at: scheduledAt, created_at: createdAt } = message;
  const at = formatTime(tag, scheduledAt ?? createdAt, error ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' });
  const { id, contact_id: contact, value } = message;
  const isWrittenAnew = useRef(false);
  const cancel = useWrite(
    (_: undefined, call) => api.cancelMessage({ params: { id }, query: { contact_id: contact } }, call),
    () => {
      void refresh('listConversationMessages', 'listMessages', 'listConversations');
      // only what is no longer sent is written anew: it would be sent twice
      if (!isWrittenAnew.current) return;
      const draft = stored.get(`draft.${contact}`);
      stored.set(`draft.${contact}`, [draft, value].filter((each) => each !== '').join('\n'));
      stored.set(`later.${contact}`, scheduledAt === null ? '' : toFieldTime(Date.parse(scheduledAt)));
      onEdit?.();
    },
  );
  useEffect(() => {
    if (cancel.error) toastProblem(cancel.error);
  }, [cancel.error]);
  const press = (isAnew: boolean): void => {
    isWrittenAnew.current = isAnew;
    cancel.run(undefined);
  };
  // also once it is done, until the thread says so
  const isSoftDisabled = cancel.isPending || cancel.isSuccess;
  return (
    <p className={`state row ${error ? 'warn' : ''}`} role="note">
      <Icon name={error ? 'clock' : 'calendar'} size={14} />
      <span>{error ? text.waiting(failureWords(text, error), at) : text.sendsAt(at)}</span>
      {onEdit && (
        <Button look="quiet" small isSoftDisabled={isSoftDisabled} onClick={() => press(true)}>
          {text.change}
        </Button>
      )}
      <Button look="quiet" small isSoftDisabled={isSoftDisabled} onClick={() => press(false)}>
        {text.cancelSend}
      </Button>
    </p>
  );
};

/** The provider waits with it, to see how others take the template. */
const Held = (): JSX.Element => {
  const text = useText(statesText);
  return (
    <p className="state" role="note">
      {text.held}
    </p>
  );
};

interface FailureProps {
  message: Message;
  onSendAgain: (() => void) | undefined;
}

/** Why a message was not delivered, in one line; the provider's own words stand behind it. */
const Failure = ({ message: { error }, onSendAgain }: FailureProps): JSX.Element | null => {
  const inbox = useText(inboxText);
  const text = useText(statesText);
  const [isOpen, setOpen] = useState(false);
  if (!error) return null;
  const { code, title, details } = error;
  return (
    <div className="state bad" role="note">
      <p className="row failure">
        <span>
          <strong>{inbox.failed}.</strong> {failureWords(text, error)}
        </span>
        {onSendAgain && (
          <Button small onClick={onSendAgain}>
            {text.sendNew}
          </Button>
        )}
        <Button look="quiet" small aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {inbox.details_}
        </Button>
      </p>
      {isOpen && (
        <p className="failure-details">
          <code>{code}</code> {title}
          {details !== null && details.trim().toLowerCase() !== title.trim().toLowerCase() ? ` · ${details}` : ''}
        </p>
      )}
    </div>
  );
};
