import { type JSX, useMemo, useRef, useState } from 'react';
import type { Contact } from '../../../client/client.ts';
import { Button } from '../../components/basics.tsx';
import type { Column } from '../../components/table.tsx';
import { contactsText } from '../../text/contacts.ts';
import { useText } from '../../text/text.ts';

/** As many as a job takes by their ids. */
const most = 1_000;

interface Chosen {
  ids: readonly number[];
  clear: () => void;
  /** The boxes before the rows; Shift chooses all from the one that was pressed last. */
  column: Column<Contact>;
}

/** @param rows those that were read; one that is not among them any more, as after another filter, is not chosen */
export const useChosen = (rows: readonly Contact[], nameOf: (contact: Contact) => string): Chosen => {
  const text = useText(contactsText);
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const pressed = useRef<number>(undefined);
  const all = rows.map(({ id }) => id);
  const ids = all.filter((id) => chosen.has(id));
  const shown = ids.join(',');
  const order = all.join(',');
  const column = useMemo((): Column<Contact> => {
    const [now, listed] = [numbersIn(shown), numbersIn(order)];
    const toggle = (id: number, isRange: boolean): void => {
      const others = now.filter((each) => each !== id);
      const next = isRange ? [...others, ...rangeOf(listed, pressed.current, id)] : now.includes(id) ? others : [...now, id];
      pressed.current = id;
      setChosen(new Set(next.slice(0, most)));
    };
    return {
      id: 'chosen',
      name: '',
      width: '1.5rem',
      value: () => '',
      cell: (contact) => (
        <input
          type="checkbox"
          aria-label={text.choose(nameOf(contact))}
          checked={now.includes(contact.id)}
          onChange={({ nativeEvent }) => toggle(contact.id, (nativeEvent as MouseEvent).shiftKey)}
        />
      ),
    };
  }, [shown, order, nameOf, text]);
  return { ids, clear: () => setChosen(new Set()), column };
};

/** All from one row to another, both included; the second alone where the first is not listed. The inbox has its own: a part of both would be one more file for its first page. */
const rangeOf = (all: readonly number[], from: number | undefined, to: number): number[] => {
  const ends = [all.indexOf(from ?? to), all.indexOf(to)];
  return ends.includes(-1) ? [to] : all.slice(Math.min(...ends), Math.max(...ends) + 1);
};

const numbersIn = (list: string): number[] => (list === '' ? [] : list.split(',').map(Number));

/** How many are chosen, and the way back to all that are found. */
export const ChosenCount = ({ ids, clear }: Pick<Chosen, 'ids' | 'clear'>): JSX.Element | null => {
  const text = useText(contactsText);
  if (ids.length === 0) return null;
  return (
    <span className="row">
      <strong className="numbers" aria-live="polite">
        {text.areChosen(ids.length)}
      </strong>
      <Button small look="quiet" icon="close" label={text.chooseNone} onClick={clear} />
    </span>
  );
};
