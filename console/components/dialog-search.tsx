import type { JSX } from 'react';
import { Icon } from './icons.tsx';

interface DialogSearchProps {
  label: string;
  value: string;
  onText: (text: string) => void;
  /** Enter, but not the one that ends a word of an input method: chooses the first of what was found. */
  onEnter: () => void;
}

/** The search field that a dialog begins with. */
export const DialogSearch = ({ label, value, onText, onEnter }: DialogSearchProps): JSX.Element => (
  <label className="search">
    <Icon name="search" />
    <span className="hidden-text">{label}</span>
    <input
      // oxlint-disable-next-line jsx-a11y/no-autofocus -- the first thing of the dialog
      autoFocus
      type="search"
      dir="auto"
      placeholder={label}
      value={value}
      onChange={({ target }) => onText(target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
        // the form that follows takes the focus, and the same key would send it
        event.preventDefault();
        onEnter();
      }}
    />
  </label>
);
