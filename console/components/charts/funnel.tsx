import type { JSX, ReactNode } from 'react';
import { chartsText } from '../../text/charts.ts';
import { useText } from '../../text/text.ts';
import { ChartFrame, useNumber } from './frame.tsx';

type FunnelProps = { title: string; axis: string; summary?: ReactNode; steps: readonly { name: string; value: number }[] };

/** Steps of which each is a part of the one before: how many go on. */
export const Funnel = ({ title, axis, summary, steps }: FunnelProps): JSX.Element => {
  const text = useText(chartsText);
  const number = useNumber();
  const most = Math.max(1, ...steps.map(({ value }) => value));
  const shareOf = (index: number): string => {
    const before = steps[index - 1]?.value ?? 0;
    return index === 0 || before === 0 ? '–' : number((steps[index]?.value ?? 0) / before, 'percent');
  };
  return (
    <ChartFrame
      title={title}
      summary={summary}
      table={{ columns: [axis, text.count, text.ofBefore], rows: steps.map(({ name, value }, index) => [name, value, shareOf(index)]) }}
    >
      <ol className="funnel">
        {steps.map(({ name, value }, index) => (
          <li key={name}>
            <span className="row">
              <span className="grow cut">{name}</span>
              <span className="numbers">{number(value)}</span>
              <span className="numbers muted share">{shareOf(index)}</span>
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
