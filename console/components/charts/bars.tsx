import type { JSX } from 'react';
import { stack } from 'd3-shape';
import { Plot, type PlotProps } from './plot.tsx';

/** Bars side by side, each of one or several series on top of one another. */
export const Bars = (props: PlotProps): JSX.Element => {
  const { series, points } = props;
  const stacked = stack<unknown, PlotProps['points'][number], number>()
    .keys(series.keys())
    .value(({ values }, at) => values[at] ?? 0)([...points]);
  return (
    <Plot
      {...props}
      height={180}
      labelWidth={64}
      most={Math.max(0, ...stacked.flatMap((bars) => bars.map(([, to]) => to)))}
      draw={(index, { x, y, slot }) => {
        const width = Math.max(1, Math.min(28, slot * 0.72));
        return stacked.map((bars, at) => {
          const [from = 0, to = 0] = bars[index] ?? [];
          if (from === to) return null;
          const bar = { x: x(index) - width / 2, width, y: y(to), height: y(from) - y(to) };
          return <rect key={series[at]?.name} className={`c-${series[at]?.colour}`} {...bar} rx={1.5} />;
        });
      }}
    />
  );
};
