import type { JSX, ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useInspectable } from '../../app/inspected.ts';
import { Button, Empty } from '../../components/basics.tsx';
import { Bars } from '../../components/charts/bars.tsx';
import { FilterSelect } from '../../components/fields.tsx';
import { amountsText, type Money } from '../../components/money.ts';
import { Facts, Page } from '../../components/page.tsx';
import { ScrolledTable } from '../../components/plain-table.tsx';
import { Shown } from '../../components/shown.tsx';
import { formatCount, productNow } from '../../components/time.tsx';
import { api, type Answer } from '../../data/client.ts';
import { download } from '../../data/download.ts';
import { useWrite } from '../../data/forms.ts';
import { read } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { useMay } from '../../data/session.ts';
import { spendText } from '../../text/spend.ts';
import { useLocale, useText } from '../../text/text.ts';
import { dayName, useCategoryNames, useRowNames } from './spend-words.ts';

type Spend = Answer<'getSpend'>['data'];
type Row = Spend['rows'][number];

const ranges = ['7', '30', '90'] as const;
const breakdowns = ['country', 'category', 'campaign', 'number', 'credential', 'profile', 'day'] as const;
const dayMs = 86_400_000;
const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** What messages cost: today, this month, by day and category, and broken down. */
const Overview = (): JSX.Element => {
  const text = useText(spendText);
  const [range, setRange] = useFilter('days');
  const [by = 'country', setBy] = useFilter('by');
  const days = Number(ranges.find((each) => each === range) ?? '30');
  const today = dateOf(productNow());
  const input = { query: { from: dateOf(Date.parse(today) - (days - 1) * dayMs), to: today, by: 'day' as const } };
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
      actions={
        <Button
          icon="download"
          label={text.export}
          isSoftDisabled={save.isPending}
          onClick={() => save.run({ from: input.query.from, to: today })}
        />
      }
      filters={
        <FilterSelect
          label={text.range}
          value={String(days)}
          choices={ranges.map((each) => [each, text.lastDays(Number(each))] as const)}
          onText={(value) => setRange(value === '30' ? '' : value)}
        />
      }
    >
      <Shown query={query}>
        {({ data }) =>
          data.totals.messages === 0 ? (
            <Empty icon="chart" title={text.none}>
              <p>{text.noneHint}</p>
            </Empty>
          ) : (
            <>
              <Figures spend={data} month={month.data?.data} today={today} />
              <Missing count={data.totals.unknown} />
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
            </>
          )
        }
      </Shown>
    </Page>
  );
};
export default Overview;

const Figures = ({ spend, month, today }: { spend: Spend; month: Spend | undefined; today: string }): JSX.Element => {
  const text = useText(spendText);
  const { tag } = useLocale();
  const amounts = (given: readonly Money[] | undefined): string => (given && given.length > 0 ? amountsText(tag, given) : '–');
  return (
    <Facts
      facts={[
        [text.today, amounts(spend.rows.find(({ key }) => key === today)?.amounts)],
        [text.thisMonth, amounts(month?.totals.amounts)],
        [text.expected, amounts(month && expectedOf(month, spend, today))],
        [text.inRange, amounts(spend.totals.amounts)],
        [text.messages, formatCount(tag, spend.totals.messages)],
        spend.totals.free === 0 ? undefined : [text.free, formatCount(tag, spend.totals.free)],
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
    return { amount: (Number(amount) + paced * daysLeft).toFixed(2), currency };
  });
};

/** Where prices are missing: how many messages it is about, and who mends it how. */
const Missing = ({ count }: { count: number }): JSX.Element | null => {
  const text = useText(spendText);
  const mayMend = useMay('admin');
  if (count === 0) return null;
  return (
    <p className="notice warn" role="status">
      {text.missing(count)} {mayMend ? text.missingAdmin : text.missingOthers} <Link to="/spend/rates">{text.toRates}</Link>
    </p>
  );
};

const valueIn = (amounts: readonly Money[], currency: string): number =>
  Number(amounts.find((each) => each.currency === currency)?.amount ?? 0);

const colours = [1, 2, 3, 4, 'warn', 'rest'] as const;

/** Bars of one currency; another one has bars of its own. */
const ByDay = ({ spend }: { spend: Spend }): JSX.Element => {
  const text = useText(spendText);
  const { tag } = useLocale();
  const nameOf = useCategoryNames();
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
              summary={amountsText(tag, [total])}
              unit={` ${currency}`}
              series={categories.map(([category], nth) => ({ name: nameOf(category), colour: colours[nth] ?? 'rest' }))}
              points={spend.rows.map((row) => ({
                label: dayName(tag, row.key ?? '', { day: 'numeric', month: 'short' }),
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
