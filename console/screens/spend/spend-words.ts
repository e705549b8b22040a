import { useQuery } from '@tanstack/react-query';
import { dayName } from '../../components/charts/days.tsx';
import { countryName } from '../../components/country.ts';
import type { Answer } from '../../data/client.ts';
import { read } from '../../data/queries.ts';
import { useMe } from '../../data/session.ts';
import { spendText } from '../../text/spend.ts';
import { useLocale, useText } from '../../text/text.ts';

/** The categories of the provider in the reader's words. */
export const useCategoryNames = (): ((category: string) => string) => {
  const text = useText(spendText);
  const names: Readonly<Record<string, string>> = {
    marketing: text.marketing,
    marketing_lite: text.marketingLite,
    utility: text.utility,
    authentication: text.authentication,
    authentication_international: text.authenticationInternational,
    service: text.service,
    referral_conversion: text.referral,
    other: text.rest,
    unknown: text.noAmount,
  };
  return (category) => names[category] ?? category;
};

/** What a row of a breakdown stands for, in the reader's words. */
export const useRowNames = ({ by }: Pick<Answer<'getSpend'>['data'], 'by'>): ((key: string | null) => string) => {
  const text = useText(spendText);
  const { tag } = useLocale();
  const nameOfCategory = useCategoryNames();
  const { numbers } = useMe();
  const tokens = useQuery({ ...read('listTokens', { query: { all: true } }), enabled: by === 'credential' }).data?.data ?? [];
  const campaigns = useQuery({ ...read('listCampaigns', { query: { limit: 100 } }), enabled: by === 'campaign' }).data?.data ?? [];
  const nameOf = (key: string): string | undefined => {
    switch (by) {
      case 'day':
        return dayName(tag, key, { dateStyle: 'medium' });
      case 'country':
        return countryName(tag, key);
      case 'category':
        return nameOfCategory(key);
      case 'number':
        return numbers.find(({ id }) => String(id) === key)?.phone;
      case 'credential':
        return tokens.find(({ id }) => String(id) === key)?.name;
      case 'campaign':
        return campaigns.find(({ id }) => String(id) === key)?.name;
      case 'profile':
        return undefined;
    }
  };
  return (key) => {
    if (key === null) return text.noneOf;
    if (key === 'other' && by !== 'category') return text.other;
    return nameOf(key) || `${text[by]} ${key}`;
  };
};
