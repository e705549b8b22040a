import { useQuery } from '@tanstack/react-query';
import { countryName } from '../../components/country.ts';
import { moneyText } from '../../components/money.ts';
import { read } from '../../data/queries.ts';
import { templatesText } from '../../text/templates.ts';
import { useLocale, useText } from '../../text/text.ts';

const categories = ['marketing', 'utility', 'authentication'] as const;
const staleTime = 5 * 60_000;

/** What one message of a category costs where the company's own number is from; undefined where no card prices it. */
export const useCost = (category: string): string | undefined => {
  const text = useText(templatesText);
  const { tag } = useLocale();
  const numbers = useQuery({ ...read('listNumbers'), staleTime }).data?.data;
  const phone = numbers?.find(({ status }) => status === 'active')?.phone ?? '';
  const known = categories.find((each) => each === category.toLowerCase());
  const first = useQuery({
    ...read('getRate', { query: { phone, category: known ?? 'utility' } }),
    enabled: phone !== '' && known !== undefined,
    staleTime,
    retry: false,
  });
  // a number of no country, or cards of several currencies: then the reader's own country, and the card that is looked at first
  const isOpen = first.isError || (first.isSuccess && first.data.data.price === null);
  const cards = useQuery({ ...read('listRates'), enabled: isOpen, staleTime }).data?.data;
  const currency = cards?.find(({ state }) => state === 'in_force')?.currency;
  const country = first.data?.data.country ?? new Intl.Locale(tag).maximize().region ?? '';
  const second = useQuery({
    ...read('getRate', { query: { country, category: known ?? 'utility', ...(currency === undefined ? {} : { currency }) } }),
    enabled: isOpen && currency !== undefined && country !== '',
    staleTime,
    retry: false,
  });
  const rate = isOpen ? second.data?.data : first.data?.data;
  if (!rate?.price) return undefined;
  return text.costs(moneyText(tag, rate.price, { isPrice: true }), countryName(tag, rate.country) ?? '–');
};
