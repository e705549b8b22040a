import { type JSX, lazy, Suspense, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { Conversation, ConversationNote, Message } from '../../../client/client.ts';
import { type Command, useOffer } from '../../app/commands.ts';
import { useInspectable } from '../../app/inspected.ts';
import { useKeys } from '../../app/keys.ts';
import { Avatar, Button, Loading } from '../../components/basics.tsx';
import { Icon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { Opening } from '../../components/opening.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { ReverseList } from '../../components/reverse-list.tsx';
import { toastProblem } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { useNotes } from '../../data/notes.ts';
import { usePresence } from '../../data/presence.ts';
import { queryClient, read, refresh } from '../../data/queries.ts';
import { useMay, useMe, useUsers } from '../../data/session.ts';
import { type Outgoing, showStateInLists, useOutbox, useThread } from '../../data/thread.ts';
import { inboxText } from '../../text/inbox.ts';
import { useText } from '../../text/text.ts';
import { Composer } from './composer.tsx';
import { ContactCard } from './contact-card.tsx';
import { InboxContext } from './context.ts';
import { formatPhone } from './inbox.tsx';
import { DayLine, dayOf, MessageBubble, OutgoingBubble } from './message.tsx';
import { NoteBubble } from './note.tsx';
import { Presence } from './presence.tsx';
import { reactionsOf, withoutReactions } from './reactions.ts';
import { WindowClock } from './window.tsx';

const TemplatePicker = lazy(() => import('./template-picker.tsx'));

const ThreadPage = (): JSX.Element => {
  const { id } = useParams({ strict: false }) as { id: string };
  return <OpenThread key={id} id={Number(id)} />;
};
export default ThreadPage;

/** One conversation: who it is with, what was written, and answering. */
const OpenThread = ({ id }: { id: number }): JSX.Element => {
  const text = useText(inboxText);
  const input = useMemo(() => ({ params: { id } }), [id]);
  const { data, error, refetch } = useQuery(read('getConversation', input));
  const conversation = data?.data;
  useInspectable({
    title: conversation?.contact.name ?? text.conversations,
    subject: `conversation:${id}`,
    ...(conversation ? { object: conversation } : {}),
    call: { operation: 'getConversation', input },
  });
  if (error)
    return (
      <div className="thread" style={{ padding: 16 }}>
        <ProblemCard error={error} onRetry={() => void refetch()} />
      </div>
    );
  return conversation ? (
    <Thread conversation={conversation} />
  ) : (
    <div className="thread">
      <Loading />
    </div>
  );
};

type Entry = { kind: 'message'; message: Message } | { kind: 'note'; note: ConversationNote } | { kind: 'outgoing'; outgoing: Outgoing };
const keyOfEntry = (entry: Entry): string =>
  entry.kind === 'message' ? `m${entry.message.id}` : entry.kind === 'note' ? `n${entry.note.id}` : entry.outgoing.key;
const timeOfEntry = (entry: Entry): string =>
  entry.kind === 'message' ? entry.message.created_at : entry.kind === 'note' ? entry.note.created_at : entry.outgoing.createdAt;

/** Notes at their time among the messages that were read; those of before the oldest come with it. */
const withNotes = (messages: readonly Message[], notes: readonly ConversationNote[], isWhole: boolean): Entry[] => {
  const oldest = messages[0]?.created_at ?? '';
  const shown = notes.filter(({ created_at: at }) => isWhole || at >= oldest);
  const entries: Entry[] = messages.map((message) => ({ kind: 'message', message }));
  if (shown.length === 0) return entries;
  return [...entries, ...shown.map((note): Entry => ({ kind: 'note', note }))].toSorted(
    (a, b) => Date.parse(timeOfEntry(a)) - Date.parse(timeOfEntry(b)),
  );
};

const noMessages: readonly Message[] = [];

const Thread = ({ conversation }: { conversation: Conversation }): JSX.Element => {
  const text = useText(inboxText);
  const { id } = conversation;
  const { goNext } = useContext(InboxContext);
  const me = useMe();
  const mayWrite = useMay('member');
  const thread = useThread(id);
  const notes = useNotes(id);
  const [mode, setMode] = useState<'reply' | 'note'>('reply');
  const [isTyping, setTyping] = useState(false);
  const others = usePresence(id, isTyping);
  const { outgoing, send, retry, discard } = useOutbox(id);
  const [detailsOpen, setDetailsOpen] = useState(() => matchMedia('(min-width: 1200px)').matches);
  const [templatesOpen, setTemplatesOpen] = useState(false);
  const composer = useRef<HTMLTextAreaElement>(null);
  const change = useChange(conversation);
  const isOpen = conversation.status === 'open';
  const closeAndNext = useCallback(() => {
    change({ status: isOpen ? 'closed' : 'open' });
    if (isOpen) goNext();
  }, [change, isOpen, goNext]);
  const markRead = useCallback(() => void api.readConversation({ params: { id } }).then(refreshInbox, toastProblem), [id]);
  const write = useCallback((what: 'reply' | 'note'): void => {
    setMode(what);
    // after the field of the mode is there
    requestAnimationFrame(() => composer.current?.focus());
  }, []);
  const [quoted, setQuoted] = useState<Message>();
  const replyTo = useCallback(
    (message: Message): void => {
      setQuoted(message);
      write('reply');
    },
    [write],
  );
  const actions = useMemo(
    (): Command[] =>
      mayWrite
        ? [
            { id: 'read', label: text.markRead, icon: 'check', keys: 'M', run: markRead },
            { id: 'unread', label: text.markUnread, icon: 'mail', keys: 'U', run: () => change({ unread: true }) },
            { id: 'assign', label: text.assignToMe, icon: 'user', keys: 'A', run: () => change({ assigned_to: me.id }) },
            { id: 'close', label: isOpen ? text.close : text.reopen, icon: isOpen ? 'check' : 'inbox', keys: 'E', run: closeAndNext },
            { id: 'note', label: text.note, icon: 'note', keys: 'N', run: () => write('note') },
            { id: 'template', label: text.chooseTemplate, icon: 'template', keys: 'T', run: () => setTemplatesOpen(true) },
          ]
        : [],
    [mayWrite, text, change, me.id, closeAndNext, markRead, isOpen, write],
  );
  useOffer(actions);
  useKeys({
    r: () => write('reply'),
    ...Object.fromEntries(actions.map(({ keys = '', run }) => [keys.toLowerCase(), run])),
  });
  const isRead = conversation.unread_count === 0;
  const answered = useCallback(() => {
    if (!isRead) markRead();
  }, [isRead, markRead]);

  const entries = useMemo((): Entry[] => {
    const messages = thread.data?.messages ?? [];
    const known = new Set(messages.slice(-60).map((message) => message.id));
    return [
      ...withNotes(withoutReactions(messages), notes, thread.data?.nextBefore === null),
      ...outgoing
        .filter(({ messageId }) => messageId === undefined || !known.has(messageId))
        .map((each): Entry => ({ kind: 'outgoing', outgoing: each })),
    ];
  }, [thread.data, outgoing, notes]);
  const { readOlder, data: read_ } = thread;
  const messages = read_?.messages ?? noMessages;
  const newest = messages.at(-1);
  useEffect(() => {
    if (newest) showStateInLists(newest);
  }, [newest]);
  const byWamid = useMemo(() => new Map(messages.map((message) => [message.fb_message_id, message])), [messages]);
  const answeredOf = ({ context_message_id: wamid }: Message): Message | undefined => (wamid === null ? undefined : byWamid.get(wamid));
  const reactions = useMemo(() => reactionsOf(messages), [messages]);
  const onOldest = useCallback(() => void readOlder(), [readOlder]);

  return (
    <>
      <div className="thread">
        <ThreadHeader
          conversation={conversation}
          actions={actions}
          onDetails={() => setDetailsOpen((open) => !open)}
          detailsOpen={detailsOpen}
          onAssign={(user) => change({ assigned_to: user })}
          mayWrite={mayWrite}
        />
        {thread.error ? (
          <div style={{ padding: 16, flex: 1 }}>
            <ProblemCard error={thread.error} onRetry={() => void thread.refetch()} />
          </div>
        ) : thread.isPending ? (
          <Loading />
        ) : (
          <ReverseList
            items={entries}
            keyOf={keyOfEntry}
            estimate={64}
            label={text.conversations}
            onOldest={onOldest}
            toNewest={text.newBelow}
            top={<p className="thread-top muted">{read_?.nextBefore ? text.olderLoading : text.beginning}</p>}
            render={(entry, before) => (
              <>
                {(!before || dayOf(timeOfEntry(before)) !== dayOf(timeOfEntry(entry))) && <DayLine at={timeOfEntry(entry)} />}
                {entry.kind === 'note' ? (
                  <NoteBubble note={entry.note} />
                ) : entry.kind === 'message' ? (
                  <MessageBubble
                    message={entry.message}
                    answered={answeredOf(entry.message)}
                    reactions={entry.message.fb_message_id === null ? undefined : reactions.get(entry.message.fb_message_id)}
                    onReply={mayWrite ? replyTo : undefined}
                    canReact={mayWrite && conversation.window.open}
                  />
                ) : (
                  <OutgoingBubble
                    outgoing={entry.outgoing}
                    onRetry={() => retry(entry.outgoing)}
                    onDiscard={() => discard(entry.outgoing)}
                  />
                )}
              </>
            )}
          />
        )}
        <Presence others={others} />
        {mayWrite ? (
          <Composer
            mode={mode}
            onMode={write}
            onTyping={setTyping}
            quoted={quoted}
            onQuoted={setQuoted}
            conversation={conversation}
            field={composer}
            onSend={send}
            onAnswered={answered}
            onTemplate={() => setTemplatesOpen(true)}
          />
        ) : (
          <p className="viewer-hint muted">{text.viewerHint}</p>
        )}
      </div>
      {detailsOpen && <ContactCard contactId={id} onClose={() => setDetailsOpen(false)} />}
      {templatesOpen && (
        <Suspense fallback={<Opening />}>
          <TemplatePicker conversation={conversation} onClose={() => setTemplatesOpen(false)} onSent={answered} />
        </Suspense>
      )}
    </>
  );
};

export const refreshInbox = (): void => void refresh('getConversation', 'listConversations', 'getInboxCounts');

/** Changes a conversation: shown at once, taken back where the API refuses. */
const useChange = ({ id }: Conversation) =>
  useCallback(
    (body: { status?: 'open' | 'closed'; assigned_to?: number | null; unread?: true }): void => {
      const key = ['getConversation', { params: { id } }];
      const before = queryClient.getQueryData<{ data: Conversation }>(key);
      const { unread, ...shown } = body;
      queryClient.setQueryData<{ data: Conversation }>(
        key,
        before && {
          ...before,
          data: { ...before.data, ...shown, ...(unread ? { unread_count: Math.max(1, before.data.unread_count) } : {}) },
        },
      );
      void api
        .updateConversation({ params: { id }, body })
        .catch((error: unknown) => {
          queryClient.setQueryData(key, before);
          toastProblem(error);
        })
        .finally(refreshInbox);
    },
    [id],
  );

const ThreadHeader = ({
  conversation,
  actions,
  onDetails,
  detailsOpen,
  onAssign,
  mayWrite,
}: {
  conversation: Conversation;
  actions: readonly Command[];
  onDetails: () => void;
  detailsOpen: boolean;
  onAssign: (user: number | null) => void;
  mayWrite: boolean;
}): JSX.Element => {
  const text = useText(inboxText);
  const users = useUsers().filter(({ status }) => status === 'active');
  const { contact, assigned_to: assignedTo, window: given } = conversation;
  const name = contact.name ?? formatPhone(contact.phone);
  const assignee = users.find((user) => user.id === assignedTo);
  const close = actions.find(({ id }) => id === 'close');
  return (
    <header className="thread-header">
      <Link
        to={'/inbox' as never}
        search={((before: Record<string, unknown>) => before) as never}
        className="button quiet icon back"
        aria-label={text.backToList}
      >
        <Icon name="left" />
      </Link>
      <Avatar name={name} size={32} />
      <div className="grow">
        <h2 className="cut" dir="auto">
          {name}
        </h2>
        <div className="row facts">
          <span className="cut numbers">{formatPhone(contact.phone)}</span>
          <WindowClock window={given} named />
        </div>
      </div>
      {mayWrite && (
        <Menu
          label={assignee ? text.assignedTo(assignee.name) : `${text.assign}: ${text.notAssigned}`}
          className="button quiet assign"
          trigger={
            <>
              {assignee ? <Avatar name={assignee.name} size={20} /> : <Icon name="user" />}
              <span className="cut wide-only">{assignee ? assignee.name : text.notAssigned}</span>
            </>
          }
          entries={[
            { id: 'none', label: text.notAssigned, icon: 'close' },
            ...users.map(({ id, name: userName }) => ({
              id: String(id),
              label: userName,
              ...(id === assignedTo ? { icon: 'check' as const } : { icon: 'user' as const }),
            })),
          ]}
          onSelect={(user) => onAssign(user === 'none' ? null : Number(user))}
        />
      )}
      {close && (
        <Button small onClick={close.run} title={`${close.label}  E`}>
          <Icon name="check" />
          <span className="wide-only">{close.label}</span>
        </Button>
      )}
      <Button look="quiet" icon="user" label={text.details} aria-pressed={detailsOpen} onClick={onDetails} className="details-button" />
      {actions.length > 0 && (
        <Menu
          label={text.more}
          className="button quiet icon"
          trigger={<Icon name="more" />}
          entries={actions.map(({ id, label, icon, keys }) => ({ id, label, ...(icon ? { icon } : {}), detail: <kbd>{keys}</kbd> }))}
          onSelect={(chosen) => actions.find(({ id }) => id === chosen)?.run()}
        />
      )}
    </header>
  );
};
