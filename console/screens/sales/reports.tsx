import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { CrmReport } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Empty } from '../../components/basics.tsx';
import { Bars } from '../../components/charts/bars.tsx';
import { useDayName, useDays } from '../../components/charts/days.tsx';
import { type Figure, Figures } from '../../components/charts/figures.tsx';
import { ChartFrame, useNumber } from '../../components/charts/frame.tsx';
import { StackedProgress } from '../../components/charts/progress.tsx';
import { FilterSelect } from '../../components/fields.tsx';
import { Page } from '../../components/page.tsx';
import { ScrolledTable } from '../../components/plain-table.tsx';
import { Shown } from '../../components/shown.tsx';
import { CsvButton } from '../../components/table.tsx';
import { read } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { useMe, useUsers } from '../../data/session.ts';
import { salesText } from '../../text/sales.ts';
import { useLocale, useText } from '../../text/text.ts';

/** How many leads came, what became of them, and where they waited: in a range, beside the one before. */
const Reports = (): JSX.Element => {
  const text = useText(salesText);
  const { range, filter } = useDays([30, 90, 365], 30, useMe().timezone);
  const [pipeline, setPipeline] = useFilter('in');
  const [owner, setOwner] = useFilter('user');
  const pipelines = useQuery(read('listPipelines', { query: { limit: 100, archived: true } })).data?.data ?? [];
  const users = useUsers();
  const pipelineId = pipelines.find(({ id }) => String(id) === pipeline)?.id;
  const ownerId = users.find(({ id }) => String(id) === owner)?.id;
  const input = {
    query: {
      ...range,
      compare: 'previous_period',
      limit: 60,
      ...(pipelineId === undefined ? {} : { pipeline_id: pipelineId }),
      ...(ownerId === undefined ? {} : { owner_id: ownerId }),
    },
  };
  const query = useQuery(read('getReport', input));
  useInspectable({ title: text.reports, call: { operation: 'getReport', input } });
  return (
    <Page
      title={text.reports}
      actions={
        <CsvButton
          name={`leads-${range.from}-${range.to}`}
          columns={[
            { name: text.day, value: ({ date }: CrmReport['intake'][number]) => date },
            { name: text.came, value: ({ count }) => count },
            { name: text.value, value: ({ value }) => value },
          ]}
          rows={query.data?.data.intake ?? []}
        />
      }
      filters={
        <>
          {filter}
          {pipelines.length > 1 && (
            <FilterSelect
              label={text.pipeline}
              value={pipeline}
              choices={[
                ['', text.all],
                ...pipelines.map(({ id, name, is_active }) => [String(id), is_active ? name : text.archivedPipeline(name)] as const),
              ]}
              onText={setPipeline}
            />
          )}
          <FilterSelect
            label={text.owner}
            value={owner}
            choices={[['', text.all], ...users.map(({ id, name }) => [String(id), name] as const)]}
            onText={setOwner}
          />
        </>
      }
    >
      <Shown query={query}>
        {({ data }) =>
          data.totals.created === 0 && data.stage_durations.length === 0 ? (
            <Empty icon="chart" title={text.noReport}>
              <p>{text.noReportHint}</p>
            </Empty>
          ) : (
            <Charts report={data} />
          )
        }
      </Shown>
    </Page>
  );
};
export default Reports;

const weekColumns = (['period', 'created', 'won', 'lost', 'conversion_rate', 'median_days_to_close'] as const).map((name) => ({
  name,
  value: (week: CrmReport['cohorts'][number]) => week[name],
}));

