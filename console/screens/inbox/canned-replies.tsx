import { type FormEvent, type JSX, type KeyboardEvent, lazy, Suspense, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { CannedReply } from '../../../client/client.ts';
import { withTexts } from '../../app/with-texts.ts';
import { Button } from '../../components/basics.tsx';
import { Icon } from '../../components/icons.tsx';
import { read } from '../../data/queries.ts';
import { inboxText } from '../../text/inbox.ts';
import { openedText } from '../../text/opened.ts';
import { useText } from '../../text/text.ts';

const ManageReplies = lazy(withTexts([openedText], () => import('./manage-replies.tsx')));

interface Canned {
  isOpen: boolean;
  found: readonly CannedReply[];
  active: number;
  setActive: (index: number) => void;
  choose: (reply: CannedReply | undefined) => void;
  /** Whether the key was for the list. */
  onKeyDown: (event: KeyboardEvent) => boolean;
}

/** The saved replies whose shortcut begins with what stands after `/`, while nothing else is written. */
export const useCannedReplies = (draft: string, onChoose: (text: string) => void): Canned => {
  const wanted = /^\/([^\s/]*)$/.exec(draft)?.[1]?.toLowerCase();
  const [active, setActive] = useState(0);
  const { data } = useQuery({ ...read('listCannedReplies'), staleTime: 60_000, enabled: wanted !== undefined });
  const found =
    wanted === undefined
      ? []
      : (data?.data ?? []).filter(
          ({ shortcut, text }) => shortcut.toLowerCase().startsWith(wanted) || (wanted.length > 1 && text.toLowerCase().includes(wanted)),
        );
  const isOpen = wanted !== undefined && data !== undefined;
  const index = Math.min(active, Math.max(0, found.length - 1));
  const choose = (reply: CannedReply | undefined): void => {
    setActive(0);
    if (reply) onChoose(reply.text);
  };
  return {
    isOpen,
    found,
    active: index,
    setActive,
    choose,
    onKeyDown: (event) => {
      if (!isOpen || found.length === 0) return false;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined) setActive((index + step + found.length) % found.length);
      else if (event.key === 'Enter' || event.key === 'Tab') choose(found[index]);
      else return false;
      event.preventDefault();
      return true;
    },
  };
};

export const CannedReplies = ({ isOpen, found, active, setActive, choose }: Canned): JSX.Element | null => {
  const text = useText(inboxText);
  const [isManaging, setManaging] = useState(false);
  const manage = isManaging && (
    <Suspense>
      <ManageReplies onClose={() => setManaging(false)} />
    </Suspense>
  );
  if (!isOpen) return manage || null;
  const stay = (event: FormEvent): void => event.preventDefault();
  return (
    <div className="canned">
      <div className="row">
        <strong className="grow">{text.savedReplies}</strong>
        <Button look="quiet" small icon="edit" label={text.manageReplies} onClick={() => setManaging(true)} />
      </div>
      {found.length === 0 && <p className="muted">{text.noReplies}</p>}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- the pattern of a combobox */}
      <ul id="canned-replies" role="listbox" aria-label={text.savedReplies}>
        {found.map((reply, index) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field has the keys
          <li
            key={reply.shortcut}
            id={`canned-${index}`}
            role="option"
            aria-selected={index === active}
            onMouseMove={() => setActive(index)}
            onMouseDown={stay}
            onClick={() => choose(reply)}
          >
            <Icon name="bolt" size={14} />
            <code>/{reply.shortcut}</code>
            <span className="cut grow" dir="auto">
              {reply.text}
            </span>
          </li>
        ))}
      </ul>
      {manage}
    </div>
  );
};
