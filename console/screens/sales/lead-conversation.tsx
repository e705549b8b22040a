import { type FormEvent, type JSX, type KeyboardEvent, useLayoutEffect, useRef } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Conversation, Message } from '../../../client/client.ts';
import { Button } from '../../components/basics.tsx';
import { LongTextField } from '../../components/fields.tsx';
import { Shown } from '../../components/shown.tsx';
import { Time, useNow } from '../../components/time.tsx';
import { SwitchboardProblem } from '../../data/client.ts';
import { mayTryAgain, type Outgoing, useOutgoing } from '../../data/outbox.ts';
import { read } from '../../data/queries.ts';
import { useMay, useSession } from '../../data/session.ts';
import { useStored } from '../../data/stored.ts';
import { useThread } from '../../data/thread.ts';
import { salesText } from '../../text/sales.ts';
import { useText } from '../../text/text.ts';
import { messageLine } from './message-line.ts';

/** As many of the newest messages as stand beside a lead; the whole conversation is in the inbox. */
const shown = 20;

/** The newest messages with the lead's contact, and an answer. What is typed is the draft of the inbox too. */
export const LeadConversation = ({ contactId }: { contactId: number }): JSX.Element => {
  const text = useText(salesText);
  const query = useQuery({ ...read('getConversation', { params: { id: contactId } }), retry: false });
  const isNone = query.error instanceof SwitchboardProblem && query.error.status === 404;
  return (
    <section className="lead-part" aria-label={text.conversation}>
      <h3>{text.conversation}</h3>
      {isNone ? <p className="muted">{text.noConversation}</p> : <Shown query={query}>{({ data }) => <Open conversation={data} />}</Shown>}
    </section>
  );
};

const Open = ({ conversation }: { conversation: Conversation }): JSX.Element => {
  const { id } = conversation;
  const { outbox } = useSession();
  const mayWrite = useMay('member');
  const outgoing = useOutgoing(outbox, id);
  const thread = useThread(id);
  return (
    <>
      <Shown query={thread} rows={3}>
        {({ messages }) => <Messages messages={messages.slice(-shown)} outgoing={outgoing} />}
      </Shown>
      {mayWrite && <Answer conversation={conversation} />}
    </>
  );
};

const Messages = ({ messages, outgoing }: { messages: readonly Message[]; outgoing: readonly Outgoing[] }): JSX.Element => {
  const text = useText(salesText);
  const box = useRef<HTMLOListElement>(null);
  const last = `${messages.at(-1)?.id} ${outgoing.at(-1)?.key}`;
  useLayoutEffect(() => {
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [last]);
  if (messages.length + outgoing.length === 0) return <p className="muted">{text.noMessage}</p>;
  const isThere = ({ messageId }: Outgoing): boolean => messages.some(({ id }) => id === messageId);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys
    <ol ref={box} className="lead-messages" tabIndex={0} aria-label={text.messages}>
      {messages.map((message) => (
        <li key={message.id} className={message.is_message_by_contact === 1 ? '' : 'from-us'}>
          <span dir="auto">{messageLine(message, text)}</span>
          <span className="muted">
            {message.failed_at !== null && <span className="bad-text">{text.notSent} </span>}
            <Time at={message.created_at} />
          </span>
        </li>
      ))}
      {outgoing
        .filter((each) => !isThere(each))
        .map((each) => (
          <OnItsWay key={each.key} outgoing={each} />
        ))}
    </ol>
  );
};

/** What is being sent, and what was not sent with the way to try it again. */
const OnItsWay = ({ outgoing }: { outgoing: Outgoing }): JSX.Element => {
  const text = useText(salesText);
  const { outbox } = useSession();
  return (
    <li className="from-us">
      <span dir="auto">{outgoing.text === '' ? text.document : outgoing.text}</span>
      <span className="muted row">
        {outgoing.state === 'sending' ? text.isSent : <span className="bad-text">{text.notSent}</span>}
        {mayTryAgain(outgoing) && (
          <Button small onClick={() => outbox.retry(outgoing.key)}>
            {text.sendAgain}
          </Button>
        )}
        {outgoing.state === 'failed' && (
          <Button small look="quiet" icon="close" label={text.discardMessage} onClick={() => outbox.discard(outgoing.key)} />
        )}
      </span>
    </li>
  );
};

/** Free text while WhatsApp takes it; afterwards the way to a template. */
const Answer = ({ conversation: { id, window: given } }: { conversation: Conversation }): JSX.Element => {
  const text = useText(salesText);
  const { stored, outbox } = useSession();
  const [draft, setDraft] = useStored(stored, `draft.${id}`);
  const now = useNow();
  const isOpen = given.expires_at !== null && Date.parse(given.expires_at) > now;
  const message = draft.trim();
  const send = (event: FormEvent | KeyboardEvent): void => {
    event.preventDefault();
    if (message === '') return;
    outbox.send({ conversationId: id, text: message, sending: { operation: 'sendText', fields: { contact_id: id, message } } });
    setDraft('');
  };
  if (!isOpen)
    return (
      <p className="muted">
        {text.windowClosed}{' '}
        <Link to="/inbox/$id" params={{ id }}>
          {text.toTemplate}
        </Link>
      </p>
    );
  return (
    <form onSubmit={send}>
      <LongTextField
        label={text.answer}
        hint={text.answerHint}
        dir="auto"
        rows={2}
        maxLength={4_096}
        value={draft}
        onText={setDraft}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) send(event);
        }}
      />
      <div>
        <Button type="submit" icon="send" isSoftDisabled={message === ''}>
          {text.send}
        </Button>
      </div>
    </form>
  );
};
