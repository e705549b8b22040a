import type { JSX, ReactNode } from 'react';
import { chartsText } from '../../text/charts.ts';
import { useText } from '../../text/text.ts';
import { type ChartLink, PictureLink } from './picture-link.tsx';
import { ChartFrame, type Series, useNumber } from './frame.tsx';
import { sharesOf } from './scale.ts';

export interface Part extends Series {
  value: number;
  /** Where it leads. */
  link?: ChartLink | undefined;
}

type StackedProgressProps = { title: string; axis: string; summary?: ReactNode; parts: readonly Part[] };

/** The parts of a whole beside one another, each with its number and its share. */
export const StackedProgress = ({ title, axis, summary, parts }: StackedProgressProps): JSX.Element => {
  const text = useText(chartsText);
  const number = useNumber();
  const shares = sharesOf(parts.map(({ value }) => value));
  return (
    <ChartFrame
      title={title}
      summary={summary}
      table={{
        columns: [axis, text.count, text.share],
        rows: parts.map(({ name, value }, index) => [name, value, shares[index] ?? 0]),
        links: parts.map(({ link }) => link),
        words: (value, column) => (column === 2 ? number(value, 'percent') : undefined),
      }}
    >
      <div className="stacked">
        {parts.map(({ name, colour, value }, index) =>
          value === 0 ? null : <span key={name} className={`c-${colour}`} style={{ flexGrow: shares[index] ?? 0 }} title={name} />,
        )}
      </div>
      <ul className="parts">
        {parts.map(({ name, colour, value, link }, index) => (
          <li key={name}>
            <span className={`swatch c-${colour}`} />
            <span className="cut grow">
              <PictureLink link={link}>{name}</PictureLink>
            </span>
            <span className="numbers">{number(value)}</span>
            <span className="numbers muted share">{number(shares[index] ?? 0, 'percent')}</span>
          </li>
        ))}
      </ul>
    </ChartFrame>
  );
};

/** How much of a limit is used; without a limit, the number alone. */
export const Meter = ({ name, used, limit }: { name: string; used: number; limit: number | null }): JSX.Element => {
  const text = useText(chartsText);
  const number = useNumber();
  const words = limit === null ? text.noLimit(number(used)) : text.ofLimit(number(used), number(limit));
  const share = limit === null || limit === 0 ? 0 : Math.min(1, used / limit);
  return (
    <div className="meter">
      <span className="row">
        <span className="grow">{name}</span>
        <span className="numbers muted">{words}</span>
      </span>
      {limit !== null && (
        <div
          className="stacked"
          role="meter"
          aria-label={name}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(used, limit)}
          aria-valuetext={words}
        >
          <span className={share >= 1 ? 'c-bad' : share >= 0.8 ? 'c-warn' : 'c-1'} style={{ flexGrow: share }} />
          <span style={{ flexGrow: 1 - share }} />
        </div>
      )}
    </div>
  );
};
