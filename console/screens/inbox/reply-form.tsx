import { type FormEvent, type JSX, type KeyboardEvent, lazy, type ReactNode, type RefObject, Suspense, useEffect, useState } from 'react';
import { useRouterState } from '@tanstack/react-router';
import type { Conversation, Message } from '../../../client/client.ts';
import { withTexts } from '../../app/with-texts.ts';
import { Button } from '../../components/basics.tsx';
import { Icon, type IconName } from '../../components/icons.tsx';
import { formatTime, productNow, useNow } from '../../components/time.tsx';
import type { Sending } from '../../data/outbox.ts';
import { useMe, useSession } from '../../data/session.ts';
import { useStored } from '../../data/stored.ts';
import { messagesIn } from '../../data/thread.ts';
import { showTyping } from '../../data/typing.ts';
import { takesCaption } from '../../data/uploads.ts';
import { formatPhone } from '../../data/phone.ts';
import { inboxText } from '../../text/inbox.ts';
import { openedText } from '../../text/opened.ts';
import { receivedText } from '../../text/received.ts';
import { useLocale, useText } from '../../text/text.ts';
import { answeredSince } from './answered.ts';
import { Attachments, useAttached } from './attachments.tsx';
import { CannedReplies, useCannedReplies } from './canned-replies.tsx';
import type { Choices } from './choices-dialog.tsx';
import { laterProblem } from './later.ts';
import { useSenderName } from './message-parts.tsx';
import { lineOf } from './message-words.ts';
import { filledReply, openPlaceholders } from './reply-values.ts';
import { ReplyTools } from './reply-tools.tsx';
import { windowLeft } from './window.tsx';
import { WritingField } from './writing-field.tsx';

const ChoicesDialog = lazy(withTexts([openedText, receivedText], () => import('./choices-dialog.tsx')));

export interface ReplyFormProps {
  conversation: Conversation;
  field: RefObject<HTMLTextAreaElement | null>;
  onTyping: (isTyping: boolean) => void;
  /** The message that the next one quotes. */
  quoted: Message | undefined;
  onQuoted: (message: Message | undefined) => void;
  onTemplate: () => void;
}

/** While the window is closed there is no field for an answer, because free text would not be delivered: a template stands in its place. */
export const ReplyForm = (props: ReplyFormProps): JSX.Element => {
  const { window: given } = props.conversation;
  const isClosed = windowLeft(given, useNow()) === 0;
  return isClosed ? <ClosedWindow neverWrote={given.expires_at === null} onTemplate={props.onTemplate} /> : <OpenForm {...props} />;
};

const OpenForm = ({ conversation, field, onTyping, quoted, onQuoted, onTemplate }: ReplyFormProps): JSX.Element => {
  const text = useText(inboxText);
  const reply = useReply(conversation, quoted, () => {
    onQuoted(undefined);
    field.current?.focus();
  });
  const { draft, setDraft, files, setFiles, submit, attach } = reply;
  const [isChoosing, setChoosing] = useState(false);
  const { name: agent } = useMe();
  const canned = useCannedReplies(draft, (words) => {
    const { name, phone } = conversation.contact;
    setDraft(filledReply(words, { name, phone: formatPhone(phone), agent }));
    field.current?.focus();
  });
  useTyping(draft !== '', onTyping);
  useFocusAtFirst(field);
  return (
    <>
      <form onSubmit={submit}>
        <CannedReplies {...canned} />
        {reply.answered && <Answered message={reply.answered} />}
        {reply.open.length > 0 && (
          <p className="before-send" role="status">
            <Icon name="alert" size={14} /> {text.fillIn(reply.open.join(' '))}
          </p>
        )}
        {quoted && (
          <Attached icon="reply" onDiscard={() => onQuoted(undefined)}>
            <bdi>{lineOf(text, quoted)}</bdi>
          </Attached>
        )}
        <Attachments files={files} onFiles={setFiles} />
        <WritingField
          field={field}
          aria-label={text.message}
          aria-autocomplete="list"
          aria-controls={canned.isOpen ? 'canned-replies' : undefined}
          aria-activedescendant={canned.isOpen ? `canned-${canned.active}` : undefined}
          placeholder={text.placeholder}
          maxLength={4_096}
          value={draft}
          onText={(words) => {
            setDraft(words);
            // an answer for later is not on its way
            if (words !== '' && reply.later === undefined) showTyping(conversation.id);
          }}
          onSubmit={submit}
          isTaken={canned.onKeyDown}
          onPaste={(event) => attach(event.clipboardData.files)}
        />
        <ReplyTools
          later={reply.later}
          onLater={reply.setLater}
          until={conversation.window.expires_at}
          onFiles={attach}
          onTemplate={onTemplate}
          onChoices={() => setChoosing(true)}
          canSend={reply.canSend}
          sendWords={reply.answered ? text.sendAnyway : undefined}
        />
      </form>
      {/* beside the form: what is sent in the dialog is not sent by the form too */}
      {isChoosing && (
        <Suspense>
          <ChoicesDialog
            message={draft}
            onClose={() => setChoosing(false)}
            onSend={(words, choices) => {
              setChoosing(false);
              reply.sendChoices(words, choices);
            }}
          />
        </Suspense>
      )}
    </>
  );
};

