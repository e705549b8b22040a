import type { JSX, ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useInspectable } from '../../app/inspected.ts';
import { Button, Empty } from '../../components/basics.tsx';
import { Bars } from '../../components/charts/bars.tsx';
import { useDayName, useDays } from '../../components/charts/days.tsx';
import { Figures } from '../../components/charts/figures.tsx';
import { amountsText, moneyText, type Money } from '../../components/money.ts';
import { Page } from '../../components/page.tsx';
import { ScrolledTable } from '../../components/plain-table.tsx';
import { Shown } from '../../components/shown.tsx';
import { formatCount, formatTime } from '../../components/time.tsx';
import { api, type Answer } from '../../data/client.ts';
import { download } from '../../data/download.ts';
import { useWrite } from '../../data/forms.ts';
import { read } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { spendText } from '../../text/spend.ts';
import { useLocale, useText } from '../../text/text.ts';
import { MissingPrices } from '../../components/missing-prices.tsx';
import { useCategoryNames, useRowNames } from './spend-words.ts';

type Spend = Answer<'getSpend'>['data'];
type Row = Spend['rows'][number];

const breakdowns = ['country', 'category', 'campaign', 'number', 'credential', 'profile', 'day'] as const;

/** What messages cost: today, this month, by day and category, and broken down. */
const Overview = (): JSX.Element => {
  const text = useText(spendText);
  const { tag } = useLocale();
  const { range, filter } = useDays([7, 30, 90]);
  const [by = 'country', setBy] = useFilter('by');
  const today = range.to;
  const input = { query: { ...range, by: 'day' as const } };
  const query = useQuery(read('getSpend', input));
  const month = useQuery(read('getSpend', { query: { from: `${today.slice(0, 8)}01`, to: today, by: 'day' } }));
  const chosen = breakdowns.find((each) => each === by) ?? 'country';
  const broken = useQuery(read('getSpend', { query: { ...input.query, by: chosen } }));
  useInspectable({ title: text.overview, object: query.data?.data.totals, call: { operation: 'getSpend', input } });
  const save = useWrite(
    ({ from, to }: { from: string; to: string }) => api.exportSpend({ query: { from, to } }),
    (csv, { from, to }) => download(`spend-${from}-${to}.csv`, csv),
  );
  return (
    <Page
      title={text.overview}
      actions={<Button icon="download" label={text.export} isSoftDisabled={save.isPending} onClick={() => save.run(range)} />}
      filters={filter}
    >
      <Shown query={query}>
        {({ data }) =>
          data.totals.messages === 0 ? (
            <Empty icon="chart" title={text.none}>
              <p>{text.noneHint}</p>
            </Empty>
          ) : (
            <div className="report">
              <KeyFigures spend={data} month={month.data?.data} today={today} />
              <MissingPrices count={data.totals.unknown} />
              {data.closed_until >= range.from && (
                <p className="muted">{text.closedUntil(formatTime(tag, `${data.closed_until}T12:00:00`, { dateStyle: 'long' }))}</p>
              )}
              <ByDay spend={data} />
              <div className="tabs" role="tablist" aria-label={text.by}>
                {breakdowns.map((each) => (
                  <button
                    key={each}
                    type="button"
                    role="tab"
                    aria-selected={each === chosen}
                    onClick={() => setBy(each === 'country' ? '' : each)}
                  >
                    {text[each]}
                  </button>
                ))}
              </div>
              <Shown query={broken}>{({ data: shown }) => <Breakdown spend={shown} />}</Shown>
            </div>
          )
        }
      </Shown>
    </Page>
  );
};
export default Overview;

const KeyFigures = ({ spend, month, today }: { spend: Spend; month: Spend | undefined; today: string }): JSX.Element => {
  const text = useText(spendText);
  const { tag } = useLocale();
  const amounts = (given: readonly Money[] | undefined): string => (given && given.length > 0 ? amountsText(tag, given) : '–');
  return (
    <Figures
      figures={[
        { name: text.today, value: amounts(spend.rows.find(({ key }) => key === today)?.amounts) },
        {
          name: text.thisMonth,
          value: amounts(month?.totals.amounts),
          note: month && text.expected(amounts(expectedOf(month, spend, today))),
        },
        { name: text.inRange, value: amounts(spend.totals.amounts) },
        {
          name: text.messages,
          value: formatCount(tag, spend.totals.messages),
          note: spend.totals.free === 0 ? undefined : text.ofThemFree(spend.totals.free),
        },
      ]}
    />
  );
};

