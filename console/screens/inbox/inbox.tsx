import {
  type JSX,
  lazy,
  memo,
  type MouseEvent,
  Suspense,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate, useParams, useRouterState } from '@tanstack/react-router';
import type { Conversation } from '../../../client/client.ts';
import { type Command, useOffer } from '../../app/commands.ts';
import { useInspectable } from '../../app/inspected.ts';
import { useKeys } from '../../app/keys.ts';
import { Avatar, Badge, Button, Empty, Loading } from '../../components/basics.tsx';
import { Icon } from '../../components/icons.tsx';
import { saveCsv } from '../../components/csv.ts';
import { Opening } from '../../components/opening.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { formatCount, Time } from '../../components/time.tsx';
import { VirtualList } from '../../components/virtual-list.tsx';
import { useStored } from '../../data/forms.ts';
import { read, readPages } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { isLaptop, useMay, useUsers } from '../../data/session.ts';
import { inboxText } from '../../text/inbox.ts';
import { shellText } from '../../text/shell.ts';
import { useLocale, useText } from '../../text/text.ts';
import { InboxContext } from './context.ts';
import { lineOf } from './message-words.ts';
import { SelectionBar, useSelection } from './selection.tsx';
import { Ticks } from './ticks.tsx';
import { WindowClock } from './window.tsx';
import './inbox.css';

const Phone = lazy(() => import('../../local/local-phone.tsx'));
const Shortcuts = lazy(() => import('./shortcuts.tsx'));

const views = ['open', 'unread', 'mine', 'unassigned', 'closed'] as const;
type View = (typeof views)[number];
const rowHeight = 76;

