import { type JSX, useId } from 'react';

/** A search of what is shown, with every letter. */
export const SearchField = ({
  label,
  value,
  onText,
}: {
  label: string;
  value: string | undefined;
  onText: (value: string | undefined) => void;
}): JSX.Element => {
  const id = useId();
  return (
    <>
      <label className="hidden-text" htmlFor={id}>
        {label}
      </label>
      <input
        id={id}
        className="input"
        type="search"
        placeholder={label}
        value={value ?? ''}
        onChange={({ target }) => onText(target.value)}
      />
    </>
  );
};
