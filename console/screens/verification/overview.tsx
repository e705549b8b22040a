import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Answer } from '../../data/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Empty } from '../../components/basics.tsx';
import { Bars } from '../../components/charts/bars.tsx';
import { type Days, useDayName, useDays } from '../../components/charts/days.tsx';
import { Figures } from '../../components/charts/figures.tsx';
import { useNumber } from '../../components/charts/frame.tsx';
import { Funnel } from '../../components/charts/funnel.tsx';
import { StackedProgress } from '../../components/charts/progress.tsx';
import { Page } from '../../components/page.tsx';
import { Shown } from '../../components/shown.tsx';
import { CsvButton } from '../../components/table.tsx';
import { read } from '../../data/queries.ts';
import { verificationText } from '../../text/verification.ts';
import { useText } from '../../text/text.ts';
import { ByCountry } from './by-country.tsx';
import { ByReason } from './by-reason.tsx';
import { useProfiles } from './profiles.tsx';
import './verification.css';

type Day = Answer<'getVerificationReport'>['data'][number];
type Count = 'requested' | 'verified' | 'failed' | 'expired' | 'blocked';

const sum = (days: readonly Day[], what: Count): number => days.reduce((total, day) => total + day[what], 0);

/** How many of those who requested a code gave it, by the day on which that ended, and where the others were lost. */
const Overview = (): JSX.Element => {
  const text = useText(verificationText);
  const days = useDays([7, 30, 90]);
  const { profile, filter } = useProfiles();
  const input = { query: { ...days.range, by: 'channel' as const, ...(profile === undefined ? {} : { profile_id: profile }) } };
  const query = useQuery(read('getVerificationReport', input));
  useInspectable({ title: text.overview, call: { operation: 'getVerificationReport', input } });
  const rows = query.data?.data ?? [];
  const counts = (['requested', 'verified', 'failed', 'expired', 'blocked'] as const).map((what) => ({
    name: text[what],
    value: (day: Day) => day[what],
  }));
  return (
    <Page
      title={text.overview}
      actions={
        <CsvButton
          name="verification"
          columns={[
            { name: text.day, value: ({ date }: Day) => date },
            { name: text.channel, value: ({ channel }: Day) => channel },
            ...counts,
          ]}
          rows={rows}
        />
      }
      filters={
        <>
          {days.filter}
          {filter}
        </>
      }
    >
      <Shown query={query}>
        {({ data }) =>
          sum(data, 'requested') === 0 ? (
            <Empty icon="shield" title={text.noneEnded}>
              <p>{text.noneEndedHint}</p>
              <Link to="/verification/requests">{text.requests}</Link>
            </Empty>
          ) : (
            <div className="report">
              <Charts rows={data} dates={days.dates} profile={profile} />
              {sum(data, 'failed') + sum(data, 'blocked') > 0 && <ByReason range={days.range} profile={profile} />}
              <ByCountry range={days.range} profile={profile} />
            </div>
          )
        }
      </Shown>
    </Page>
  );
};
export default Overview;

type ChartsProps = { rows: readonly Day[]; dates: Days['dates']; profile: string | undefined };

const Charts = ({ rows, dates, profile }: ChartsProps): JSX.Element => {
  const ofProfile = profile === undefined ? {} : { in: profile };
  const text = useText(verificationText);
  const number = useNumber();
  const dayName = useDayName();
  const ends = ['verified', 'failed', 'expired', 'blocked'] as const;
  return (
    <>
      <Figures
        figures={(['requested', ...ends] as const).map((what) => ({
          name: text[what],
          value: number(sum(rows, what)),
          note: what === 'requested' ? undefined : number(sum(rows, what) / sum(rows, 'requested'), 'percent'),
        }))}
      />
      <div className="charts">
        <div className="whole">
          <Bars
            title={text.byDay}
            axis={text.day}
            summary={text.share(number(sum(rows, 'verified') / sum(rows, 'requested'), 'percent'))}
            series={[
              { name: text.verified, colour: 1 },
              { name: text.failed, colour: 'bad' },
              { name: text.expired, colour: 4 },
              { name: text.blocked, colour: 'warn' },
            ]}
            points={dates.map((date) => ({
              label: dayName(date),
              date,
              link: { to: '/verification/requests', search: { day: date, ...ofProfile } },
              values: ends.map((what) =>
                sum(
                  rows.filter((row) => row.date === date),
                  what,
                ),
              ),
            }))}
          />
        </div>
        <StackedProgress
          title={text.byChannel}
          axis={text.channel}
          summary={text.requested}
          parts={(['whatsapp', 'email'] as const).map((channel, nth) => ({
            name: channel === 'email' ? text.email : 'WhatsApp',
            colour: nth === 0 ? 1 : 4,
            value: sum(
              rows.filter((row) => row.channel === channel),
              'requested',
            ),
          }))}
        />
        <Funnel
          title={text.steps}
          axis={text.step}
          steps={[
            { name: text.requested, value: sum(rows, 'requested'), link: { to: '/verification/requests', search: ofProfile } },
            {
              name: text.verified,
              value: sum(rows, 'verified'),
              link: { to: '/verification/requests', search: { status: 'verified', ...ofProfile } },
            },
          ]}
        />
      </div>
    </>
  );
};
