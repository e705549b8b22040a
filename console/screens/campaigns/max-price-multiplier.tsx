import type { JSX } from 'react';
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
export const MaxPriceMultiplier = ({ price, given, onText }: MaxPriceMultiplierProps): JSX.Element => {
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
