import { useEffect, useRef } from 'react';

/**
 * Keyboard shortcuts while a component is shown: `'mod+k'`, `'j'`, `'g i'` (one after the other), `'?'`. Letters alone do nothing while
 * the user types in a field or a dialog is open.
 */
export const useKeys = (keys: Readonly<Record<string, (event: KeyboardEvent) => void>>): void => {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    let first: { key: string; at: number } | undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      const { key } = event;
      const withModifier = event.ctrlKey || event.metaKey;
      const name = withModifier ? `mod+${key.toLowerCase()}` : key.length === 1 ? key.toLowerCase() : key;
      if (!withModifier && (isTyping(event.target) || event.altKey || document.querySelector('[role=dialog][data-rac], .dialog, .popover')))
        return;
      const sequence = first && Date.now() - first.at < 1_200 ? `${first.key} ${name}` : undefined;
      const action = (sequence === undefined ? undefined : current.current[sequence]) ?? current.current[name];
      first = withModifier ? undefined : { key: name, at: Date.now() };
      if (!action) return;
      event.preventDefault();
      action(event);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['TEXTAREA', 'SELECT'].includes(target.tagName) || (target.tagName === 'INPUT' && !isPressed(target)));

/** A box to tick takes the space bar alone. */
const isPressed = (input: HTMLElement): boolean => ['checkbox', 'radio'].includes(input.getAttribute('type') ?? '');
