import { type JSX, useEffect, useMemo, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Dialog as AriaDialog, Modal, ModalOverlay } from 'react-aria-components';
import { Avatar } from '../components/basics.tsx';
import { Icon, type IconName } from '../components/icons.tsx';
import { read } from '../data/queries.ts';
import { isAtLeast, useMe } from '../data/session.ts';
import { areas } from '../screens/registry.ts';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.ts';
import { type Command, useCommands } from './commands.ts';
import './palette.css';

interface Found extends Command {
  avatar?: string;
}

/** Ctrl+K: places, what the present screen can do, and people by name or number. */
const Palette = ({ onClose }: { onClose: () => void }): JSX.Element => {
  const text = useText(shellText);
  const me = useMe();
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState(0);
  const commands = useCommands();
  const list = useRef<HTMLUListElement>(null);
  const wanted = query.trim().toLowerCase();
  const search = useDebounced(query.trim());
  const people = useQuery({ ...read('listConversations', { query: { search, limit: 6 } }), enabled: search.length >= 2 });
  const found = useMemo((): Found[] => {
    const places = areas
      .filter(({ role }) => isAtLeast(me.role, role))
      .map(
        ({ id, label, icon, path, key }): Found => ({
          id: `area-${id}`,
          label: text[label],
          icon,
          keys: `G ${key.toUpperCase()}`,
          run: () => void navigate({ to: path } as never),
        }),
      );
    const conversations = (people.data?.data ?? []).map(
      ({ id, contact }): Found => ({
        id: `conversation-${id}`,
        label: contact.name ?? contact.phone,
        detail: contact.phone,
        avatar: contact.name ?? contact.phone,
        run: () => void navigate({ to: `/inbox/${id}` } as never),
      }),
    );
    const all: Found[] = [
      ...commands,
      ...places,
      { id: 'docs', label: text.apiReference, icon: 'file', run: () => void window.open('/docs', '_blank', 'noopener') },
    ];
    const words = wanted.split(/\s+/);
    return [
      ...all.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word))),
      ...(wanted === '' ? [] : conversations),
    ];
  }, [commands, people.data, wanted, me.role, navigate, text]);
  const active = Math.min(chosen, Math.max(0, found.length - 1));
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);
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
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- the pattern of a combobox */}
          <ul ref={list} id="palette-found" role="listbox" aria-label={text.commands}>
            {found.map((command, index) => (
              // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field has the keys
              <li
                key={command.id}
                id={`palette-${command.id}`}
                role="option"
                aria-selected={index === active}
                onMouseMove={() => setChosen(index)}
                onClick={() => run(command)}
              >
                {command.avatar === undefined ? (
                  <Icon name={(command.icon ?? 'right') as IconName} />
                ) : (
                  <Avatar name={command.avatar} size={20} />
                )}
                <span className="cut" dir="auto">
                  {command.label}
                </span>
                <span className="muted cut grow numbers">{command.detail}</span>
                {command.keys !== undefined && <kbd>{command.keys}</kbd>}
              </li>
            ))}
          </ul>
          {found.length === 0 && <p className="palette-none muted">{text.commandsEmpty}</p>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
};
export default Palette;

/** The value once it has not changed for a fifth of a second. */
const useDebounced = (value: string): string => {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), 200);
    return () => clearTimeout(timer);
  }, [value]);
  return debounced;
};
