import { useEffect, useRef } from 'react';

type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** The shortcuts of all components that are shown: the second key of one's sequence is no key of another one. */
const shown = new Set<{ readonly current: Keys }>();

/**
 * Keyboard shortcuts while a component is shown: `'mod+k'`, `'j'`, `'g i'` (one after the other), `'?'`. Letters alone do nothing while
 * the user types in a field or a dialog is open.
 */
export const useKeys = (keys: Keys): void => {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    let first: { key: string; at: number } | undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      const withModifier = event.ctrlKey || event.metaKey;
      const name = nameOfKey(event);
      const isForText = !withModifier && !/^F\d+$/.test(name) && isTyping(event.target);
      if (!withModifier && (isForText || event.altKey || document.querySelector('[role=dialog][data-rac], .dialog, .popover'))) return;
      const sequence = first && Date.now() - first.at < 1_200 ? `${first.key} ${name}` : undefined;
      const isOfSequence = sequence !== undefined && [...shown].some(({ current: all }) => all[sequence] !== undefined);
      const action = current.current[isOfSequence ? sequence : name];
      first = withModifier ? undefined : { key: name, at: Date.now() };
      if (!action || (name.startsWith('Arrow') && isScrolled(event.target))) return;
      event.preventDefault();
      // a key that is held goes through a list; what changes something takes a press of its own
      if (event.repeat && !repeated.has(name)) return;
      action(event);
    };
    shown.add(current);
    document.addEventListener('keydown', onKey);
    return () => {
      shown.delete(current);
      document.removeEventListener('keydown', onKey);
    };
  }, []);
};

const repeated = new Set(['j', 'k', 'ArrowDown', 'ArrowUp']);

/** `mod+k`, `e`, `shift+e`, `?`: as shortcuts name the key that was pressed. */
export const nameOfKey = ({ key, ctrlKey, metaKey, shiftKey }: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey'>): string => {
  const isLetter = key.length === 1 && key.toLowerCase() !== key.toUpperCase();
  const name = key.length === 1 ? key.toLowerCase() : key;
  if (ctrlKey || metaKey) return `mod+${name}`;
  // a sign such as ? is made with Shift on many keyboards
  return shiftKey && isLetter ? `shift+${name}` : name;
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['TEXTAREA', 'SELECT'].includes(target.tagName) || (target.tagName === 'INPUT' && !isPressed(target)));

/** Arrows scroll what has the focus, such as a thread. */
const isScrolled = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('[role=log], [role=table]') !== null;

/** A box to tick takes the space bar alone. */
const isPressed = (input: HTMLElement): boolean => ['checkbox', 'radio'].includes(input.getAttribute('type') ?? '');