/** The month so far, and for the days that are left the pace of the last seven full days. */
const expectedOf = (month: Spend, spend: Spend, today: string): Money[] => {
  const [year = 0, of = 1, day = 1] = today.split('-').map(Number);
  const daysLeft = new Date(Date.UTC(year, of, 0)).getUTCDate() - day;
  const full = spend.rows.filter(({ key }) => key !== null && key < today).slice(-7);
  return month.totals.amounts.map(({ amount, currency }) => {
    const paced = full.reduce((sum, row) => sum + valueIn(row.amounts, currency), 0) / Math.max(1, full.length);
    return { amount: (Number(amount) + paced * daysLeft).toFixed(6), currency };
  });
};

const valueIn = (amounts: readonly Money[], currency: string): number =>
  Number(amounts.find((each) => each.currency === currency)?.amount ?? 0);

const colours = [1, 2, 3, 4, 'warn', 'rest'] as const;

/** Bars of one currency; another one has bars of its own. */
const ByDay = ({ spend }: { spend: Spend }): JSX.Element => {
  const text = useText(spendText);
  const { tag } = useLocale();
  const nameOf = useCategoryNames();
  const dayName = useDayName();
  return (
    <>
      {spend.totals.amounts
        .filter(({ amount }) => Number(amount) > 0)
        .map((total) => {
          const { currency } = total;
          const spent = new Map<string, number>();
          for (const row of spend.rows)
            for (const each of row.categories) spent.set(each.category, (spent.get(each.category) ?? 0) + valueIn(each.amounts, currency));
          const categories = [...spent]
            .filter(([, value]) => value > 0)
            .toSorted(([, a], [, b]) => b - a)
            .slice(0, colours.length);
          return (
            <Bars
              key={currency}
              title={text.byDay}
              axis={text.day}
              summary={spend.totals.amounts.length === 1 ? undefined : amountsText(tag, [total])}
              words={(amount) => moneyText(tag, { amount, currency })}
              series={categories.map(([category], nth) => ({ name: nameOf(category), colour: colours[nth] ?? 'rest' }))}
              points={spend.rows.map((row) => ({
                label: dayName(row.key ?? ''),
                date: row.key ?? '',
                values: categories.map(([category]) =>
                  valueIn(row.categories.find((each) => each.category === category)?.amounts ?? [], currency),
                ),
              }))}
            />
          );
        })}
    </>
  );
};

const Breakdown = ({ spend }: { spend: Spend }): JSX.Element => {
  const text = useText(spendText);
  const { tag } = useLocale();
  const nameOf = useRowNames(spend);
  const shown = spend.by === 'day' ? spend.rows.toReversed().filter(({ messages }) => messages > 0) : spend.rows;
  const amountOf = ({ amounts, charged, free }: Row): string =>
    amounts.length === 0 || charged + free === 0 ? text.noAmount : amountsText(tag, amounts);
  return (
    <ScrolledTable
      name={text[spend.by]}
      columns={[text[spend.by], text.messages, text.free, text.unknown, text.amount]}
      isNumber={(column) => column > 0}
      rows={shown.map((row) => ({
        key: row.key ?? '-',
        cells: [
          <RowName key="name" by={spend.by} id={row.key}>
            {nameOf(row.key)}
          </RowName>,
          formatCount(tag, row.messages),
          formatCount(tag, row.free),
          formatCount(tag, row.unknown),
          amountOf(row),
        ],
      }))}
    />
  );
};

/** A link to what the row is about, where that has a page. */
const RowName = ({ by, id, children }: { by: Spend['by']; id: string | null; children: ReactNode }): JSX.Element => {
  const number = Number(id);
  if (id === null || id === 'other') return <>{children}</>;
  if (by === 'campaign')
    return (
      <Link to="/campaigns/$id" params={{ id: number }}>
        {children}
      </Link>
    );
  if (by === 'number')
    return (
      <Link to="/settings/numbers/$id" params={{ id: number }}>
        {children}
      </Link>
    );
  if (by === 'credential') return <Link to="/developers/tokens">{children}</Link>;
  return <>{children}</>;
};