/** The inbox: views with their counts, the conversations of one, and beside them the one that is open. */
const Inbox = (): JSX.Element => {
  const text = useText(inboxText);
  const shell = useText(shellText);
  const navigate = useNavigate();
  const { id } = useParams({ strict: false }) as { id?: string };
  const openId = id === undefined ? undefined : Number(id);
  const [view, setView] = useView();
  const [search, setSearch] = useFilter('q');
  const [helpOpen, setHelpOpen] = useState(false);
  const mayWrite = useMay('member');
  const selection = useSelection();
  const { ids: selected, set: setSelected, toggle } = selection;
  const [phone, setPhone] = useStored('switchboard.phone-open', '');
  const isPhoneOpen = isLaptop && phone !== '';
  const togglePhone = useCallback(() => setPhone(phone === '' ? 'yes' : ''), [phone, setPhone]);
  const searchField = useRef<HTMLInputElement>(null);
  const input = useMemo(() => ({ query: { view, limit: 50, ...(search === undefined ? {} : { search }) } }), [view, search]);
  const list = useInfiniteQuery({ ...readPages('listConversations', input), placeholderData: keepPreviousData });
  const conversations = useMemo(() => list.data?.pages.flatMap(({ data }) => data) ?? [], [list.data]);
  // drawn between two frames, however many rows are new
  const drawn = useDeferredValue(conversations);
  const shown = drawn.length === 0 ? conversations : drawn;
  const opened = useQuery({ ...read('getConversation', { params: { id: openId ?? 0 } }), enabled: openId !== undefined });
  const openContact = openId === undefined ? undefined : opened.data?.data.contact;
  useInspectable(openId === undefined ? { title: text.conversations, call: { operation: 'listConversations', input } } : undefined);
  const position = conversations.findIndex((each) => each.id === openId);
  const go = useCallback(
    (to: number | undefined) =>
      void navigate({ to: to === undefined ? '/inbox' : `/inbox/${to}`, search: (before: Record<string, unknown>) => before } as never),
    [navigate],
  );
  const byKeys = useRef(false);
  const latest = useRef<{ conversations: readonly Conversation[]; nextId: number | undefined }>({ conversations: [], nextId: undefined });
  const step = (by: 1 | -1): void => {
    byKeys.current = true;
    const next = conversations[position === -1 ? 0 : position + by];
    if (next) go(next.id);
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    '/': () => searchField.current?.focus(),
    '?': () => setHelpOpen(true),
    Escape: () => (selected ? setSelected(undefined) : go(undefined)),
    ...(mayWrite ? { x: () => (openId === undefined ? setSelected(selected ? undefined : new Set()) : toggle(openId)) } : {}),
    ...(isLaptop ? { p: togglePhone } : {}),
  });
  useOffer(
    useMemo(
      (): Command[] => [
        ...views.map((each): Command => ({ id: `view-${each}`, label: text[each], icon: 'inbox', run: () => setView(each) })),
        {
          id: 'csv',
          label: shell.exportCsv,
          icon: 'download',
          run: () =>
            saveCsv(
              `inbox-${view}`,
              ['id', 'name', 'phone', 'status', 'unread_count', 'assigned_to', 'last_message', 'last_message_at', 'window_expires_at'],
              latest.current.conversations.map((each) => [
                each.id,
                each.contact.name,
                each.contact.phone,
                each.status,
                each.unread_count,
                each.assigned_to,
                each.last_message.value,
                each.last_message_at,
                each.window.expires_at,
              ]),
            ),
        },
        ...(isLaptop ? [{ id: 'phone', label: text.phoneSimulator, icon: 'phone', keys: 'P', run: togglePhone } as const] : []),
        { id: 'shortcuts', label: text.shortcuts, icon: 'question', keys: '?', run: () => setHelpOpen(true) },
      ],
      [text, shell, setView, togglePhone, view],
    ),
  );
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const readMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  // from the closed one to the one after it; by a reference, so that the thread is not drawn again with every change of the list
  const next = conversations[position + 1] ?? conversations[position - 1];
  useEffect(() => {
    latest.current = { conversations, nextId: next?.id };
  });
  const context = useMemo(
    () => ({
      goNext: () => {
        byKeys.current = true;
        go(latest.current.nextId);
      },
      isByKeys: () => byKeys.current,
    }),
    [go],
  );

  return (
    <InboxContext value={context}>
      <section className={`inbox ${openId === undefined ? '' : 'has-open'}`} aria-label={text.title}>
        {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events,jsx-a11y/no-static-element-interactions -- notes how a thread was opened */}
        <div
          className="inbox-list"
          onClickCapture={() => {
            byKeys.current = false;
          }}
        >
          <header className="inbox-header">
            <div className="row">
              <h1 className="grow">{text.title}</h1>
              {mayWrite && (
                <Button
                  look="quiet"
                  small
                  icon="select"
                  label={`${text.selectSeveral}  X`}
                  aria-pressed={selected !== undefined}
                  onClick={() => setSelected(selected ? undefined : new Set())}
                />
              )}
              {isLaptop && (
                <Button
                  look="quiet"
                  small
                  icon="phone"
                  label={`${text.phoneSimulator}  P`}
                  aria-pressed={isPhoneOpen}
                  onClick={togglePhone}
                />
              )}
            </div>
            <label className="search">
              <Icon name="search" />
              <span className="hidden-text">{text.search}</span>
              <input
                ref={searchField}
                type="search"
                placeholder={text.search}
                value={search ?? ''}
                onChange={(event) => setSearch(event.target.value)}
                onKeyDown={(event) => {
                  if (event.key === 'Escape') event.currentTarget.blur();
                  if (event.key === 'Enter' && conversations[0]) go(conversations[0].id);
                }}
              />
              <kbd>/</kbd>
            </label>
            {selected && <SelectionBar selection={selection} conversations={conversations} isClosed={view === 'closed'} />}
            <Views view={view} onView={setView} />
          </header>
          {list.error ? (
            <div style={{ padding: 12 }}>
              <ProblemCard error={list.error} onRetry={() => void list.refetch()} />
            </div>
          ) : list.isPending ? (
            <Loading />
          ) : conversations.length === 0 ? (
            <NoConversation isSearch={search !== undefined} onPhone={isLaptop && !isPhoneOpen ? togglePhone : undefined} />
          ) : (
            <ConversationList conversations={shown} openId={openId} selected={selected} onToggle={toggle} onEnd={readMore} onOpen={go} />
          )}
        </div>
        <Outlet />
        {isPhoneOpen && (
          <Suspense>
            <Phone contact={openContact} onClose={togglePhone} />
          </Suspense>
        )}
        {helpOpen && (
          <Suspense fallback={<Opening />}>
            <Shortcuts onClose={() => setHelpOpen(false)} />
          </Suspense>
        )}
      </section>
    </InboxContext>
  );
};
export default Inbox;

const useView = (): [View, (view: View) => void] => {
  const [given, set] = useFilter('view');
  const view = views.find((each) => each === given) ?? 'open';
  const setView = useCallback((next: View) => set(next === 'open' ? undefined : next), [set]);
  return [view, setView];
};

const Views = ({ view, onView }: { view: View; onView: (view: View) => void }): JSX.Element => {
  const text = useText(inboxText);
  const counts = useQuery(read('getInboxCounts')).data?.data;
  return (
    <nav className="views" aria-label={text.views}>
      {views.map((each) => (
        <button key={each} type="button" aria-pressed={each === view} onClick={() => onView(each)}>
          {text[each]}
          {counts && <span className="numbers">{counts[each]}</span>}
        </button>
      ))}
    </nav>
  );
};

