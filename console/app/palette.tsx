import { type JSX, useEffect, useMemo, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Dialog as AriaDialog, Modal, ModalOverlay } from 'react-aria-components';
import { Avatar } from '../components/basics.tsx';
import { Icon } from '../components/icons.tsx';
import type { AreaPage } from '../components/subnav.tsx';
import { read } from '../data/queries.ts';
import { isAtLeast, useMe } from '../data/session.ts';
import { developersPages, salesPages, settingsPages, shopPages, spendPages, verificationPages } from '../screens/pages.ts';
import { areas } from '../screens/registry.ts';
import { developersText } from '../text/developers.ts';
import { salesText } from '../text/sales.ts';
import { settingsText } from '../text/settings.ts';
import { shellText } from '../text/shell.ts';
import { shopText } from '../text/shop.ts';
import { useText } from '../text/text.ts';
import { spendText } from '../text/spend.ts';
import { verificationText } from '../text/verification.ts';
import { type Command, useCommands } from './commands.ts';
import './palette.css';

interface Found extends Command {
  avatar?: string;
}

/** Ctrl+K: places, what the present screen can do, and people by name or number. */
const Palette = ({ onClose }: { onClose: () => void }): JSX.Element => {
  const text = useText(shellText);
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState(0);
  const found = useFound(query.trim());
  const active = Math.min(chosen, Math.max(0, found.length - 1));
  const run = (command: Found | undefined): void => {
    onClose();
    command?.run();
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen((active + step + found.length) % Math.max(1, found.length));
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing) run(found[active]);
    else return;
    event.preventDefault();
  };
  return (
    <ModalOverlay isOpen isDismissable onOpenChange={(open) => open || onClose()} className="scrim">
      <Modal className="dialog palette">
        <AriaDialog aria-label={text.commands}>
          <div className="palette-search">
            <Icon name="search" />
            <input
              // oxlint-disable-next-line jsx-a11y/no-autofocus -- the dialog is this field
              autoFocus
              role="combobox"
              aria-label={text.search}
              aria-expanded
              aria-controls="palette-found"
              aria-activedescendant={found[active] ? `palette-${found[active].id}` : undefined}
              placeholder={text.search}
              value={query}
              onChange={(event) => {
                setQuery(event.target.value);
                setChosen(0);
              }}
              onKeyDown={onKeyDown}
            />
            <kbd>Esc</kbd>
          </div>
          <FoundList found={found} active={active} onActive={setChosen} onRun={run} />
          {found.length === 0 && <p className="palette-none muted">{text.commandsEmpty}</p>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
};
export default Palette;

/** What has all words of the query in its name, and the conversations that the API finds by it. */
const useFound = (query: string): Found[] => {
  const text = useText(shellText);
  const pages = usePages();
  const records = useRecords(query);
  const me = useMe();
  const navigate = useNavigate();
  const commands = useCommands();
  const search = useDebounced(query);
  const people = useQuery({ ...read('listConversations', { query: { search, limit: 6 } }), enabled: search.length >= 2 });
  return useMemo(() => {
    const places = areas
      .filter(({ role }) => isAtLeast(me.role, role))
      .map(
        ({ id, label, icon, path, key }): Found => ({
          id: `area-${id}`,
          label: text[label],
          icon,
          keys: `G ${key.toUpperCase()}`,
          run: () => void navigate({ to: path }),
        }),
      );
    const conversations = (people.data?.data ?? []).map(
      ({ id, contact }): Found => ({
        id: `conversation-${id}`,
        label: contact.name ?? contact.phone,
        detail: contact.phone,
        avatar: contact.name ?? contact.phone,
        run: () => void navigate({ to: '/inbox/$id', params: { id } }),
      }),
    );
    const reference: Found = {
      id: 'docs',
      label: text.apiReference,
      icon: 'file',
      run: () => void window.open('/docs', '_blank', 'noopener'),
    };
    const words = query.toLowerCase().split(/\s+/);
    return [
      ...records,
      ...[...commands, ...places, ...pages, reference].filter(({ label, detail }) =>
        words.every((word) => `${label} ${detail ?? ''}`.toLowerCase().includes(word)),
      ),
      ...(query === '' ? [] : conversations),
    ];
  }, [commands, pages, records, people.data, query, me.role, navigate, text]);
};

interface FoundListProps {
  found: readonly Found[];
  active: number;
  onActive: (place: number) => void;
  onRun: (command: Found) => void;
}

const FoundList = ({ found, active, onActive, onRun }: FoundListProps): JSX.Element => {
  const text = useText(shellText);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- the pattern of a combobox
    <ul ref={list} id="palette-found" role="listbox" aria-label={text.commands}>
      {found.map((command, index) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field has the keys
        <li
          key={command.id}
          id={`palette-${command.id}`}
          role="option"
          aria-selected={index === active}
          onMouseMove={() => onActive(index)}
          onClick={() => onRun(command)}
        >
          {command.avatar === undefined ? <Icon name={command.icon ?? 'right'} /> : <Avatar name={command.avatar} size={20} />}
          <span className="cut" dir="auto">
            {command.label}
          </span>
          <span className="muted cut grow numbers">{command.detail}</span>
          {command.keys !== undefined && <kbd>{command.keys}</kbd>}
        </li>
      ))}
    </ul>
  );
};

