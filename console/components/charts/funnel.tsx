import type { JSX, ReactNode } from 'react';
import { chartsText } from '../../text/charts.ts';
import { useText } from '../../text/text.ts';
import { type ChartLink, PictureLink } from './picture-link.tsx';
import { ChartFrame, useNumber } from './frame.tsx';

interface FunnelStep {
  name: string;
  value: number;
  /** Where it leads. */
  link?: ChartLink | undefined;
}

type FunnelProps = { title: string; axis: string; summary?: ReactNode; steps: readonly FunnelStep[] };

/** Steps of which each is a part of the one before: how many go on. */
export const Funnel = ({ title, axis, summary, steps }: FunnelProps): JSX.Element => {
  const text = useText(chartsText);
  const number = useNumber();
  const most = Math.max(1, ...steps.map(({ value }) => value));
  const shareOf = (index: number): number | null => {
    const before = steps[index - 1]?.value ?? 0;
    return index === 0 || before === 0 ? null : (steps[index]?.value ?? 0) / before;
  };
  const inWords = (share: number | null): string => (share === null ? '–' : number(share, 'percent'));
  return (
    <ChartFrame
      title={title}
      summary={summary}
      table={{
        columns: [axis, text.count, text.ofBefore],
        rows: steps.map(({ name, value }, index) => [name, value, shareOf(index)]),
        links: steps.map(({ link }) => link),
        words: (value, column) => (column === 2 ? inWords(value) : undefined),
      }}
    >
      <ol className="funnel">
        {steps.map(({ name, value, link }, index) => (
          <li key={name}>
            <span className="row">
              <span className="grow cut">
                <PictureLink link={link}>{name}</PictureLink>
              </span>
              <span className="numbers">{number(value)}</span>
              <span className="numbers muted share">{inWords(shareOf(index))}</span>
            </span>
            <div className="stacked">
              <span className="c-1" style={{ flexBasis: `${(value / most) * 100}%`, opacity: 1 - index * 0.14 }} />
            </div>
          </li>
        ))}
      </ol>
    </ChartFrame>
  );
};
