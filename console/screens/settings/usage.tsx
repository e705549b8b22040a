import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Usage as UsageRecord } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Shown } from '../../components/shown.tsx';
import { Empty } from '../../components/basics.tsx';
import { Bars } from '../../components/charts/bars.tsx';
import { useDayName, useDays } from '../../components/charts/days.tsx';
import { useNumber } from '../../components/charts/frame.tsx';
import { Funnel } from '../../components/charts/funnel.tsx';
import { Line } from '../../components/charts/line.tsx';
import { type Part, StackedProgress } from '../../components/charts/progress.tsx';
import { Page } from '../../components/page.tsx';
import { CsvButton } from '../../components/table.tsx';
import { read } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { settingsText } from '../../text/settings.ts';
import { type TextOf, useText } from '../../text/text.ts';

type Day = UsageRecord['days'][number];
type Messages = Day['messages'];
type Verifications = Day['verifications'];

const sum = <T extends { count: number }>(rows: readonly T[], which: (row: T) => boolean = () => true): number =>
  rows.reduce((total, row) => total + (which(row) ? row.count : 0), 0);

/** What was sent and verified, by day: for the bill, and to see what goes wrong. */
const Usage = (): JSX.Element => {
  const text = useText(settingsText);
  const { range, filter } = useDays([7, 30, 90]);
  const input = { query: range };
  const query = useQuery(read('getUsage', input));
  useInspectable({ title: text.usage, object: query.data?.data.totals, call: { operation: 'getUsage', input } });
  const rows = query.data?.data.days.flatMap(rowsOf) ?? [];
  return (
    <Page
      title={text.usage}
      actions={<CsvButton name={`usage-${range.from}-${range.to}`} columns={csvColumns} rows={rows} />}
      filters={filter}
    >
      <Shown query={query}>{({ data }) => <Charts usage={data} />}</Shown>
    </Page>
  );
};
export default Usage;

const rowsOf = ({ date, messages, verifications }: Day): { date: string; kind: string; of: string; status: string; count: number }[] => [
  ...messages.map(({ category, status, count }) => ({ date, kind: 'message', of: category, status, count })),
  ...verifications.map(({ channel, status, count }) => ({ date, kind: 'verification', of: channel, status, count })),
];

const csvColumns = (['date', 'kind', 'of', 'status', 'count'] as const).map((name) => ({
  name,
  value: (row: ReturnType<typeof rowsOf>[number]) => row[name],
}));

/** How far verifications got, and how they ended by day. */
const Verifications = ({ usage, count }: { usage: UsageRecord; count: number }): JSX.Element => {
  const text = useText(settingsText);
  const number = useNumber();
  const dayName = useDayName();
  const isAdmin = useMay('admin');
  const { verifications } = usage.totals;
  return (
    <>
      <Funnel title={text.verificationsFunnel} axis={text.step} summary={text.total(number(count))} steps={stepsOf(verifications, text)} />
      <Bars
        title={text.verificationsADay}
        axis={text.day}
        series={[
          { name: text.verified, colour: 'good' },
          { name: text.expired, colour: 'warn' },
          { name: text.failed, colour: 'bad' },
          { name: text.blocked, colour: 'rest' },
        ]}
        points={usage.days.map((day) => ({
          label: dayName(day.date),
          date: day.date,
          link: isAdmin ? { to: '/verification/requests', search: { day: day.date } } : undefined,
          values: (['verified', 'expired', 'failed', 'blocked'] as const).map((status) =>
            sum(day.verifications, (row) => row.status === status),
          ),
        }))}
      />
    </>
  );
};

const Charts = ({ usage }: { usage: UsageRecord }): JSX.Element => {
  const text = useText(settingsText);
  const number = useNumber();
  const dayName = useDayName();
  const { messages, verifications } = usage.totals;
  const [messageCount, verificationCount] = [sum(messages), sum(verifications)];
  if (messageCount + verificationCount === 0)
    return (
      <Empty icon="chart" title={text.noUsage}>
        <p>{text.noUsageHint}</p>
      </Empty>
    );
  const billable = sum(messages, (row) => row.billable === true);
  return (
    <div className="charts">
      {messageCount > 0 && (
        <>
          <div className="whole">
            <Bars
              title={text.messagesADay}
              axis={text.day}
              summary={text.total(number(messageCount))}
              series={[
                { name: text.delivered, colour: 1 },
                { name: text.failed, colour: 'bad' },
                { name: text.ambiguous, colour: 'rest' },
              ]}
              points={usage.days.map((day) => ({
                label: dayName(day.date),
                date: day.date,
                values: (['delivered', 'failed', 'ambiguous'] as const).map((status) => sum(day.messages, (row) => row.status === status)),
              }))}
            />
          </div>
          <StackedProgress
            title={text.byCategory}
            axis={text.category}
            summary={text.billable(number(billable), number(billable / messageCount, 'percent'))}
            parts={categoriesOf(messages, text)}
          />
          <Line
            title={text.deliveredRate}
            axis={text.day}
            unit=" %"
            highest={100}
            series={[{ name: text.delivered, colour: 2 }]}
            points={usage.days.map((day) => ({ label: dayName(day.date), date: day.date, values: [deliveredPercent(day.messages)] }))}
          />
        </>
      )}
      {verificationCount > 0 && <Verifications usage={usage} count={verificationCount} />}
    </div>
  );
};

const deliveredPercent = (messages: Messages): number | null => {
  const all = sum(messages);
  return all === 0 ? null : Math.round((1_000 * sum(messages, ({ status }) => status === 'delivered')) / all) / 10;
};

const stepsOf = (verifications: Verifications, text: { codes: string; requested: string; verified: string }) => [
  { name: text.codes, value: verifications.reduce((total, { codes }) => total + codes, 0) },
  { name: text.requested, value: sum(verifications) },
  { name: text.verified, value: sum(verifications, ({ status }) => status === 'verified') },
];

const colours = [1, 2, 3, 4, 5, 6] as const;

/** Categories by their size, each with a colour of its own; those past the sixth share one. */
const categoriesOf = (messages: Messages, text: TextOf<typeof settingsText>): Part[] => {
  const names = [...new Set(messages.map(({ category }) => category))];
  return names
    .map((category) => ({
      name: category === 'unknown' ? text.unknownCategory : text[category],
      value: sum(messages, (row) => row.category === category),
    }))
    .toSorted((a, b) => b.value - a.value)
    .map((part, index) => ({ ...part, colour: colours[index] ?? ('rest' as const) }));
};