interface ConversationListProps {
  conversations: readonly Conversation[];
  openId: number | undefined;
  selected: ReadonlySet<number> | undefined;
  onToggle: (id: number) => void;
  onEnd: () => void;
  onOpen: (id: number) => void;
}

const ConversationList = memo(({ conversations, openId, selected, onToggle, onEnd, onOpen }: ConversationListProps): JSX.Element => {
  const text = useText(inboxText);
  const users = useUsers();
  const names = useMemo(() => new Map(users.map(({ id, name }) => [id, name])), [users]);
  const search = useRouterState({ select: ({ location }) => location.searchStr });
  const position = conversations.findIndex((each) => each.id === openId);
  const row = (each: Conversation): JSX.Element => (
    <ConversationRow
      conversation={each}
      isOpen={each.id === openId}
      assignee={each.assigned_to === null ? undefined : names.get(each.assigned_to)}
      search={search}
      onOpen={onOpen}
    />
  );
  return (
    <VirtualList
      items={conversations}
      keyOf={(each) => each.id}
      rowHeight={rowHeight}
      label={text.conversations}
      onEnd={onEnd}
      shown={position === -1 ? undefined : position}
      render={(each) =>
        selected ? (
          <div className="select-row">
            <input
              type="checkbox"
              aria-label={text.selectThis(each.contact.name ?? formatPhone(each.contact.phone))}
              checked={selected.has(each.id)}
              onChange={() => onToggle(each.id)}
            />
            {row(each)}
          </div>
        ) : (
          row(each)
        )
      }
    />
  );
});

/** On the laptop no customer writes: there the first step is the phone simulator. */
const NoConversation = ({ isSearch, onPhone }: { isSearch: boolean; onPhone: (() => void) | undefined }): JSX.Element => {
  const text = useText(inboxText);
  return (
    <Empty icon={isSearch ? 'search' : 'inbox'} title={isSearch ? text.noneFound : text.noneOpen}>
      <p>{isSearch ? text.noneFoundHint : text.noneOpenHint}</p>
      {!isSearch && onPhone && (
        <>
          <p>{text.noneOpenLaptop}</p>
          <Button look="primary" icon="phone" onClick={onPhone}>
            {text.openPhone}
          </Button>
        </>
      )}
    </Empty>
  );
};

interface RowProps {
  conversation: Conversation;
  isOpen: boolean;
  /** The name of who takes care of it. */
  assignee: string | undefined;
  /** The filters of the address, which stay. */
  search: string;
  onOpen: (id: number) => void;
}

/** Drawn again where it changed. A plain link: one of the router's would be drawn again with every change of the address. */
const ConversationRow = memo(({ conversation, isOpen, assignee, search, onOpen }: RowProps): JSX.Element => {
  const text = useText(inboxText);
  const { tag } = useLocale();
  const { id, contact, last_message: last, unread_count: unread, window: given } = conversation;
  const name = contact.name ?? formatPhone(contact.phone);
  const draft = localStorage.getItem(`switchboard.draft.${id}`);
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
      className={`conversation ${unread > 0 ? 'unread' : ''} ${isOpen ? 'open' : ''}`}
    >
      <Avatar name={name} size={36} />
      <span className="conversation-text">
        <span className="row">
          <span className="name cut grow" dir="auto">
            {name}
          </span>
          <span className="when">
            <Time at={conversation.last_message_at} />
          </span>
        </span>
        <span className="row last">
          {draft !== null && !isOpen ? (
            <span className="draft">{text.draft}</span>
          ) : (
            !last.is_message_by_contact && (
              <Ticks status={last.status} ambiguous={last.ambiguous} isCancelled={last.error_code === 'cancelled'} />
            )
          )}
          <span className="cut grow" dir="auto">
            {draft !== null && !isOpen ? draft : lineOf(text, last)}
          </span>
          {unread > 0 && (
            <Badge look="accent">
              <span aria-hidden>{formatCount(tag, unread)}</span>
              <span className="hidden-text">{text.unreadCount(unread)}</span>
            </Badge>
          )}
        </span>
        <span className="row facts">
          <WindowClock window={given} />
          {contact.name !== null && <span className="cut grow numbers">{formatPhone(contact.phone)}</span>}
          {assignee !== undefined && (
            <span title={text.assignedTo(assignee)} className="row">
              <Avatar name={assignee} size={16} />
              <span className="hidden-text">{text.assignedTo(assignee)}</span>
            </span>
          )}
        </span>
      </span>
    </a>
  );
});

/** Digits as people write them: `+49 151 12345678`. Only spaces are added. */
export const formatPhone = (digits: string): string => (digits === '' ? '' : `+${digits}`);
