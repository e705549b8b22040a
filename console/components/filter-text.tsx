import { type JSX, useEffect, useState } from 'react';

/** A filter that is typed: it takes effect with Enter or on leaving the field. */
export const FilterText = ({
  label,
  placeholder,
  value,
  isImmediate = false,
  onText,
}: {
  label: string;
  /** Without one, the label stands in its place. */
  placeholder?: string;
  value: string | undefined;
  /** It takes effect with every letter. */
  isImmediate?: boolean;
  onText: (value: string | undefined) => void;
}): JSX.Element => {
  const [typed, setTyped] = useState(value ?? '');
  useEffect(() => setTyped(value ?? ''), [value]);
  const apply = (): void => {
    const next = typed.trim() === '' ? undefined : typed.trim();
    if (next !== value) onText(next);
  };
  return (
    <label>
      <span className={placeholder === undefined ? 'hidden-text' : ''}>{label}</span>
      <input
        className="input"
        type="search"
        placeholder={placeholder ?? label}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          if (isImmediate) onText(target.value === '' ? undefined : target.value);
        }}
        onBlur={apply}
        onKeyDown={({ key }) => {
          if (key === 'Enter') apply();
        }}
      />
    </label>
  );
};
