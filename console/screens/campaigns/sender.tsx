import { type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { SelectField } from '../../components/fields.tsx';
import { formatPhone } from '../../data/phone.ts';
import { read } from '../../data/queries.ts';
import { campaignsText } from '../../text/campaigns.ts';
import { useText } from '../../text/text.ts';

interface Sender {
  /** Whether the numbers were read, or cannot be. */
  isRead: boolean;
  /** Undefined: the company's own choice, which is its default number. */
  numberId: number | undefined;
  /** The phone that the customers see; undefined while it is read, or where there is none. */
  phone: string | undefined;
  /** The choice, where there is one. */
  field: JSX.Element | undefined;
}

/** From which number of the company it is sent. */
export const useSender = (first: number | null | undefined): Sender => {
  const text = useText(campaignsText);
  const [chosen, setChosen] = useState(first == null ? '' : String(first));
  const { data, isPending } = useQuery({ ...read('listNumbers'), staleTime: 5 * 60_000 });
  const numbers = (data?.data ?? []).filter(({ status }) => status === 'active');
  const number = numbers.find(({ id }) => String(id) === chosen) ?? numbers.find(({ is_default: isDefault }) => isDefault) ?? numbers[0];
  return {
    isRead: !isPending,
    numberId: numbers.find(({ id }) => String(id) === chosen)?.id,
    phone: number && formatPhone(number.phone),
    field:
      numbers.length > 1 ? (
        <SelectField
          label={text.fromNumber}
          value={String(number?.id ?? '')}
          choices={numbers.map(({ id, phone }) => [String(id), formatPhone(phone)] as const)}
          onText={setChosen}
        />
      ) : undefined,
  };
};
