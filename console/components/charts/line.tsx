import type { JSX } from 'react';
import { line } from 'd3-shape';
import { Plot, type PlotProps, type Scales } from './plot.tsx';

/** Lines over time. Where a value is null the line has a gap. `highest`: where the axis ends, for shares at least at 100. */
export const Line = ({ highest = 0, ...props }: PlotProps & { highest?: number }): JSX.Element => {
  const { series, points } = props;
  const pathOf = (at: number, { x, y }: Scales): string | undefined =>
    line<PlotProps['points'][number]>(
      (_, index) => x(index),
      ({ values }) => y(values[at] ?? 0),
    )
      .defined(({ values }) => (values[at] ?? null) !== null)
      .digits(1)([...points]) ?? undefined;
  const valueAt = (index: number, at: number): number | null => points[index]?.values[at] ?? null;
  return (
    <Plot
      {...props}
      height={160}
      labelWidth={76}
      most={Math.max(highest, ...points.flatMap(({ values }) => values.map((value) => value ?? 0)))}
      behind={(scales) => series.map(({ name, colour }, at) => <path key={name} className={`line c-${colour}`} d={pathOf(at, scales)} />)}
      draw={(index, { x, y }) =>
        series.map(({ name, colour }, at) => {
          const value = valueAt(index, at);
          if (value === null) return null;
          // a value without neighbours has no line: only its dot shows it
          const isAlone = valueAt(index - 1, at) === null && valueAt(index + 1, at) === null;
          return <circle key={name} className={`c-${colour}`} cx={x(index)} cy={y(value)} r={3} data-alone={isAlone || undefined} />;
        })
      }
    />
  );
};
