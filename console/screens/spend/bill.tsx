import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useInspectable } from '../../app/inspected.ts';
import { Button, Empty, State } from '../../components/basics.tsx';
import { useDayName } from '../../components/charts/days.tsx';
import { amountsText, moneyText } from '../../components/money.ts';
import { Page } from '../../components/page.tsx';
import { ScrolledTable } from '../../components/plain-table.tsx';
import { Shown } from '../../components/shown.tsx';
import { CsvButton } from '../../components/table.tsx';
import { formatCount } from '../../components/time.tsx';
import type { Answer } from '../../data/client.ts';
import { formatPhone } from '../../data/phone.ts';
import { read } from '../../data/queries.ts';
import { useMe } from '../../data/session.ts';
import { spendText } from '../../text/spend.ts';
import { useLocale, useText } from '../../text/text.ts';

type Bill = Answer<'getBill'>['data'];
type Account = Bill['accounts'][number];

/** What the provider says it charged for the last seven days, beside our own figure. It is read from the provider only when the page is opened. */
const BillPage = (): JSX.Element => {
  const text = useText(spendText);
  const query = useQuery({ ...read('getBill'), staleTime: Infinity, refetchOnWindowFocus: false });
  useInspectable({ title: text.bill, object: query.data?.data, call: { operation: 'getBill', input: {} } });
  return (
    <Page
      title={text.bill}
      actions={<Button icon="refresh" label={text.billAgain} isSoftDisabled={query.isFetching} onClick={() => void query.refetch()} />}
    >
      <Shown query={query}>
        {({ data }) =>
          data.accounts.length === 0 ? (
            <Empty icon="list" title={text.billNone}>
              <p>{text.billNoneHint}</p>
            </Empty>
          ) : (
            <OfAccounts bill={data} />
          )
        }
      </Shown>
    </Page>
  );
};
export default BillPage;

const OfAccounts = ({ bill: { from, to, accounts } }: { bill: Bill }): JSX.Element => {
  const text = useText(spendText);
  const { tag } = useLocale();
  const dayName = useDayName();
  const { numbers } = useMe();
  const nameOf = ({ waba_id: id, number_ids: ids }: Account): string =>
    numbers
      .filter((number) => ids.includes(number.id))
      .map(({ phone }) => formatPhone(phone))
      .join(', ') || id;
  const ourFigure = ({ ours: { amounts, charged } }: Account): string => {
    if (amounts.length > 0) return amountsText(tag, amounts);
    return charged === 0 ? '–' : text.noAmount;
  };
  return (
    <div className="stack">
      <div className="row">
        <p className="muted grow">{text.billHint(dayName(from), dayName(to))}</p>
        <CsvButton
          name={`bill-${from}-${to}`}
          rows={accounts}
          columns={[
            { name: text.number, value: nameOf },
            { name: text.billTheirs, value: ({ bill }) => bill?.amount?.amount },
            { name: text.billOurs, value: ({ ours }) => ours.amounts.map(({ amount, currency }) => `${amount} ${currency}`).join(' + ') },
            { name: text.billDifference, value: ({ difference_percent: percent }) => percent },
          ]}
        />
      </div>
      <ScrolledTable
        name={text.bill}
        columns={[text.number, text.billTheirs, text.billOurs, text.billCharged, text.billDifference]}
        isNumber={(column) => column === 1 || column === 2 || column === 3}
        rows={accounts.map((account) => ({
          key: account.waba_id,
          cells: [
            nameOf(account),
            account.bill?.amount ? moneyText(tag, account.bill.amount) : '–',
            ourFigure(account),
            account.bill ? text.billCounts(formatCount(tag, account.bill.charged), formatCount(tag, account.ours.charged)) : '–',
            <Difference key="difference" account={account} />,
          ],
        }))}
      />
    </div>
  );
};

/** Whether it is the bill that was to be expected, and where there is none, why. */
const Difference = ({ account: { bill, reason, difference_percent: percent, differs } }: { account: Account }): JSX.Element => {
  const text = useText(spendText);
  const { tag } = useLocale();
  if (!bill) {
    const reasons = { unreachable: text.billUnreachable, refused: text.billRefused, no_currency: text.billNoCurrency };
    return <State look="warn" name={reason ? reasons[reason] : text.billUnreachable} />;
  }
  const words =
    percent === null
      ? text.billOnlyTheirs
      : new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 2, signDisplay: 'exceptZero' }).format(Number(percent) / 100);
  return <State look={differs ? 'bad' : undefined} name={words} />;
};
