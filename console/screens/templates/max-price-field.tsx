import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Template } from '../../../client/client.ts';
import { bidCurrencies } from '../../../functions/templates/domain/bid.ts';
import { SelectField, TextField } from '../../components/fields.tsx';
import { Section } from '../../components/page.tsx';
import { read } from '../../data/queries.ts';
import { templatesText } from '../../text/templates.ts';
import { useText } from '../../text/text.ts';
import type { Building } from './builder-parts.tsx';

interface MaxPriceFieldProps {
  building: Building;
  changing: Template | undefined;
}

/** The most that one message of marketing may cost: set when the template is made, and changed where it was. */
export const MaxPriceField = ({ building, changing }: MaxPriceFieldProps): JSX.Element | null => {
  const { draft, change, problemOf } = building;
  const text = useText(templatesText);
  const { data, isPending } = useQuery({ ...read('listRates'), enabled: !changing });
  if (draft.category !== 'MARKETING' || (isPending && !changing)) return null;
  if (changing && changing.max_price === null) return <p className="muted">{text.maxPriceNotAdded}</p>;
  // a company that has a card is charged in its currency
  const ofCards = (data?.data ?? []).filter(({ state }) => state === 'in_force').map(({ currency }) => currency);
  const currencies = [...new Set([...ofCards.filter((each) => bidCurrencies.includes(each)), ...bidCurrencies])];
  const currency = draft.currency || (currencies[0] ?? '');
  return (
    <Section title={text.maxPrice} hint={changing ? text.maxPriceChangeHint : text.maxPriceHint}>
      <TextField
        label={changing ? text.maxPriceIn(currency) : text.maxPriceAmount}
        inputMode="decimal"
        dir="ltr"
        value={draft.maxPrice}
        problem={problemOf('max_price.amount', draft.maxPrice)}
        onText={(maxPrice) => change({ maxPrice, currency })}
      />
      {!changing && (
        <SelectField
          label={text.currency}
          value={currency}
          problem={problemOf('max_price.currency', draft.maxPrice)}
          choices={currencies.map((each) => [each, each])}
          onText={(chosen) => change({ currency: chosen })}
        />
      )}
    </Section>
  );
};