/** What is written to a contact, and sending it. */
const useReply = ({ id, window: given }: Conversation, quoted: Message | undefined, onSent: () => void) => {
  const { stored, outbox } = useSession();
  const [draft, setDraft] = useStored(stored, `draft.${id}`);
  const { files, setFiles, attach } = useAttached(id);
  const [laterText, setLaterText] = useStored(stored, `later.${id}`);
  const later = laterText === '' ? undefined : laterText;
  const setLater = (next: string | undefined): void => setLaterText(next ?? '');
  const { answered, isHeldBack } = useAnswered(id, draft);
  const message = draft.trim();
  const open = openPlaceholders(message);
  const isFree = later === undefined || laterProblem(later, given.expires_at, productNow()) === undefined;
  const canSend = ((message !== '' && message !== '/') || files.length > 0) && isFree && open.length === 0;
  const about = { contact_id: id, ...(quoted ? { context_message_id: String(quoted.id) } : {}) };
  const done = (): void => {
    setDraft('');
    setFiles([]);
    setLater(undefined);
    onSent();
  };
  const submit = (event: FormEvent | KeyboardEvent): void => {
    event.preventDefault();
    if (!canSend || isHeldBack()) return;
    const scheduled = later === undefined ? {} : { scheduled_at: new Date(later).toISOString() };
    const fields = { ...about, ...scheduled };
    const words = message === '' ? {} : { message };
    // the text stands below the first file that can have one; each other file is a message of its own
    const first = message === '' ? files[0] : files.find(takesCaption);
    outbox.send({
      conversationId: id,
      text: message,
      ...(first ? { file: first } : {}),
      sending: { operation: 'sendText', fields: { ...fields, ...words } },
    });
    for (const file of files.filter((each) => each !== first))
      outbox.send({ conversationId: id, text: '', file, sending: { operation: 'sendText', fields: { contact_id: id, ...scheduled } } });
    done();
  };
  const sendChoices = (words: string, choices: Choices): void => {
    outbox.send({ conversationId: id, text: words, sending: sendingOf(about, words, choices) });
    // a place goes without the text, which is still to be sent
    if ('place' in choices) onSent();
    else done();
  };
  return { draft, setDraft, files, setFiles, later, setLater, answered, open, canSend, submit, sendChoices, attach };
};

const sendingOf = (about: { contact_id: number; context_message_id?: string }, message: string, choices: Choices): Sending => {
  if ('place' in choices) return { operation: 'sendLocation', fields: { ...about, ...choices.place } };
  if ('action' in choices) return { operation: 'sendList', fields: { ...about, message, ...choices } };
  if ('interactive' in choices) return { operation: 'sendInteractive', fields: { ...about, message, ...choices } };
  return { operation: 'sendText', fields: { ...about, message, ...choices } };
};

/**
 * The answer of a colleague that came after this user began to write. The first press on Send shows it, the next one sends: it is stored with the
 * draft after which message the writing began.
 */
const useAnswered = (id: number, draft: string): { answered: Message | undefined; isHeldBack: () => boolean } => {
  const { stored } = useSession();
  const { id: me } = useMe();
  const [begun, setBegun] = useStored(stored, `begun.${id}`);
  const [answered, setAnswered] = useState<Message>();
  useEffect(() => {
    if (draft !== '') {
      // with the next letter where the thread is still being read
      if (begun === '' && newestIn(id) > 0) setBegun(String(newestIn(id)));
    } else if (begun !== '') {
      setBegun('');
      setAnswered(undefined);
    }
  }, [draft, begun, setBegun, id]);
  const isHeldBack = (): boolean => {
    const found = begun === '' ? undefined : answeredSince(messagesIn(id), Number(begun), me);
    if (found === undefined || found.id === answered?.id) return false;
    setAnswered(found);
    return true;
  };
  return { answered, isHeldBack };
};

const newestIn = (id: number): number => Math.max(0, ...messagesIn(id).map((message) => message.id));

/** Before the message is sent: what a colleague answered meanwhile. */
const Answered = ({ message }: { message: Message }): JSX.Element => {
  const text = useText(inboxText);
  const { tag } = useLocale();
  const name = useSenderName(message) ?? text.we;
  return (
    <p className="before-send" role="alert">
      <Icon name="alert" size={14} />{' '}
      {text.answeredMeanwhile(name, formatTime(tag, message.created_at, { timeStyle: 'short' }), lineOf(text, message))}
    </p>
  );
};

const useTyping = (isTyping: boolean, onTyping: (isTyping: boolean) => void): void =>
  useEffect(() => {
    onTyping(isTyping);
    return () => onTyping(false);
  }, [isTyping, onTyping]);

/** Not for a user who goes through the list by keys, nor on a telephone, where the keyboard would cover the thread. */
const useFocusAtFirst = (field: RefObject<HTMLTextAreaElement | null>): void => {
  const byKeys = useRouterState({ select: ({ location }) => location.state.byKeys ?? false });
  useEffect(() => {
    if (!byKeys && matchMedia('(min-width: 760px)').matches) field.current?.focus({ preventScroll: true });
  }, [field, byKeys]);
};

/** What goes with the message: the one that it quotes, or a file. */
const Attached = ({ icon, onDiscard, children }: { icon: IconName; onDiscard: () => void; children: ReactNode }): JSX.Element => {
  const text = useText(inboxText);
  return (
    <div className="attached">
      <Icon name={icon} />
      <span className="cut grow">{children}</span>
      <Button look="quiet" small icon="close" label={text.discard} onClick={onDiscard} />
    </div>
  );
};

const ClosedWindow = ({ neverWrote, onTemplate }: { neverWrote: boolean; onTemplate: () => void }): JSX.Element => {
  const text = useText(inboxText);
  return (
    <div className="closed" role="note">
      <Icon name="clock" size={20} />
      <div className="grow">
        <strong>{neverWrote ? text.neverWrote : text.closedTitle}</strong>
        <p className="muted">{text.closedHint}</p>
      </div>
      <Button look="primary" icon="template" onClick={onTemplate}>
        {text.chooseTemplate}
      </Button>
    </div>
  );
};
