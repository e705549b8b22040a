import { type JSX, lazy, type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Conversation } from '../../../client/client.ts';
import { withTexts } from '../../app/with-texts.ts';
import { Button } from '../../components/basics.tsx';
import { Icon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { Opening } from '../../components/opening.tsx';
import { read } from '../../data/queries.ts';
import { useFilter, useSetFilters } from '../../data/search.ts';
import { isLaptop, useMay } from '../../data/session.ts';
import { inboxText } from '../../text/inbox.ts';
import { openedText } from '../../text/opened.ts';
import { useLocale, useText } from '../../text/text.ts';
import { useInboxFilters, useOpen, useView, type View, views } from './inbox-list.ts';
import { useMoreViews } from './more-views.ts';
import type { Selection } from './selection.ts';

const TagDialog = lazy(withTexts([openedText], () => import('./tag-dialog.tsx')));
const SelectionBar = lazy(withTexts([openedText], () => import('./selection-bar.tsx')));

interface ListHeaderProps {
  conversations: readonly Conversation[];
  selection: Selection;
  searchField: RefObject<HTMLInputElement | null>;
  onStart: () => void;
  isPhoneOpen: boolean;
  onPhone: () => void;
}

/** Above the conversations: what is shown of them, and what can be done with several. */
export const ListHeader = ({ conversations, selection, searchField, onStart, isPhoneOpen, onPhone }: ListHeaderProps): JSX.Element => {
  const text = useText(inboxText);
  const [view] = useView();
  const mayWrite = useMay('member');
  return (
    <header className="inbox-header">
      <div className="row">
        <h1 className="grow">{text.title}</h1>
        {mayWrite && <Button look="quiet" small icon="edit" label={`${text.start}  C`} onClick={onStart} />}
        {mayWrite && (
          <Button
            look="quiet"
            small
            icon="select"
            label={`${text.selectSeveral}  X`}
            aria-pressed={selection.ids !== undefined}
            onClick={selection.toggleMode}
          />
        )}
        {isLaptop && (
          <Button look="quiet" small icon="phone" label={`${text.phoneSimulator}  P`} aria-pressed={isPhoneOpen} onClick={onPhone} />
        )}
      </div>
      <SearchField field={searchField} first={conversations[0]} />
      {selection.ids ? (
        <Suspense fallback={<div className="bulk" />}>
          <SelectionBar selection={selection} conversations={conversations} isClosed={view === 'closed'} />
        </Suspense>
      ) : (
        <Views />
      )}
    </header>
  );
};

/** The address and the list follow what is typed when the typing rests. */
const restMs = 200;

/** A text of its own: through the address, the caret would jump and an input method would write each step. */
const useSearchText = (): [string, (text: string) => void, () => void] => {
  const [search, setSearch] = useFilter('q');
  const [typed, setTyped] = useState(search ?? '');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const applied = useRef(search ?? '');
  useEffect(() => {
    // the address was changed by something else: a link, going back, another view
    if ((search ?? '') === applied.current) return;
    applied.current = search ?? '';
    setTyped(search ?? '');
  }, [search]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const apply = (next: string): void => {
    clearTimeout(timer.current);
    applied.current = next;
    setSearch(next === '' ? undefined : next);
  };
  const type = (next: string): void => {
    setTyped(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => apply(next), restMs);
  };
  return [typed, type, () => apply(typed)];
};

const SearchField = ({ field, first }: { field: ListHeaderProps['searchField']; first: Conversation | undefined }): JSX.Element => {
  const text = useText(inboxText);
  const [typed, type, apply] = useSearchText();
  const [place, setPlace] = useFilter('in');
  const open = useOpen();
  return (
    <>
      <label className="search">
        <Icon name="search" />
        <span className="hidden-text">{text.search}</span>
        <input
          ref={field}
          type="search"
          placeholder={text.search}
          value={typed}
          onChange={(event) => type(event.target.value)}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return;
            if (event.key === 'Escape') event.currentTarget.blur();
            if (event.key !== 'Enter') return;
            apply();
            if (first) open(first.id);
          }}
        />
        <kbd>/</kbd>
      </label>
      {typed !== '' && (
        <label className="row search-place">
          <input type="checkbox" checked={place === 'texts'} onChange={({ target }) => setPlace(target.checked ? 'texts' : undefined)} />
          {text.inTexts}
        </label>
      )}
    </>
  );
};

/** The views that are always seen; the others are in the menu behind them, which shows the one that is chosen. */
const shown = ['open', 'unread', 'mine'] as const satisfies readonly View[];
const others = views.filter((each) => !shown.some((one) => one === each));

const Views = (): JSX.Element => {
  const text = useText(inboxText);
  const { tag } = useLocale();
  const [view, setView] = useView();
  const filters = useInboxFilters();
  const set = useSetFilters();
  const [isChoosingTag, setChoosingTag] = useState(false);
  const more = useMoreViews(() => setChoosingTag(true));
  const counts = useQuery(read('getInboxCounts')).data?.data;
  const countOf = (each: View): string =>
    counts ? new Intl.NumberFormat(tag, { notation: 'compact', maximumFractionDigits: 1 }).format(counts[each]) : '';
  const other = filters.user === undefined ? others.find((each) => each === view) : undefined;
  const isOther = other !== undefined || more.chosen !== undefined;
  const name = more.chosen ?? (other ? text[other] : text.moreViews);
  return (
    <nav className="views" aria-label={text.views}>
      {shown.map((each) => (
        <button key={each} type="button" aria-pressed={!isOther && each === view} onClick={() => setView(each)}>
          {text[each]}
          <span className="numbers">{countOf(each)}</span>
        </button>
      ))}
      <Menu
        label={other && !more.chosen ? `${name} ${countOf(other)}` : name}
        className={`more-views ${isOther ? 'chosen' : ''}`}
        trigger={
          <>
            <span className="cut">{name}</span> {other && !more.chosen && <span className="numbers">{countOf(other)}</span>}
            <Icon name="down" size={12} />
          </>
        }
        entries={[
          ...others.map((each) => ({
            id: each,
            label: text[each],
            ...(each === view ? { icon: 'check' as const } : {}),
            detail: <small className="muted numbers">{countOf(each)}</small>,
          })),
          ...more.entries,
        ]}
        onSelect={(id) => {
          const chosen = others.find((each) => each === id);
          if (chosen) setView(chosen);
          else more.select(id);
        }}
      />
      {isChoosingTag && (
        <Suspense fallback={<Opening />}>
          <TagDialog onClose={() => setChoosingTag(false)} onChoose={(id) => set({ tag: id })} />
        </Suspense>
      )}
    </nav>
  );
};
