import type { StatusPricing } from '../../../shared/contract/status-owner.ts';
import type { StoredRequest } from '../contract/stored.ts';

/** What is stored of the provider's pricing of a code; undefined where it names neither category nor type. Its words are bounded. */
export const toCodePricing = (given: StatusPricing | undefined): StoredRequest['pricing'] => {
  const [category, type] = [wordOf(given?.category), wordOf(given?.type)];
  if (category === undefined && type === undefined) return undefined;
  return { ...(category === undefined ? {} : { category }), ...(type === undefined ? {} : { type }) };
};

const wordOf = (given: string | undefined): string | undefined => given?.toLowerCase().replaceAll('-', '_').slice(0, 40);