const Charts = ({ report }: { report: CrmReport }): JSX.Element => {
  const text = useText(salesText);
  const number = useNumber();
  const dayName = useDayName();
  const { totals, comparison, intake, cohorts, stage_durations: stays } = report;
  const before = comparison?.totals;
  const share = (rate: number | null): string => (rate === null ? '–' : number(rate, 'percent'));
  const figure = (name: string, words: (of: CrmReport['totals']) => string): Figure => ({
    name,
    value: words(totals),
    note: before && text.beforeThat(words(before)),
  });
  return (
    <div className="report">
      <Figures
        figures={[
          figure(text.came, ({ created }) => number(created)),
          figure(text.outcomeWon, ({ won }) => number(won)),
          figure(text.conversion, ({ conversion_rate: rate }) => share(rate)),
          figure(text.wonValue, ({ won_value: value }) => number(value)),
        ]}
      />
      <div className="charts">
        <div className="whole">
          <Bars
            title={text.cameByDay}
            axis={text.day}
            series={[{ name: text.came, colour: 1 }]}
            points={intake.map(({ date, count }) => ({
              label: dayName(date),
              date,
              values: [count],
            }))}
          />
        </div>
        <StackedProgress
          title={text.whatBecame}
          axis={text.outcomeName}
          parts={[
            { name: text.outcomeWon, colour: 'good', value: totals.won },
            { name: text.outcomeOpen, colour: 1, value: totals.open },
            { name: text.outcomeLost, colour: 'bad', value: totals.lost },
          ]}
        />
        <Stays stays={stays} />
      </div>
      <section className="stack">
        <div className="row">
          <h2 className="grow">{text.byWeek}</h2>
          <CsvButton name="leads-by-week" of={text.byWeek} columns={weekColumns} rows={cohorts} />
        </div>
        <ScrolledTable
          name={text.byWeek}
          columns={[text.week, text.came, text.outcomeWon, text.outcomeLost, text.conversion, text.daysToClose]}
          isNumber={(column) => column > 0}
          rows={cohorts.map(({ period, created, won, lost, conversion_rate: rate, median_days_to_close: days }) => ({
            key: period,
            cells: [
              period,
              number(created),
              number(won),
              number(lost),
              share(rate),
              days === null ? '–' : number(Math.round(days * 10) / 10),
            ],
          }))}
        />
      </section>
    </div>
  );
};

/** How long leads stay in each stage: half of them up to the first length, nine of ten up to the second. */
const Stays = ({ stays }: { stays: CrmReport['stage_durations'] }): JSX.Element => {
  const text = useText(salesText);
  const { tag } = useLocale();
  const long = (seconds: number | null): string => {
    if (seconds === null) return '–';
    const [amount, unit] =
      seconds >= 86_400 ? [seconds / 86_400, 'day'] : seconds >= 3_600 ? [seconds / 3_600, 'hour'] : [seconds / 60, 'minute'];
    return new Intl.NumberFormat(tag, { style: 'unit', unit: unit as string, unitDisplay: 'short', maximumFractionDigits: 1 }).format(
      amount as number,
    );
  };
  const most = Math.max(1, ...stays.map(({ p90_seconds: late }) => late ?? 0));
  return (
    <ChartFrame
      title={text.whereTheyWait}
      table={{
        columns: [text.stage, text.entries, text.halfWithin, text.mostWithin],
        rows: stays.map(({ name, entries, median_seconds: half, p90_seconds: late }) => [name, entries, half, late]),
        words: (value, column) => (column > 1 ? long(value) : undefined),
      }}
    >
      {stays.length === 0 && <p className="muted">{text.noStays}</p>}
      <ul className="stays stack">
        {stays.map(({ stage_id: id, name, entries, median_seconds: half, p90_seconds: late }) => (
          <li key={id}>
            <span className="row">
              <span className="grow cut" dir="auto">
                {name} <span className="muted numbers">{text.entered(entries)}</span>
              </span>
              <span className="numbers muted">{half === null ? '–' : text.stay(long(half), long(late))}</span>
            </span>
            <span className="stay-track" aria-hidden>
              <span style={{ width: `${((late ?? 0) / most) * 100}%` }} />
              <span style={{ width: `${((half ?? 0) / most) * 100}%` }} />
            </span>
          </li>
        ))}
      </ul>
    </ChartFrame>
  );
};
