import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { amountText } from '../../components/amount.ts';
import { Button } from '../../components/basics.tsx';
import { countryName } from '../../components/country.ts';
import { amountsText, type Money } from '../../components/money.ts';
import { ScrolledTable } from '../../components/plain-table.tsx';
import { Shown } from '../../components/shown.tsx';
import { formatCount } from '../../components/time.tsx';
import type { Answer } from '../../data/client.ts';
import { csvOf } from '../../data/csv.ts';
import { download } from '../../data/download.ts';
import { read } from '../../data/queries.ts';
import { spendText } from '../../text/spend.ts';
import { useLocale, useText } from '../../text/text.ts';
import { verificationText } from '../../text/verification.ts';
import { MissingPrices } from '../../components/missing-prices.tsx';
import { type CostPerUser, type CountryRow, countryRows, unknownCountry } from './cost-by-country.ts';

interface Of {
  range: { from: string; to: string };
  profile: string | undefined;
}

/** Users verified over WhatsApp by the country of their phone, and what their codes cost: each user of the console may read what was spent. */
export const ByCountry = ({ range, profile }: Of): JSX.Element => {
  const of = { ...range, by: 'country' as const, ...(profile === undefined ? {} : { profile_id: profile }) };
  const report = useQuery(read('getVerificationReport', { query: of }));
  const spend = useQuery(read('getSpend', { query: { ...of, only: 'codes' } }));
  return (
    <Shown query={report}>
      {({ data: lines }) => <Shown query={spend}>{({ data }) => <Countries lines={lines} spend={data} />}</Shown>}
    </Shown>
  );
};

interface CountriesProps {
  lines: Answer<'getVerificationReport'>['data'];
  spend: Answer<'getSpend'>['data'];
}

const Countries = ({ lines, spend }: CountriesProps): JSX.Element | null => {
  const text = useText(verificationText);
  const { rows, total, uncounted } = countryRows(lines, spend);
  const columns = useColumns();
  if (rows.length === 0) return null;
  const shown = [...rows, total];
  const file = (): string =>
    csvOf(
      columns.map(({ name, csv }) => ({ name, value: csv })),
      shown,
    );
  return (
    <section className="stack">
      <div className="row">
        <h2 className="grow">{text.byCountry}</h2>
        <Button icon="download" label={text.csvByCountry} onClick={() => download('verification-by-country.csv', file())} />
      </div>
      <p className="muted">{text.costHint}</p>
      <MissingPrices count={spend.totals.unknown} />
      {uncounted > 0 && <p className="muted">{text.uncounted(uncounted)}</p>}
      <ScrolledTable
        name={text.byCountry}
        columns={columns.map(({ name }) => name)}
        isNumber={(column) => column > 0}
        rows={shown.map((row) => ({ key: row.country ?? '-', cells: columns.map(({ value }) => value(row)) }))}
      />
    </section>
  );
};

interface Column {
  name: string;
  /** As the page shows it. */
  value: (row: CountryRow) => JSX.Element | string;
  csv: (row: CountryRow) => string | number;
}

const useColumns = (): Column[] => {
  const [text, ofSpend] = [useText(verificationText), useText(spendText)];
  const { tag } = useLocale();
  const nameOf = ({ country }: CountryRow): string => {
    if (country === null) return text.together;
    return country === unknownCountry ? ofSpend.noneOf : countryName(tag, country);
  };
  const counted = (name: string, of: (row: CountryRow) => number): Column => ({ name, value: (row) => formatCount(tag, of(row)), csv: of });
  const costOf = ({ amounts, codes, priced }: CountryRow, words: (given: readonly Money[]) => string): string => {
    if (codes === 0) return '–';
    return amounts.length === 0 || priced === 0 ? ofSpend.noAmount : words(amounts);
  };
  const perUser = (cost: CostPerUser, words: (given: readonly Money[]) => string): string => {
    if (cost === 'unknown') return ofSpend.noAmount;
    return typeof cost === 'string' ? '–' : words(cost.amounts);
  };
  const ofUser: Column = {
    name: text.costPerUser,
    value: (row) => perUser(row.perUser, (amounts) => amounts.map((each) => precise(tag, each)).join(' + ')),
    csv: (row) => perUser(row.perUser, plain),
  };
  const ofCodes: Column = {
    name: text.cost,
    value: (row) => costOf(row, (amounts) => amountsText(tag, amounts)),
    csv: (row) => costOf(row, plain),
  };
  // what a narrow page shows of a table is its first columns
  return [
    { name: ofSpend.country, value: (row) => (row.country === null ? <strong>{nameOf(row)}</strong> : nameOf(row)), csv: nameOf },
    counted(text.verifiedUsers, ({ verified }) => verified),
    ofUser,
    counted(text.requests, ({ requested }) => requested),
    counted(text.codes, ({ codes }) => codes),
    ofCodes,
  ];
};

/** For programs: decimal text with its currency. */
const plain = (amounts: readonly Money[]): string => amounts.map(({ amount, currency }) => `${amount} ${currency}`).join(' + ');

/** A code costs a few hundredths: two digits more than an amount has, and all of what is less than a hundredth. */
const precise = (tag: string, { amount, currency }: Money): string => {
  const value = Number(amount);
  return amountText(tag, value, currency, { maximumFractionDigits: value > 0 && value < 0.01 ? 6 : 4 });
};
