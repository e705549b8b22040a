import type { JSX } from 'react';
import { State } from '../../components/basics.tsx';
import { useNumber } from '../../components/charts/frame.tsx';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.ts';

const looks: Readonly<Record<string, 'good' | 'warn' | 'bad'>> = { GREEN: 'good', YELLOW: 'warn', RED: 'bad' };

/** The provider's rating, in its own word. */
export const Quality = ({ quality }: { quality: string }): JSX.Element => {
  const text = useText(settingsText);
  return <State name={looks[quality] === undefined ? text.unknown : quality} look={looks[quality]} />;
};

/** The provider's limit in words: `TIER_250` as 250 new customers. */
export const useLimit = (): ((limit: string | null) => string) => {
  const text = useText(settingsText);
  const number = useNumber();
  return (limit) => {
    const [, digits, thousand] = /^TIER_(\d+)(K?)$/.exec(limit ?? '') ?? [];
    if (digits !== undefined) return text.limitOf(number(Number(digits) * (thousand === 'K' ? 1_000 : 1)));
    return limit === 'TIER_UNLIMITED' ? text.unlimited : (limit ?? text.unknown);
  };
};
