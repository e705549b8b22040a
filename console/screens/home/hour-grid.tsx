import type { JSX } from 'react';
import type { InboxReport } from '../../../client/client.ts';
import { ChartFrame, useNumber } from '../../components/charts/frame.tsx';
import { formatTime } from '../../components/time.tsx';
import { homeText } from '../../text/home.ts';
import { useLocale, useText } from '../../text/text.ts';

/** A Monday. */
const firstDay = Date.parse('2026-01-05T12:00:00Z');
const weekdays = [1, 2, 3, 4, 5, 6, 7];
const hours = Array.from({ length: 24 }, (_, hour) => hour);

/** The hours of a week, the darker the more contacts began to wait in them. */
export const HourGrid = ({ report: { hours: given, timezone } }: { report: InboxReport }): JSX.Element => {
  const text = useText(homeText);
  const { tag } = useLocale();
  const number = useNumber();
  const counts = new Map(given.map(({ weekday, hour, waits }) => [weekday * 24 + hour, waits]));
  const most = Math.max(1, ...counts.values());
  const nameOf = (weekday: number): string => formatTime(tag, firstDay + (weekday - 1) * 86_400_000, { weekday: 'short', timeZone: 'UTC' });
  const waitsAt = (weekday: number, hour: number): number => counts.get(weekday * 24 + hour) ?? 0;
  return (
    <ChartFrame
      title={text.hours}
      summary={text.hoursHint(timezone)}
      table={{
        columns: [text.hour, ...weekdays.map(nameOf)],
        rows: hours.map((hour) => [`${hour}:00`, ...weekdays.map((weekday) => waitsAt(weekday, hour))]),
      }}
    >
      <div className="hour-grid">
        {weekdays.map((weekday) => [
          <span key={weekday} className="hour-grid-name">
            {nameOf(weekday)}
          </span>,
          ...hours.map((hour) => (
            <span
              key={weekday * 24 + hour}
              className="hour-grid-cell"
              title={`${nameOf(weekday)} ${hour}:00 · ${number(waitsAt(weekday, hour))}`}
              style={{ opacity: waitsAt(weekday, hour) === 0 ? undefined : 0.25 + (0.75 * waitsAt(weekday, hour)) / most }}
              data-is-empty={waitsAt(weekday, hour) === 0 || undefined}
            />
          )),
        ])}
        <span />
        {hours.map((hour) => (
          <span key={hour} className="hour-grid-hour">
            {hour % 6 === 0 ? hour : ''}
          </span>
        ))}
      </div>
    </ChartFrame>
  );
};
