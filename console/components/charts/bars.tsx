import type { JSX, ReactNode } from 'react';
import { ChartFrame, type Series, useNumber, useWidth } from './frame.tsx';
import { shownLabels, ticksTo } from './scale.ts';

export interface Bar {
  /** Of the axis, such as a day. */
  label: string;
  /** One for each series. */
  values: readonly number[];
}

const height = 180;
const [left, right, top, bottom] = [40, 16, 8, 22];

/** Bars side by side, each of one or several series on top of one another. */
export const Bars = ({
  title,
  axis,
  summary,
  series,
  bars,
}: {
  title: string;
  /** What the labels are: `Day`. */
  axis: string;
  summary?: ReactNode;
  series: readonly Series[];
  bars: readonly Bar[];
}): JSX.Element => {
  const number = useNumber();
  const [box, width] = useWidth();
  const sums = bars.map(({ values }) => values.reduce((sum, each) => sum + each, 0));
  const ticks = ticksTo(Math.max(0, ...sums));
  const most = ticks.at(-1) ?? 1;
  const slot = Math.max(0, width - left - right) / Math.max(1, bars.length);
  const thick = Math.max(1, Math.min(28, slot * 0.72));
  const y = (value: number): number => top + (height - top - bottom) * (1 - value / most);
  const labelled = shownLabels(bars.length, width - left - right, 64);
  return (
    <ChartFrame
      title={title}
      summary={summary}
      series={series}
      table={{ columns: [axis, ...series.map(({ name }) => name)], rows: bars.map(({ label, values }) => [label, ...values]) }}
    >
      <div ref={box} className="chart-box" dir="ltr">
        <svg width={width} height={height}>
          {ticks.map((tick) => (
            <g key={tick}>
              <line className="grid" x1={left} x2={width - right} y1={y(tick)} y2={y(tick)} />
              <text className="axis" x={left - 6} y={y(tick) + 3.5} textAnchor="end">
                {number(tick, 'short')}
              </text>
            </g>
          ))}
          {bars.map(({ label, values }, index) => {
            const x = left + slot * index + (slot - thick) / 2;
            let below = 0;
            return (
              <g key={label} className="bar">
                <rect className="hit" x={left + slot * index} y={top} width={slot} height={height - top - bottom} />
                {values.map((value, at) => {
                  const bar = { y: y(below + value), height: Math.max(0, y(below) - y(below + value)) };
                  below += value;
                  return value === 0 ? null : (
                    <rect key={series[at]?.name} className={`c-${series[at]?.colour}`} x={x} width={thick} {...bar} rx={1.5} />
                  );
                })}
                {labelled.has(index) && (
                  <text className="axis" x={x + thick / 2} y={height - 6} textAnchor="middle">
                    {label}
                  </text>
                )}
                <title>{[label, ...values.map((value, at) => `${series[at]?.name}: ${number(value)}`)].join('\n')}</title>
              </g>
            );
          })}
        </svg>
      </div>
    </ChartFrame>
  );
};
