import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { InboxReport, Usage } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Button, Empty } from '../../components/basics.tsx';
import { Bars } from '../../components/charts/bars.tsx';
import { useDayName, useDays } from '../../components/charts/days.tsx';
import { Figures } from '../../components/charts/figures.tsx';
import { useNumber } from '../../components/charts/frame.tsx';
import { Icon } from '../../components/icons.tsx';
import { amountsText, type Money } from '../../components/money.ts';
import { Page } from '../../components/page.tsx';
import { PlainTable } from '../../components/plain-table.tsx';
import { Shown } from '../../components/shown.tsx';
import { CsvButton } from '../../components/table.tsx';
import { useNow } from '../../components/time.tsx';
import { read } from '../../data/queries.ts';
import { useMay, useUsers } from '../../data/session.ts';
import { homeText } from '../../text/home.ts';
import { useLocale, useText } from '../../text/text.ts';
import { useDuration } from './duration.ts';
import { HourGrid } from './hour-grid.tsx';
import { needsOf } from './needs.ts';
import { UnderWay } from './under-way.tsx';
import './home.css';

/** How it goes: what waits for a user now, then the figures of the last days. */
const Home = (): JSX.Element => {
  const text = useText(homeText);
  const days = useDays([7, 30, 90], 7);
  const [now, before] = [{ query: days.range }, { query: days.before }];
  const report = useQuery(read('getInboxReport', now));
  const past = useQuery(read('getInboxReport', before)).data?.data;
  const usage = useQuery(read('getUsage', now)).data?.data;
  const usedBefore = useQuery(read('getUsage', before)).data?.data;
  const spent = useQuery(read('getSpend', { query: { ...days.range, by: 'day' } })).data?.data.totals.amounts;
  const spentBefore = useQuery(read('getSpend', { query: { ...days.before, by: 'day' } })).data?.data.totals.amounts;
  useInspectable({ title: text.home, object: report.data?.data, call: { operation: 'getInboxReport', input: now } });
  return (
    <Page
      title={text.home}
      actions={<CsvButton name={`inbox-${now.query.from}-${now.query.to}`} columns={csvColumns} rows={report.data?.data.days ?? []} />}
      filters={days.filter}
    >
      <div className="home report">
        <NeedsYou />
        <UnderWay />
        <Shown query={report}>
          {({ data }) => (
            <>
              <KeyFigures report={data} past={past} usage={usage} usedBefore={usedBefore} spent={spent} spentBefore={spentBefore} />
              <Charts report={data} usage={usage} />
            </>
          )}
        </Shown>
      </div>
    </Page>
  );
};
export default Home;

const teamColumns = (['answered', 'median_answer_seconds', 'closed', 'median_close_seconds'] as const).map((name) => ({
  name,
  value: (row: InboxReport['users'][number]) => row[name],
}));

const csvColumns = (['date', 'answered', 'median_answer_seconds', 'closed', 'median_close_seconds'] as const).map((name) => ({
  name,
  value: (row: InboxReport['days'][number]) => row[name] ?? '',
}));

/** What waits for this user, of all areas. What cannot be read of one hides nothing of the others. */
const NeedsYou = (): JSX.Element => {
  const text = useText(homeText);
  const now = useNow();
  const number = useNumber();
  const since = useDuration(text);
  const mayManage = useMay('admin');
  const endpoints = useQuery({ ...read('listWebhooks'), enabled: mayManage });
  const waiting = useQuery(read('listConversations', { query: { view: 'open', waiting: true, limit: 100 } }));
  const numbers = useQuery(read('listNumbers'));
  const refused = useQuery(read('listTemplates', { query: { status: 'REJECTED', limit: 20 } }));
  const paused = useQuery(read('listTemplates', { query: { status: 'PAUSED', limit: 20 } }));
  const tasks = useQuery(read('listTasks', { query: { status: 'pending', overdue: true, mine: true, limit: 100 } }));
  const campaigns = useQuery(read('listCampaigns', { query: { limit: 50 } }));
  const ceilings = useQuery(read('getCeilings'));
  const all = [waiting, numbers, refused, paused, tasks, campaigns, ceilings, ...(mayManage ? [endpoints] : [])];
  const isFailed = all.some(({ error, data }) => error !== null && data === undefined);
  const isRead = all.every(({ data }) => data !== undefined);
  const pageOf = <T,>(page: { data: T[]; meta: { next_cursor: string | null } } | undefined) =>
    page && { rows: page.data, hasMore: page.meta.next_cursor !== null };
  const needs = needsOf(
    {
      waiting: pageOf(waiting.data),
      endpoints: endpoints.data?.data,
      numbers: numbers.data?.data,
      templates: [...(refused.data?.data ?? []), ...(paused.data?.data ?? [])],
      tasks: pageOf(tasks.data),
      campaigns: campaigns.data?.data,
      ceilings: ceilings.data?.data,
    },
    now,
    text,
    { count: number, since },
  );
  return (
    <section className="stack" aria-label={text.needsYou}>
      <h2>{text.needsYou}</h2>
      {isFailed && (
        <p className="row muted" role="status">
          <span className="grow">{text.notAllRead}</span>
          <Button small icon="refresh" label={text.retry} onClick={() => all.forEach((query) => void query.refetch())} />
        </p>
      )}
      {needs.length > 0 && (
        <ul className="needs">
          {needs.map(({ id, icon, isUrgent, words, link }) => (
            <li key={id}>
              <Link {...link} data-is-urgent={isUrgent || undefined}>
                <Icon name={icon} />
                <span className="grow" dir="auto">
                  {words}
                </span>
                <Icon name="right" />
              </Link>
            </li>
          ))}
        </ul>
      )}
      {needs.length === 0 && isRead && (
        <p className="needs-none">
          <Icon name="check" />
          {text.nothingWaits}
        </p>
      )}
      {needs.length === 0 && !isRead && !isFailed && <div className="skeleton" style={{ height: 44 }} />}
    </section>
  );
};

