import type { JSX, ReactNode } from 'react';
import { scaleBand, scaleLinear } from 'd3-scale';
import { type ChartLink, PictureLink } from './picture-link.tsx';
import { ChartFrame, type Series, useNumber, useWidth } from './frame.tsx';
import { shownLabels } from './scale.ts';

/** A place of the axis. */
export interface PlotPoint {
  label: string;
  /** The day that it is, such as 2026-11-30: the label has no year. */
  date?: string;
  values: readonly (number | null)[];
  /** Where its bar leads. */
  link?: ChartLink | undefined;
}

/** What a chart shows: a number of each series at each place of the axis, such as a day. */
export interface PlotProps {
  title: string;
  /** What the labels are: `Day`. */
  axis: string;
  summary?: ReactNode;
  series: readonly Series[];
  points: readonly PlotPoint[];
  /** Behind every number, such as ` ms`. */
  unit?: string;
  /** A value that need not be whole, such as an amount of money, in words. */
  words?: (value: number) => string;
}

/** Where things are drawn, pixels: the middle and the width of the place of a point, and the height of a value. */
export interface Scales {
  x: (index: number) => number;
  slot: number;
  y: (value: number) => number;
}

const edges = { right: 28, top: 8, bottom: 22 };

/** The frame of a chart over an axis: its numbers as a table, lines at round values, labels, and what each point shows under the pointer. */
export const Plot = ({
  title,
  axis,
  summary,
  series,
  points,
  unit = '',
  words: given,
  most,
  height,
  labelWidth,
  behind = () => null,
  draw,
}: PlotProps & {
  most: number;
  height: number;
  labelWidth: number;
  /** Drawn once, behind the points. */
  behind?: (scales: Scales) => ReactNode;
  draw: (index: number, scales: Scales) => ReactNode;
}): JSX.Element => {
  const number = useNumber();
  const [box, width] = useWidth();
  const words = (value: number | null): string => (value === null ? '–' : (given?.(value) ?? `${number(value)}${unit}`));
  const left = given ? 68 : 44;
  const about = Math.round(height / 50);
  const y = scaleLinear([0, given ? most : Math.max(1, most)], [height - edges.bottom, edges.top]).nice(about);
  const places = scaleBand([...points.keys()], [left, Math.max(left, width - edges.right)]);
  const slot = places.bandwidth();
  const scales: Scales = { x: (index) => (places(index) ?? 0) + slot / 2, slot, y };
  const labelled = shownLabels(points.length, slot * points.length, labelWidth);
  return (
    <ChartFrame
      title={title}
      summary={summary}
      series={series}
      table={{
        columns: [axis, ...series.map(({ name }) => name)],
        rows: points.map(({ label, values }) => [label, ...values]),
        names: points.map(({ label, date }) => date ?? label),
        words,
        links: points.map(({ link }) => link),
      }}
    >
      <div ref={box} className="chart-box" dir="ltr">
        <svg width={width} height={height}>
          <Grid
            y={y}
            ticks={y.ticks(about).filter((tick) => given !== undefined || Number.isInteger(tick))}
            edge={[left, width - edges.right]}
            words={(tick) => given?.(tick) ?? `${number(tick, 'short')}${unit}`}
          />
          {behind(scales)}
          {points.map(({ label, values, link }, index) => (
            <g key={`${label}-${points.length - index}`} className="point">
              <PictureLink link={link}>
                <rect
                  className="hit"
                  x={scales.x(index) - slot / 2}
                  y={edges.top}
                  width={slot}
                  height={height - edges.top - edges.bottom}
                />
                {draw(index, scales)}
              </PictureLink>
              {labelled.has(index) && (
                <text className="axis" x={scales.x(index)} y={height - 6} textAnchor="middle">
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

interface GridProps {
  y: (value: number) => number;
  ticks: readonly number[];
  /** Where the lines begin and end, pixels. */
  edge: readonly [number, number];
  words: (tick: number) => string;
}

/** Lines at round values, each with its value. */
const Grid = ({ y, ticks, edge: [from, to], words }: GridProps): JSX.Element => (
  <>
    {ticks.map((tick) => (
      <g key={tick}>
        <line className="grid" x1={from} x2={to} y1={y(tick)} y2={y(tick)} />
        <text className="axis" x={from - 6} y={y(tick) + 3.5} textAnchor="end">
          {words(tick)}
        </text>
      </g>
    ))}
  </>
);
