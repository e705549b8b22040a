import type { JSX, ReactNode } from 'react';
import './page.css';

/** A screen of text, forms or a table: its title, what can be done, and what it shows. */
export const Page = ({
  title,
  actions,
  filters,
  isTable = false,
  children,
}: {
  title: ReactNode;
  actions?: ReactNode;
  filters?: ReactNode;
  /** The content scrolls by itself and reaches the edges. */
  isTable?: boolean;
  children: ReactNode;
}): JSX.Element => (
  <div className="page">
    <header className="page-header">
      <h1 className="cut">{title}</h1>
      {actions}
    </header>
    {filters !== undefined && <div className="filters">{filters}</div>}
    {isTable ? <div className="page-table">{children}</div> : <div className="page-body">{children}</div>}
  </div>
);

/** A part of a page with a name, at a width that reads well. */
export const Section = ({ title, hint, children }: { title: string; hint?: ReactNode; children: ReactNode }): JSX.Element => (
  <section className="section">
    <div className="section-words">
      <h2>{title}</h2>
      {hint !== undefined && <p className="muted">{hint}</p>}
    </div>
    <div className="section-content">{children}</div>
  </section>
);

/** A name and its value; undefined: the fact is none of this record. */
export type Fact = readonly [name: string, value: ReactNode] | undefined;

/** Names and values. */
export const Facts = ({ facts }: { facts: readonly Fact[] }): JSX.Element => (
  <dl className="facts-list">
    {facts
      .filter((fact) => fact !== undefined)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);
