import { type JSX, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Conversation, Message } from '../../../client/client.ts';
import { Loading } from '../../components/basics.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { ReverseList } from '../../components/reverse-list.tsx';
import { useNotes } from '../../data/notes.ts';
import { useOutgoing } from '../../data/outbox.ts';
import { useSession } from '../../data/session.ts';
import { useSystemLines } from '../../data/system-lines.ts';
import { showStateInLists, type Thread, useThread } from '../../data/thread.ts';
import { formatPhone } from '../../data/phone.ts';
import { inboxText } from '../../text/inbox.ts';
import { useText } from '../../text/text.ts';
import { lineOf } from './message-words.ts';
import { DayLine, dayOf, MessageBubble } from './message.tsx';
import { NoteBubble } from './note.tsx';
import { OutgoingBubble } from './outgoing.tsx';
import { reactionsOf } from './reactions.ts';
import { quietLineOf } from './received.ts';
import { QuietLine, SystemLine } from './system-line.tsx';
import { entriesOf, type Entry, firstUnread, isContinued, keyOfEntry, timeOfEntry } from './thread-entries.ts';

const noMessages: readonly Message[] = [];

interface ThreadMessagesProps {
  conversation: Conversation;
  /** Undefined for those who only read. */
  onReply: ((message: Message) => void) | undefined;
  /** The field takes the text of a message that was not sent. */
  onEdit: () => void;
}

/** What was written in a conversation: messages, notes of the team, and what this user is sending. */
export const ThreadMessages = ({ conversation, onReply, onEdit }: ThreadMessagesProps): JSX.Element => {
  const text = useText(inboxText);
  const { id, contact } = conversation;
  const { data, error, refetch, readOlder } = useThread(id);
  const messages = data?.messages ?? noMessages;
  const newest = messages.at(-1);
  useEffect(() => {
    if (newest) showStateInLists(newest);
  }, [newest]);
  const newFrom = useNewFrom(messages, conversation.unread_count);
  const entries = useEntries(id, data);
  const sent = entries.findLast(({ kind }) => kind === 'outgoing');
  const bubbleOf = useBubbles(conversation, messages, onReply, onEdit);
  const onOldest = useCallback(() => void readOlder(), [readOlder]);
  if (!data)
    return error ? (
      <div style={{ padding: 16, flex: 1 }}>
        <ProblemCard error={error} onRetry={() => void refetch()} />
      </div>
    ) : (
      // as high as the thread will be: what is below stays where it is
      <div className="grow">
        <Loading />
      </div>
    );
  return (
    <>
      <Announced newest={newest} name={contact.name ?? formatPhone(contact.phone)} />
      <ReverseList
        items={entries}
        keyOf={keyOfEntry}
        estimate={48}
        label={text.conversations}
        onOldest={onOldest}
        toNewest={text.newBelow}
        added={sent && keyOfEntry(sent)}
        top={<p className="thread-top muted">{data.nextBefore ? text.olderLoading : text.beginning}</p>}
        render={(entry, before) => {
          const isNewDay = !before || dayOf(timeOfEntry(before)) !== dayOf(timeOfEntry(entry));
          const isFirstNew = entry.kind === 'message' && entry.message.id === newFrom;
          return (
            <>
              {isNewDay && <DayLine at={timeOfEntry(entry)} />}
              {isFirstNew && (
                <p className="new-line">
                  <span>{text.newLine}</span>
                </p>
              )}
              {bubbleOf(entry, !isFirstNew && isContinued(entry, before))}
            </>
          );
        }}
      />
    </>
  );
};

/** What stands in the thread: its messages, and what the team and this user add to them. */
const useEntries = (id: number, thread: Thread | undefined): readonly Entry[] => {
  const notes = useNotes(id, thread !== undefined);
  const lines = useSystemLines(id);
  const outgoing = useOutgoing(useSession().outbox, id);
  return useMemo(() => entriesOf(thread, notes, outgoing, lines), [thread, notes, outgoing, lines]);
};

/** How each entry of the thread is shown. */
const useBubbles = (
  { id, window: given, contact }: Conversation,
  messages: readonly Message[],
  onReply: ThreadMessagesProps['onReply'],
  onEdit: () => void,
): ((entry: Entry, continued: boolean) => JSX.Element) => {
  const text = useText(inboxText);
  const { outbox } = useSession();
  const byWamid = useMemo(() => new Map(messages.map((message) => [message.fb_message_id, message])), [messages]);
  const reactions = useMemo(() => reactionsOf(messages), [messages]);
  const sendAgain = useCallback(
    ({ value }: Message): void =>
      outbox.send({ conversationId: id, text: value, sending: { operation: 'sendText', fields: { contact_id: id, message: value } } }),
    [outbox, id],
  );
  const mayWrite = onReply !== undefined && given.open;
  return (entry, continued) => {
    if (entry.kind === 'note') return <NoteBubble note={entry.note} />;
    if (entry.kind === 'system') return <SystemLine line={entry.line} />;
    if (entry.kind === 'outgoing')
      return <OutgoingBubble outgoing={entry.outgoing} outbox={outbox} continued={continued} onEdit={onEdit} />;
    const { message } = entry;
    const quiet = quietLineOf(text, message);
    if (quiet !== undefined) return <QuietLine words={quiet} at={message.created_at} />;
    return (
      <MessageBubble
        message={message}
        contact={contact.name ?? formatPhone(contact.phone)}
        continued={continued}
        answered={message.context_message_id === null ? undefined : byWamid.get(message.context_message_id)}
        reactions={message.fb_message_id === null ? undefined : reactions.get(message.fb_message_id)}
        onReply={onReply}
        onSendAgain={mayWrite ? sendAgain : undefined}
        canReact={mayWrite}
        onEdit={mayWrite ? onEdit : undefined}
      />
    );
  };
};

/** The message from which on the thread was unread when it was opened: what is read meanwhile moves no line. */
const useNewFrom = (messages: readonly Message[], unread: number): number | undefined => {
  const atFirst = useRef(unread);
  const [from, setFrom] = useState<number>();
  useEffect(() => {
    if (messages.length === 0 || atFirst.current === 0) return;
    setFrom(firstUnread(messages, atFirst.current));
    atFirst.current = 0;
  }, [messages]);
  return from;
};

/** Says to a screen reader what the contact wrote while the thread is open. */
const Announced = ({ newest, name }: { newest: Message | undefined; name: string }): JSX.Element => {
  const text = useText(inboxText);
  const first = useRef(newest?.id);
  const isNew = newest !== undefined && newest.is_message_by_contact === 1 && newest.id !== first.current;
  return (
    <p className="hidden-text" role="status">
      {isNew ? text.announced(name, lineOf(text, newest)) : ''}
    </p>
  );
};
