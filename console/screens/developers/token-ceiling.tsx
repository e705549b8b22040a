import type { JSX, ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Token, TokenCeiling } from '../../../client/client.ts';
import { amountText } from '../../components/amount.ts';
import type { RowAction } from '../../components/columns.tsx';
import { TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import type { Column } from '../../components/table.tsx';
import { api } from '../../data/client.ts';
import { read, refresh } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { developersText } from '../../text/developers.ts';
import { useLocale, useText } from '../../text/text.ts';

/** The ceilings of tokens in their list: what is left today, and for admins a dialog that sets them. */
export const useTokenCeilings = (
  nameOf: (token: Token) => string,
): { column: Column<Token>; actions: (token: Token, open: (dialog: ReactNode) => void, close: () => void) => readonly RowAction[] } => {
  const text = useText(developersText);
  const isAdmin = useMay('admin');
  const ceilings = useQuery(read('listTokenCeilings')).data?.data;
  const words = useCeilingText();
  const ceilingOf = ({ id }: Token) => ceilings?.find(({ token_id }) => token_id === id);
  return {
    column: {
      id: 'ceiling',
      name: text.ceiling,
      width: 'minmax(6rem, 1fr)',
      value: (token) => words(ceilingOf(token)),
      isExtra: true,
    },
    actions: (token, open, close) => {
      const run = (): void => open(<CeilingDialog id={token.id} name={nameOf(token)} ceiling={ceilingOf(token)} onClose={close} />);
      return isAdmin && ceilings ? [{ id: 'ceiling', label: text.ceiling, icon: 'coins', run }] : [];
    },
  };
};

/** What is left of a ceiling, in words; empty: there is none. */
const useCeilingText = (): ((ceiling: TokenCeiling | undefined) => string) => {
  const text = useText(developersText);
  const { tag } = useLocale();
  return (ceiling) => {
    const { messages = null, spend = null } = ceiling ?? {};
    const count = (value: number): string => new Intl.NumberFormat(tag).format(value);
    const amount = (value: string): string => (spend ? amountText(tag, Number(value), spend.currency) : value);
    return [
      ...(messages ? [text.ceilingMessagesLeft(count(messages.left), count(messages.limit))] : []),
      ...(spend ? [text.ceilingLeft(amount(spend.left), amount(spend.limit))] : []),
    ].join(' · ');
  };
};

interface CeilingDialogProps {
  id: number;
  name: string;
  ceiling: TokenCeiling | undefined;
  onClose: () => void;
}

/** Sets the ceiling of a token; with both limits empty it is removed. */
const CeilingDialog = ({ id, name, ceiling, onClose }: CeilingDialogProps): JSX.Element => {
  const text = useText(developersText);
  const { messages = null, spend = null } = ceiling ?? {};
  const { field, problem, submitting } = useForm(
    { messages: messages === null ? '' : String(messages.limit), amount: spend?.limit ?? '', currency: spend?.currency ?? 'EUR' },
    async (values, call) => {
      const [most, amount, currency] = [values.messages.trim(), values.amount.trim(), values.currency.trim().toUpperCase()];
      if (most === '' && amount === '' && ceiling) return api.deleteTokenCeiling({ params: { id } }, call);
      const body = { messages: most === '' ? null : Number(most), spend: amount === '' ? null : { amount, currency } };
      return api.setTokenCeiling({ params: { id }, body }, call);
    },
    () => {
      void refresh('listTokenCeilings');
      onClose();
    },
  );
  return (
    <FormDialog {...submitting} title={text.ceilingTitle(name)} onClose={onClose}>
      <p className="muted">{text.ceilingText}</p>
      <TextField label={text.ceilingMessages} hint={text.ceilingEmpty} {...field('messages')} type="number" min={0} />
      <TextField
        label={text.ceilingAmount}
        hint={text.ceilingEmpty}
        {...field('amount')}
        problem={problem('spend.amount')}
        inputMode="decimal"
      />
      <TextField label={text.ceilingCurrency} {...field('currency')} problem={problem('spend.currency')} maxLength={3} />
    </FormDialog>
  );
};