/** The pages below the areas, which a reader looks for by their own names. */
const usePages = (): Found[] => {
  const { role: mine } = useMe();
  const navigate = useNavigate();
  const [sales, shop, verification] = [useText(salesText), useText(shopText), useText(verificationText)];
  const spend = useText(spendText);
  const [settings, developers] = [useText(settingsText), useText(developersText)];
  return useMemo(
    () =>
      [
        ...named(salesPages, sales, sales.sales),
        ...named(shopPages, shop, shop.shop),
        ...named(spendPages, spend, spend.title),
        ...named(verificationPages, verification, verification.verification),
        ...named(settingsPages, settings, settings.title),
        ...named(developersPages, developers, developers.title),
      ]
        .filter(({ role }) => isAtLeast(mine, role))
        .map(({ to, label, icon, area }) => ({ id: `page-${to}`, label, icon, detail: area, run: () => void navigate({ to }) })),
    [mine, navigate, sales, shop, spend, verification, settings, developers],
  );
};

/** What an id stands for that a user copied from a log: the deliveries of an event, a request, the events of a record. */
const idForms = [
  { form: /^evt_[0-9A-HJKMNP-TV-Z]{26}$/, to: '/developers/deliveries', filter: 'q' },
  { form: /^req_[0-9A-HJKMNP-TV-Z]{26}$/, to: '/developers/requests', filter: 'entry' },
  { form: /^[a-z_]+:[\w-]+$/, to: '/developers', filter: 'subject' },
] as const;

/** Where the record is shown whose id the query is. */
const useRecords = (query: string): Found[] => {
  const { role: mine } = useMe();
  const navigate = useNavigate();
  const developers = useText(developersText);
  return useMemo(
    () =>
      idForms.flatMap(({ form, to, filter }): Found[] => {
        const page = developersPages.find((each) => each.to === to);
        if (!form.test(query) || !page || !isAtLeast(mine, page.role)) return [];
        const run = (): void => void navigate({ to, search: { [filter]: query } });
        return [{ id: `record-${to}`, label: developers[page.label], icon: page.icon, detail: query, run }];
      }),
    [mine, navigate, developers, query],
  );
};

/** Pages with their names in the language of the reader. */
const named = <Name extends string>(pages: readonly AreaPage<Name>[], text: Readonly<Record<Name, string>>, area: string) =>
  pages.map((page) => ({ ...page, label: text[page.label], area }));

/** The value once it has not changed for a fifth of a second. */
const useDebounced = (value: string): string => {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), 200);
    return () => clearTimeout(timer);
  }, [value]);
  return debounced;
};