const messagesIn = (usage: Usage | undefined): number | undefined => usage?.totals.messages.reduce((sum, { count }) => sum + count, 0);

interface KeyFiguresProps {
  report: InboxReport;
  past: InboxReport | undefined;
  usage: Usage | undefined;
  usedBefore: Usage | undefined;
  spent: readonly Money[] | undefined;
  spentBefore: readonly Money[] | undefined;
}

/** Five figures, each beside that of as many days before. */
const KeyFigures = ({ report, past, usage, usedBefore, spent, spentBefore }: KeyFiguresProps): JSX.Element => {
  const text = useText(homeText);
  const { tag } = useLocale();
  const number = useNumber();
  const duration = useDuration(text);
  const timed = (seconds: number | null | undefined): string | undefined =>
    typeof seconds === 'number' ? duration(seconds * 1_000) : undefined;
  const counted = (count: number | undefined): string | undefined => (count === undefined ? undefined : number(count));
  const amounts = (given: readonly Money[] | undefined): string | undefined =>
    given && given.length > 0 ? amountsText(tag, given) : undefined;
  const figures = [
    [text.firstAnswer, timed(report.totals.median_answer_seconds), timed(past?.totals.median_answer_seconds)],
    [text.answers, counted(report.totals.answered), counted(past?.totals.answered)],
    [text.closed, counted(report.totals.closed), counted(past?.totals.closed)],
    [text.sent, counted(messagesIn(usage)), counted(messagesIn(usedBefore))],
    [text.spent, amounts(spent), amounts(spentBefore)],
  ] as const;
  return (
    <Figures
      figures={figures.map(([name, value, before]) => ({
        name,
        value: value ?? '–',
        note: before === undefined ? text.nothingBefore : text.before(before),
      }))}
    />
  );
};

const Charts = ({ report, usage }: { report: InboxReport; usage: Usage | undefined }): JSX.Element => {
  const text = useText(homeText);
  const duration = useDuration(text);
  const dayName = useDayName();
  const { totals, days } = report;
  const hasReport = totals.answered + totals.closed > 0;
  return (
    <>
      {hasReport ? (
        <div className="charts">
          <div className="whole">
            <Bars
              title={text.answersADay}
              axis={text.day}
              summary={totals.slow_answer_seconds === null ? undefined : text.slowest(duration(totals.slow_answer_seconds * 1_000))}
              series={[
                { name: text.answered, colour: 1 },
                { name: text.closed, colour: 2 },
              ]}
              points={days.map(({ date, answered, closed }) => ({ label: dayName(date), date, values: [answered, closed] }))}
            />
          </div>
          <HourGrid report={report} />
          {usage && (messagesIn(usage) ?? 0) > 0 && (
            <Bars
              title={text.messagesADay}
              axis={text.day}
              series={[
                { name: text.delivered, colour: 1 },
                { name: text.failed, colour: 'bad' },
              ]}
              points={usage.days.map(({ date, messages }) => ({
                label: dayName(date),
                date,
                values: (['delivered', 'failed'] as const).map((status) =>
                  messages.reduce((sum, row) => sum + (row.status === status ? row.count : 0), 0),
                ),
              }))}
            />
          )}
        </div>
      ) : (
        <Empty icon="chart" title={text.noReport}>
          <p>{text.noReportHint}</p>
        </Empty>
      )}
      {report.users.length > 0 && <Team report={report} />}
    </>
  );
};

/** Who answered and closed, most answers first; a name leads to what that user takes care of. */
const Team = ({ report }: { report: InboxReport }): JSX.Element => {
  const text = useText(homeText);
  const number = useNumber();
  const duration = useDuration(text);
  const users = useUsers();
  const nameOf = ({ user_id: id }: Pick<InboxReport['users'][number], 'user_id'>): string =>
    id === null ? text.programs : (users.find((user) => user.id === id)?.name ?? text.former);
  const timed = (seconds: number | null): string => (seconds === null ? '–' : duration(seconds * 1_000));
  return (
    <section className="stack">
      <div className="row">
        <h2 className="grow">{text.team}</h2>
        <CsvButton name="team" of={text.team} rows={report.users} columns={[{ name: text.user, value: nameOf }, ...teamColumns]} />
      </div>
      <div className="table-wrap">
        <PlainTable
          name={text.team}
          columns={[text.user, text.answers, text.firstAnswer, text.closed, text.timeToClose]}
          isNumber={(column) => column > 0}
          rows={report.users.map(({ user_id: id, answered, median_answer_seconds: answer, closed, median_close_seconds: close }) => ({
            key: String(id),
            cells: [
              id === null ? (
                text.programs
              ) : (
                <Link to="/inbox" search={{ user: id }}>
                  <span dir="auto">{nameOf({ user_id: id })}</span>
                </Link>
              ),
              number(answered),
              timed(answer),
              number(closed),
              timed(close),
            ],
          }))}
        />
      </div>
    </section>
  );
};
