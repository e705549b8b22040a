import { type JSX, useState } from 'react';
import type { Template } from '../../../client/client.ts';
import { TextField } from '../../components/fields.tsx';
import { moneyText } from '../../components/money.ts';
import { campaignsText } from '../../text/campaigns.ts';
import { useLocale, useText } from '../../text/text.ts';
import { multiplierOf } from './multiplier.ts';

interface MaxPriceMultiplierProps {
  price: NonNullable<Template['max_price']>;
  /** As it is typed. */
  given: string;
  onText: (given: string) => void;
}

/** By what the max price of the template is multiplied in this campaign, and what that makes of it. */
const MaxPriceMultiplier = ({ price, given, onText }: MaxPriceMultiplierProps): JSX.Element => {
  const text = useText(campaignsText);
  const { tag } = useLocale();
  const times = multiplierOf(given);
  const amount = Number(price.amount) * (typeof times === 'number' ? times : 1);
  return (
    <TextField
      label={text.multiplier}
      hint={text.multiplierHint(moneyText(tag, { ...price, amount }, { isPrice: true }))}
      inputMode="decimal"
      dir="ltr"
      value={given}
      problem={times === 'wrong' ? text.multiplierWrong : undefined}
      onText={onText}
    />
  );
};

interface Multiplier {
  /** What a call of the API takes of it. */
  body: { max_price_multiplier?: number };
  isWrong: boolean;
  /** Its field, for a template with a max price. */
  field: JSX.Element | undefined;
}

/** By what the max price of the template is multiplied. `first`: of the campaign that is copied. */
export const useMultiplier = (price: Template['max_price'] | undefined, first: number | null | undefined): Multiplier => {
  const [given, setGiven] = useState(first == null ? '' : String(first));
  if (price == null) return { body: {}, isWrong: false, field: undefined };
  const times = multiplierOf(given);
  return {
    body: typeof times === 'number' ? { max_price_multiplier: times } : {},
    isWrong: times === 'wrong',
    field: <MaxPriceMultiplier price={price} given={given} onText={setGiven} />,
  };
};
