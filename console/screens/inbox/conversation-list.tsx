import { type JSX, memo, type MouseEvent, useMemo } from 'react';
import { useRouterState } from '@tanstack/react-router';
import type { Conversation } from '../../../client/client.ts';
import { Avatar, Badge } from '../../components/basics.tsx';
import { Icon } from '../../components/icons.tsx';
import { formatCount, Time, useNow } from '../../components/time.tsx';
import { VirtualList } from '../../components/virtual-list.tsx';
import { useSession, useUsers } from '../../data/session.ts';
import { useStored } from '../../data/stored.ts';
import { formatPhone } from '../../data/phone.ts';
import { inboxText } from '../../text/inbox.ts';
import { useLocale, useText } from '../../text/text.ts';
import { lineOf } from './message-words.ts';
import type { Selection } from './selection.ts';
import { untilInWords } from './snooze-times.ts';
import { Ticks } from './ticks.tsx';
import { leftInWords, WindowClock, windowLeft } from './window.tsx';

const rowHeight = 64;
const idOf = ({ id }: Conversation): number => id;

interface ConversationListProps {
  conversations: readonly Conversation[];
  openId: number | undefined;
  selection: Selection;
  onEnd: () => void;
  onOpen: (id: number) => void;
}

export const ConversationList = memo(({ conversations, openId, selection, onEnd, onOpen }: ConversationListProps): JSX.Element => {
  const text = useText(inboxText);
  const users = useUsers();
  const names = useMemo(() => new Map(users.map(({ id, name }) => [id, name])), [users]);
  const search = useRouterState({ select: ({ location }) => location.searchStr });
  const byKeys = useRouterState({ select: ({ location }) => location.state.byKeys ?? false });
  const row = (each: Conversation, tabIndex: 0 | -1): JSX.Element => (
    <ConversationRow
      conversation={each}
      isOpen={each.id === openId}
      assignee={each.assigned_to === null ? undefined : names.get(each.assigned_to)}
      search={search}
      tabIndex={tabIndex}
      onOpen={onOpen}
    />
  );
  const selectable = (each: Conversation, tabIndex: 0 | -1): JSX.Element => (
    <div className="select-row">
      <input
        type="checkbox"
        aria-label={text.selectThis(each.contact.name ?? formatPhone(each.contact.phone))}
        checked={selection.ids?.has(each.id) ?? false}
        tabIndex={tabIndex}
        onChange={({ nativeEvent }) =>
          'shiftKey' in nativeEvent && nativeEvent.shiftKey === true
            ? selection.toggleTo(each.id, conversations.map(idOf))
            : selection.toggle(each.id)
        }
      />
      {row(each, tabIndex)}
    </div>
  );
  return (
    <VirtualList
      items={conversations}
      keyOf={idOf}
      rowHeight={rowHeight}
      label={text.conversations}
      onEnd={onEnd}
      chosen={openId}
      focusesChosen={byKeys}
      render={selection.ids ? selectable : row}
    />
  );
});

interface RowProps {
  conversation: Conversation;
  isOpen: boolean;
  /** The name of who takes care of it. */
  assignee: string | undefined;
  /** The filters of the address, which stay. */
  search: string;
  tabIndex: 0 | -1;
  onOpen: (id: number) => void;
}

/** Drawn again where it changed. A plain link: one of the router's would be drawn again with every change of the address. */
const ConversationRow = memo(({ conversation, isOpen, assignee, search, tabIndex, onOpen }: RowProps): JSX.Element => {
  const { id, contact, unread_count: unread } = conversation;
  const name = contact.name ?? formatPhone(contact.phone);
  const open = (event: MouseEvent): void => {
    // another tab or window is the browser's affair
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onOpen(id);
  };
  return (
    <a
      href={`/console/inbox/${id}${search}`}
      onClick={open}
      tabIndex={tabIndex}
      aria-current={isOpen ? 'true' : undefined}
      className={`conversation ${unread > 0 ? 'unread' : ''} ${isOpen ? 'open' : ''}`}
    >
      <Avatar name={name} size={36} />
      <span className="conversation-text">
        <span className="row">
          <span className="name cut grow" dir="auto" title={contact.name === null ? undefined : formatPhone(contact.phone)}>
            {name}
          </span>
          <span className="when">
            <Time at={conversation.last_message_at} />
          </span>
        </span>
        <LastLine conversation={conversation} isOpen={isOpen} assignee={assignee} />
      </span>
    </a>
  );
});

/** From here on the row says how long free text still reaches the contact. */
const shortWindowMs = 6 * 3_600_000;
const longWaitMs = 3_600_000;

/** The last message, and what of the conversation needs attention: a long wait, little time left, who takes care of it. */
const LastLine = ({ conversation, isOpen, assignee }: Pick<RowProps, 'conversation' | 'isOpen' | 'assignee'>): JSX.Element => {
  const text = useText(inboxText);
  const { tag } = useLocale();
  const now = useNow();
  const { id, last_message: last, unread_count: unread, window: given, status, snoozed_until: until } = conversation;
  const [draft] = useStored(useSession().stored, `draft.${id}`);
  const showsDraft = draft !== '' && !isOpen;
  const isSnoozed = typeof until === 'string';
  const waited = last.is_message_by_contact && status === 'open' && !isSnoozed ? now - Date.parse(conversation.last_message_at) : 0;
  return (
    <span className="row last">
      {showsDraft && <span className="draft">{text.draft}</span>}
      {!showsDraft && !last.is_message_by_contact && (
        <Ticks status={last.status} ambiguous={last.ambiguous} isCancelled={last.error_code === 'cancelled'} />
      )}
      <span className="cut grow" dir="auto">
        {showsDraft ? draft : lineOf(text, last)}
      </span>
      {isSnoozed && (
        <span className="snoozed-until numbers" title={text.snoozedOne(untilInWords(tag, until, now))}>
          <Icon name="clock" size={12} />
          {untilInWords(tag, until, now)}
        </span>
      )}
      {waited >= longWaitMs && <span className="waits numbers">{text.waitsFor(leftInWords(tag, waited))}</span>}
      {windowLeft(given, now) < shortWindowMs && <WindowClock window={given} />}
      {assignee !== undefined && (
        <span title={text.assignedTo(assignee)} className="row">
          <Avatar name={assignee} size={18} />
          <span className="hidden-text">{text.assignedTo(assignee)}</span>
        </span>
      )}
      {unread > 0 && (
        <Badge look="accent">
          <span aria-hidden>{formatCount(tag, unread)}</span>
          <span className="hidden-text">{text.unreadCount(unread)}</span>
        </Badge>
      )}
    </span>
  );
};
