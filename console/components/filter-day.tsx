import type { JSX } from 'react';

type FilterDayProps = { label: string; value: string | undefined; onText: (value: string) => void };

/** A filter of a list by one day, such as 2026-11-30: its name beside it. */
export const FilterDay = ({ label, value, onText }: FilterDayProps): JSX.Element => (
  <label>
    <span>{label}</span>
    <input type="date" className="input" value={value ?? ''} onChange={({ target }) => onText(target.value)} />
  </label>
);
