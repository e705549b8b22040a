import { useCallback, useMemo } from 'react';
import type { Conversation } from '../../../client/client.ts';
import { type Command, useOffer } from '../../app/commands.ts';
import { useKeys } from '../../app/keys.ts';
import { productNow } from '../../components/time.tsx';
import { toastProblem } from '../../components/toasts.tsx';
import { blockContact, unblockContact } from '../../data/contact-blocks.ts';
import { changeConversation, type ConversationChange, readConversation, takeBack } from '../../data/conversation-changes.ts';
import { useMay, useMe, useUsers } from '../../data/session.ts';
import { type InboxText, inboxText } from '../../text/inbox.ts';
import { useLocale, useText } from '../../text/text.ts';
import type { Mode } from './composer.tsx';
import { useOpen, useOpenNext } from './inbox-list.ts';
import { toastRevert } from './revert-toast.tsx';
import { untilInWords } from './snooze-times.ts';

/** Changes the conversation, says so, and offers the way back. */
export const useChange = (conversation: Conversation) => {
  const text = useText(inboxText);
  const { tag } = useLocale();
  const users = useUsers();
  return useCallback(
    (change: ConversationChange, onRevert?: () => void): void => {
      changeConversation(conversation.id, change);
      const assignee = users.find(({ id }) => id === change.assigned_to)?.name;
      toastRevert(text, doneWords(text, tag, change, assignee), () => {
        takeBack(conversation, change);
        onRevert?.();
      });
    },
    [conversation, text, tag, users],
  );
};

const doneWords = (
  text: InboxText,
  tag: string,
  { status, unread, snoozed_until: until }: ConversationChange,
  assignee: string | undefined,
): string => {
  if (until !== undefined) return until === null ? text.backOne : text.snoozedOne(untilInWords(tag, until, productNow()));
  if (status !== undefined) return status === 'closed' ? text.closedOne : text.reopenedOne;
  if (unread) return text.markedUnread;
  return assignee === undefined ? text.unassignedOne : text.assignedOne(assignee);
};

/** What can be done with the conversation that is open: by a key, in the command palette, and in the menus that show the list. */
export const useThreadActions = (
  conversation: Conversation,
  onWrite: (mode: Mode) => void,
  onTemplates: () => void,
  onSnooze: () => void,
  onBlock: () => void,
): readonly Command[] => {
  const text = useText(inboxText);
  const me = useMe();
  const mayWrite = useMay('member');
  const change = useChange(conversation);
  const { id, status, snoozed_until: snoozed } = conversation;
  const open = useOpen();
  const openNext = useOpenNext(id);
  const isOpen = status === 'open';
  const isSnoozed = typeof snoozed === 'string';
  const closeAndNext = useCallback(() => {
    change({ status: isOpen ? 'closed' : 'open' }, () => open(id, true));
    if (isOpen) openNext();
  }, [change, isOpen, openNext, open, id]);
  const markRead = useCallback(() => {
    readConversation(id);
    toastRevert(text, text.markedRead, () => changeConversation(id, { unread: true }));
  }, [id, text]);
  const isBlocked = conversation.contact.blocked;
  const unblock = useCallback(
    () => unblockContact(id, () => toastRevert(text, text.unblockedOne, () => void blockContact(id).catch(toastProblem))),
    [id, text],
  );
  const actions = useMemo(
    (): Command[] =>
      mayWrite
        ? [
            { id: 'read', label: text.markRead, icon: 'check', keys: 'M', run: markRead },
            { id: 'unread', label: text.markUnread, icon: 'mail', keys: 'U', run: () => change({ unread: true }) },
            { id: 'assign', label: text.assignToMe, icon: 'user', keys: 'A', run: () => change({ assigned_to: me.id }) },
            { id: 'close', label: isOpen ? text.close : text.reopen, icon: isOpen ? 'check' : 'inbox', keys: 'E', run: closeAndNext },
            isSnoozed
              ? { id: 'snooze', label: text.bringBack, icon: 'clock', keys: 'H', run: () => change({ snoozed_until: null }) }
              : { id: 'snooze', label: text.snooze, icon: 'clock', keys: 'H', run: onSnooze },
            { id: 'note', label: text.note, icon: 'note', keys: 'N', run: () => onWrite('note') },
            { id: 'template', label: text.chooseTemplate, icon: 'template', keys: 'T', run: onTemplates },
            isBlocked
              ? { id: 'unblock', label: text.unblock, icon: 'shield', run: unblock }
              : { id: 'block', label: text.block, icon: 'shield', run: onBlock },
          ]
        : [],
    [mayWrite, text, change, me.id, closeAndNext, markRead, isOpen, isSnoozed, isBlocked, onWrite, onTemplates, onSnooze, onBlock, unblock],
  );
  useOffer(actions);
  useKeys({
    r: () => onWrite('reply'),
    ...Object.fromEntries(actions.flatMap(({ keys, run }) => (keys === undefined ? [] : [[keys.toLowerCase(), run]]))),
  });
  return actions;
};
