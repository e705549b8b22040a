import { type JSX, lazy, Suspense, useCallback, useMemo, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { type Command, useOffer } from '../../app/commands.ts';
import { useInspectable } from '../../app/inspected.ts';
import { useKeys } from '../../app/keys.ts';
import { withTexts } from '../../app/with-texts.ts';
import { Button, Empty, Loading } from '../../components/basics.tsx';
import { Opening } from '../../components/opening.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { fromLists } from '../../data/conversations.ts';
import { read } from '../../data/queries.ts';
import { isLaptop, useMay, useSession } from '../../data/session.ts';
import { useStored } from '../../data/stored.ts';
import { revertLast } from '../../data/revert.ts';
import { inboxText } from '../../text/inbox.ts';
import { openedText } from '../../text/opened.ts';
import { shellText } from '../../text/shell.ts';
import { startText } from '../../text/start.ts';
import { useText } from '../../text/text.ts';
import { ConversationList } from './conversation-list.tsx';
import { useInboxList, useListInput, useOpen, useRowsWhenPressed, useView, views } from './inbox-list.ts';
import { ListHeader } from './list-header.tsx';
import { useSelection } from './selection.ts';
import './inbox.css';

const Phone = lazy(() => import('../../local/local-phone.tsx'));
const Shortcuts = lazy(withTexts([openedText], () => import('./shortcuts.tsx')));
const StartConversation = lazy(withTexts([startText, openedText], () => import('./start-conversation.tsx')));

/** The inbox: views with their counts, the conversations of one, and beside them the one that is open. */
const Inbox = (): JSX.Element => {
  const text = useText(inboxText);
  const { id: openId } = useParams({ strict: false });
  const input = useListInput();
  const { list, conversations, drawn, readMore } = useInboxList();
  const selection = useSelection(input);
  const [over, setOver] = useState<Over>();
  const close = useCallback(() => setOver(undefined), []);
  const [phone, setPhone] = useStored(useSession().stored, 'phone-open');
  const isPhoneOpen = isLaptop && phone !== '';
  const togglePhone = useCallback(() => setPhone(phone === '' ? 'yes' : ''), [phone, setPhone]);
  const searchField = useRef<HTMLInputElement>(null);
  const open = useOpen();
  const mayWrite = useMay('member');
  useInspectable(openId === undefined ? { title: text.conversations, call: { operation: 'listConversations', input } } : undefined);
  const step = (by: 1 | -1): void => {
    const place = conversations.findIndex((each) => each.id === openId);
    const next = conversations[place === -1 ? 0 : place + by];
    if (next) open(next.id, true);
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    '/': () => searchField.current?.focus(),
    '?': () => setOver('help'),
    F6: focusNextRegion,
    z: revertLast,
    Escape: () => (selection.ids ? selection.set(undefined) : open(undefined)),
    ...(mayWrite ? { c: () => setOver('start'), x: () => (openId === undefined ? selection.toggleMode() : selection.toggle(openId)) } : {}),
    ...(isLaptop ? { p: togglePhone } : {}),
  });
  useCommands(togglePhone, setOver);
  return (
    <section className={`inbox ${openId === undefined ? '' : 'has-open'}`} aria-label={text.title}>
      <button type="button" className="skip" onClick={() => focusRegion(1)}>
        {text.skipToThread}
      </button>
      <div className="inbox-list">
        <ListHeader
          conversations={conversations}
          selection={selection}
          searchField={searchField}
          onStart={() => setOver('start')}
          isPhoneOpen={isPhoneOpen}
          onPhone={togglePhone}
        />
        {list.isPending ? (
          <Loading />
        ) : list.error && !list.data ? (
          <div style={{ padding: 12 }}>
            <ProblemCard error={list.error} onRetry={() => void list.refetch()} />
          </div>
        ) : conversations.length === 0 ? (
          <NoConversation isSearch={Object.keys(input.query).length > 2} onPhone={isLaptop && !isPhoneOpen ? togglePhone : undefined} />
        ) : (
          <ConversationList conversations={drawn} openId={openId} selection={selection} onEnd={readMore} onOpen={open} />
        )}
      </div>
      <Outlet />
      {isPhoneOpen && <PhoneBeside openId={openId} onClose={togglePhone} />}
      {over && (
        <Suspense fallback={<Opening />}>
          {over === 'help' ? <Shortcuts onClose={close} /> : <StartConversation onClose={close} />}
        </Suspense>
      )}
    </section>
  );
};
export default Inbox;

/** What is open over the inbox. */
type Over = 'help' | 'start';

/** The parts of the inbox, in the order of F6. */
const regions = ['.inbox-list .virtual-list [tabindex="0"]', '.thread .reverse-list', '.composer textarea, .composer .closed button'];

/** Gives the focus to the first part that is there, from one on. */
const focusRegion = (from: number): void => {
  for (let step = 0; step < regions.length; step++) {
    const part = document.querySelector<HTMLElement>(regions[(from + step) % regions.length] ?? '');
    if (part) return part.focus();
  }
};

const focusNextRegion = (): void => {
  const { activeElement } = document;
  const now = ['.inbox-list', '.reverse-list', '.composer'].findIndex((part) => activeElement?.closest(part));
  focusRegion(now + 1);
};

/** What the command palette can do with the list. */
const useCommands = (togglePhone: () => void, setOver: (over: Over) => void): void => {
  const text = useText(inboxText);
  const shell = useText(shellText);
  const mayWrite = useMay('member');
  const [view, setView] = useView();
  const rows = useRowsWhenPressed();
  const commands = useMemo(
    (): Command[] => [
      ...(mayWrite ? [{ id: 'start', label: text.start, icon: 'edit', keys: 'C', run: () => setOver('start') } as const] : []),
      ...views.map((each): Command => ({ id: `view-${each}`, label: text[each], icon: 'inbox', run: () => setView(each) })),
      {
        id: 'csv',
        label: shell.exportCsv,
        icon: 'download',
        run: () => void import('./saved-rows.ts').then(({ saveRows }) => saveRows(view, rows())),
      },
      ...(isLaptop ? [{ id: 'phone', label: text.phoneSimulator, icon: 'phone', keys: 'P', run: togglePhone } as const] : []),
      { id: 'shortcuts', label: text.shortcuts, icon: 'question', keys: '?', run: () => setOver('help') },
    ],
    [text, shell, mayWrite, setView, togglePhone, setOver, view, rows],
  );
  useOffer(commands);
};

/** On the laptop no customer writes: there the first step is the phone simulator. */
const NoConversation = ({ isSearch, onPhone }: { isSearch: boolean; onPhone: (() => void) | undefined }): JSX.Element => {
  const text = useText(inboxText);
  const [view] = useView();
  const hints = { snoozed: text.noneSnoozedHint, automatic: text.noneAutomaticHint };
  if (!isSearch && (view === 'snoozed' || view === 'automatic'))
    return (
      <Empty icon="clock" title={text.noneOpen}>
        <p>{hints[view]}</p>
      </Empty>
    );
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

/** The phone of the customer whose conversation is open. */
const PhoneBeside = ({ openId, onClose }: { openId: number | undefined; onClose: () => void }): JSX.Element => {
  const opened = useQuery({
    ...read('getConversation', { params: { id: openId ?? 0 } }),
    enabled: openId !== undefined,
    // as the thread does: the one that is drawn first decides whether it is read
    initialData: () => (openId === undefined ? undefined : fromLists(openId)),
  });
  return (
    <Suspense>
      <Phone contact={openId === undefined ? undefined : opened.data?.data.contact} onClose={onClose} />
    </Suspense>
  );
};
