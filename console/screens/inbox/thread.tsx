import { type JSX, lazy, type RefObject, Suspense, useCallback, useMemo, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Conversation, Message } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { withTexts } from '../../app/with-texts.ts';
import { Loading } from '../../components/basics.tsx';
import { Opening } from '../../components/opening.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { fromLists } from '../../data/conversations.ts';
import { usePresence } from '../../data/presence.ts';
import { read } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { inboxText } from '../../text/inbox.ts';
import { openedText } from '../../text/opened.ts';
import { useText } from '../../text/text.ts';
import { useDroppedFiles } from './attachments.tsx';
import { Composer, type Mode } from './composer.tsx';
import { Presence } from './presence.tsx';
import { useThreadActions } from './thread-actions.ts';
import type { Dialog } from './conversation-dialog.tsx';
import { ThreadHeader } from './thread-header.tsx';
import { ThreadMessages } from './thread-messages.tsx';

const ContactCard = lazy(withTexts([openedText], () => import('../../components/contact-card.tsx')));
const SnoozedLine = lazy(() => import('./snoozed-line.tsx'));
const ConversationDialog = lazy(() => import('./conversation-dialog.tsx'));

const ThreadPage = (): JSX.Element => {
  const { id } = useParams({ from: '/shell/inbox/$id' });
  return <OpenThread key={id} id={id} />;
};
export default ThreadPage;

/** Frames for which a field is waited for: the part of the program that has it may have to be loaded. */
const mostFrames = 300;
const focusOnceThere = (field: RefObject<HTMLTextAreaElement | null>, frames = mostFrames): void =>
  void requestAnimationFrame(() => {
    if (field.current) field.current.focus();
    else if (frames > 0) focusOnceThere(field, frames - 1);
  });

/** One conversation: who it is with, what was written, and answering. */
const OpenThread = ({ id }: { id: number }): JSX.Element => {
  const text = useText(inboxText);
  const input = useMemo(() => ({ params: { id } }), [id]);
  const { data, error, refetch } = useQuery({ ...read('getConversation', input), initialData: () => fromLists(id) });
  const conversation = data?.data;
  useInspectable({
    title: conversation?.contact.name ?? text.conversations,
    subject: `conversation:${id}`,
    ...(conversation ? { object: conversation } : {}),
    call: { operation: 'getConversation', input },
  });
  if (error && !data)
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

const Thread = ({ conversation }: { conversation: Conversation }): JSX.Element => {
  const text = useText(inboxText);
  const { id } = conversation;
  const mayWrite = useMay('member');
  const [mode, setMode] = useState<Mode>('reply');
  const [isTyping, setTyping] = useState(false);
  const [quoted, setQuoted] = useState<Message>();
  const [areDetailsOpen, setDetailsOpen] = useState(() => matchMedia('(min-width: 1200px)').matches);
  const [dialog, setDialog] = useState<Dialog>();
  const field = useRef<HTMLTextAreaElement>(null);
  const others = usePresence(id, isTyping);
  const write = useCallback((what: Mode): void => {
    setMode(what);
    // after the field of the mode is there
    focusOnceThere(field);
  }, []);
  const writeReply = useCallback(() => write('reply'), [write]);
  const replyTo = useCallback(
    (message: Message): void => {
      setQuoted(message);
      write('reply');
    },
    [write],
  );
  const openTemplates = useCallback(() => setDialog('templates'), []);
  const openSnooze = useCallback(() => setDialog('snooze'), []);
  const openBlock = useCallback(() => setDialog('block'), []);
  const actions = useThreadActions(conversation, write, openTemplates, openSnooze, openBlock);
  const drop = useDroppedFiles(id, mayWrite && conversation.window.open);
  return (
    <>
      <div className={`thread ${drop.isOver ? 'dropping' : ''}`} {...drop.handlers}>
        <ThreadHeader
          conversation={conversation}
          actions={actions}
          areDetailsOpen={areDetailsOpen}
          onDetails={() => setDetailsOpen((isOpen) => !isOpen)}
        />
        {typeof conversation.snoozed_until === 'string' && (
          <Suspense>
            <SnoozedLine conversation={conversation} onBack={actions.find(({ id: each }) => each === 'snooze')?.run} />
          </Suspense>
        )}
        <ThreadMessages conversation={conversation} onReply={mayWrite ? replyTo : undefined} onEdit={writeReply} />
        <Presence others={others} />
        {mayWrite ? (
          <Composer
            mode={mode}
            onMode={write}
            onSwitch={setMode}
            onTyping={setTyping}
            quoted={quoted}
            onQuoted={setQuoted}
            conversation={conversation}
            field={field}
            onTemplate={openTemplates}
          />
        ) : (
          <p className="viewer-hint muted">{text.viewerHint}</p>
        )}
        {drop.isOver && <p className="drop-hint">{text.dropFiles}</p>}
      </div>
      {areDetailsOpen && (
        <Suspense fallback={<aside className="contact-card" />}>
          <ContactCard contactId={id} onClose={() => setDetailsOpen(false)} />
        </Suspense>
      )}
      {dialog !== undefined && (
        <Suspense fallback={<Opening />}>
          <ConversationDialog dialog={dialog} conversation={conversation} onClose={() => setDialog(undefined)} />
        </Suspense>
      )}
    </>
  );
};
