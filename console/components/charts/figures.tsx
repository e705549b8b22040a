import type { JSX } from 'react';
import './charts.css';

export interface Figure {
  name: string;
  value: string;
  /** Below it: what it was before, or what it is made of. */
  note?: string | undefined;
}

/** The few numbers that a report is read for. */
export const Figures = ({ figures }: { figures: readonly Figure[] }): JSX.Element => (
  <dl className="figures">
    {figures.map(({ name, value, note }) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
        {note !== undefined && <dd>{note}</dd>}
      </div>
    ))}
  </dl>
);
