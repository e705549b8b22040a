import type { JSX } from 'react';
import { countryName } from '../../components/country.ts';
import { addMoney, moneyText } from '../../components/money.ts';
import { ScrolledTable } from '../../components/plain-table.tsx';
import { CsvButton } from '../../components/table.tsx';
import { formatCount } from '../../components/time.tsx';
import type { Answer } from '../../data/client.ts';
import { campaignsText } from '../../text/campaigns.ts';
import { useLocale, useText } from '../../text/text.ts';

type Cost = NonNullable<Answer<'previewAudience'>['data']['cost']>;

type Country = Cost['countries'][number];

interface CostLineProps {
  cost: Cost | null;
  /** Its template has a max price: the provider charges that or less. */
  isCapped: boolean;
}

/** What a send costs, and behind a press each country; how many recipients have no known price. */
export const CostLine = ({ cost, isCapped }: CostLineProps): JSX.Element | null => {
  const text = useText(campaignsText);
  const { tag } = useLocale();
  if (!cost) return null;
  const { estimate, at_most: most, unknown } = cost;
  const isRange = most !== null && most.amount !== estimate?.amount;
  const words = estimate === null ? text.costUnknown : (isCapped ? text.forAtMost : text.forAbout)(moneyText(tag, estimate));
  const nameOf = (country: string | null): string => countryName(tag, country) ?? text.noCountry;
  const priceOf = (amount: string | null): string =>
    amount === null || !estimate ? text.unknownPrice : moneyText(tag, { amount, currency: estimate.currency }, { isPrice: true });
  // for programs: decimal text with its currency
  const plain = (amount: string | null): string => (amount === null || !estimate ? '' : `${amount} ${estimate.currency}`);
  const file = [
    { name: text.country, value: ({ country }: Country) => nameOf(country) },
    { name: text.recipients, value: ({ recipients }: Country) => recipients },
    { name: text.price, value: ({ price }: Country) => plain(price) },
    { name: text.amount, value: ({ amount }: Country) => plain(amount) },
  ];
  return (
    <div>
      <p>
        <strong>{words}</strong> {isRange && <span className="muted">{text.atMost(moneyText(tag, most))}</span>}
      </p>
      {unknown > 0 && <p className="notice warn">{text.noPriceFor(unknown)}</p>}
      <details>
        <summary>{text.byCountry}</summary>
        <div className="row">
          <span className="grow" />
          <CsvButton name="campaign-cost-by-country" of={text.byCountry} columns={file} rows={cost.countries} />
        </div>
        <ScrolledTable
          name={text.byCountry}
          columns={[text.country, text.recipients, text.price, text.amount]}
          isNumber={(column) => column > 0}
          rows={cost.countries.map(({ country, recipients, price, amount }) => ({
            key: country ?? '-',
            cells: [nameOf(country), formatCount(tag, recipients), priceOf(price), priceOf(amount)],
          }))}
        />
      </details>
    </div>
  );
};

type Between = NonNullable<Answer<'previewAudience'>['data']['between']>;

/** How many get it by the provider's estimate, and for how much. */
export const Expected = ({ between }: { between: Between | null }): JSX.Element | null => {
  const text = useText(campaignsText);
  const { tag } = useLocale();
  if (!between) return null;
  const { recipients_from: from, recipients_to: to, cost_from: least, cost_to: most } = between;
  return <p className="muted">{text.expected(from, to, moneyText(tag, least), moneyText(tag, most))}</p>;
};

export const sumOfExpected = (one: Between, next: Between): Between => ({
  recipients_from: one.recipients_from + next.recipients_from,
  recipients_to: one.recipients_to + next.recipients_to,
  cost_from: addMoney(one.cost_from, next.cost_from),
  cost_to: addMoney(one.cost_to, next.cost_to),
});

/** Of two parts of a preview. */
export const sumOfCosts = (one: Cost, next: Cost): Cost => {
  const sum = (first: Cost['estimate'], second: Cost['estimate']): Cost['estimate'] =>
    first && second ? addMoney(first, second) : (first ?? second);
  const countries = new Map(one.countries.map((each) => [each.country, each]));
  for (const each of next.countries) {
    const known = countries.get(each.country);
    const currency = one.estimate?.currency ?? '';
    const amount =
      known?.amount != null && each.amount !== null
        ? addMoney({ amount: known.amount, currency }, { amount: each.amount, currency }).amount
        : (known?.amount ?? each.amount);
    countries.set(each.country, { ...each, recipients: each.recipients + (known?.recipients ?? 0), amount });
  }
  return {
    ...one,
    estimate: sum(one.estimate, next.estimate),
    at_most: sum(one.at_most, next.at_most),
    known: one.known + next.known,
    unknown: one.unknown + next.unknown,
    countries: [...countries.values()].toSorted((a, b) => b.recipients - a.recipients),
    cards: [...new Set([...one.cards, ...next.cards])],
  };
};
