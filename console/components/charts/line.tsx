import type { JSX, ReactNode } from 'react';
import { ChartFrame, type Series, useNumber, useWidth } from './frame.tsx';
import { shownLabels, ticksTo } from './scale.ts';

export interface Point {
  label: string;
  /** One for each series; null where there is none, and the line has a gap. */
  values: readonly (number | null)[];
}

const height = 160;
const [left, right, top, bottom] = [44, 28, 8, 22];

/** Lines over time. */
export const Line = ({
  title,
  axis,
  summary,
  series,
  points,
  unit = '',
}: {
  title: string;
  axis: string;
  summary?: ReactNode;
  series: readonly Series[];
  points: readonly Point[];
  /** Behind every number, such as ` ms`. */
  unit?: string;
}): JSX.Element => {
  const number = useNumber();
  const [box, width] = useWidth();
  const ticks = ticksTo(Math.max(0, ...points.flatMap(({ values }) => values.map((value) => value ?? 0))), 3);
  const most = ticks.at(-1) ?? 1;
  const step = points.length < 2 ? 0 : Math.max(0, width - left - right) / (points.length - 1);
  const x = (index: number): number => (points.length < 2 ? (left + width - right) / 2 : left + step * index);
  const y = (value: number): number => top + (height - top - bottom) * (1 - value / most);
  const labelled = shownLabels(points.length, width - left - right, 76);
  const words = (value: number | null | undefined): string => (value === null || value === undefined ? '–' : `${number(value)}${unit}`);
  return (
    <ChartFrame
      title={title}
      summary={summary}
      series={series}
      table={{
        columns: [axis, ...series.map(({ name }) => name)],
        rows: points.map(({ label, values }) => [label, ...values.map(words)]),
      }}
    >
      <div ref={box} className="chart-box" dir="ltr">
        <svg width={width} height={height}>
          {ticks.map((tick) => (
            <g key={tick}>
              <line className="grid" x1={left} x2={width - right} y1={y(tick)} y2={y(tick)} />
              <text className="axis" x={left - 6} y={y(tick) + 3.5} textAnchor="end">
                {number(tick, 'short')}
                {unit}
              </text>
            </g>
          ))}
          {series.map(({ name, colour }, at) => (
            <path
              key={name}
              className={`line c-${colour}`}
              d={pathOf(
                points.map(({ values }) => values[at] ?? null),
                x,
                y,
              )}
            />
          ))}
          {points.map(({ label, values }, index) => (
            <g key={`${label}-${points.length - index}`} className="point">
              <rect className="hit" x={x(index) - Math.max(4, step / 2)} y={top} width={Math.max(8, step)} height={height - top - bottom} />
              {values.map((value, at) =>
                value === null ? null : (
                  <circle
                    key={series[at]?.name}
                    className={`c-${series[at]?.colour}`}
                    cx={x(index)}
                    cy={y(value)}
                    r={points.length === 1 ? 3.5 : 3}
                    data-alone={isAlone(points, index, at) || undefined}
                  />
                ),
              )}
              {labelled.has(index) && (
                <text className="axis" x={x(index)} y={height - 6} textAnchor="middle">
                  {label}
                </text>
              )}
              <title>{[label, ...values.map((value, at) => `${series[at]?.name}: ${words(value)}`)].join('\n')}</title>
            </g>
          ))}
        </svg>
      </div>
    </ChartFrame>
  );
};

/** A value without neighbours has no line: only its dot shows it. */
const isAlone = (points: readonly Point[], index: number, at: number): boolean =>
  (points[index - 1]?.values[at] ?? null) === null && (points[index + 1]?.values[at] ?? null) === null;

const pathOf = (values: readonly (number | null)[], x: (index: number) => number, y: (value: number) => number): string => {
  let isDrawing = false;
  return values
    .map((value, index) => {
      if (value === null) {
        isDrawing = false;
        return '';
      }
      const part = `${isDrawing ? 'L' : 'M'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
      isDrawing = true;
      return part;
    })
    .join('');
};
