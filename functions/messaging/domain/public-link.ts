import { type Refusal, refusalOf } from '../../../shared/runtime/fetch.ts';

/**
 * What is wrong with an address that the provider is to fetch a file from. It may be http, which the provider takes and we do not fetch
 * ourselves; where it may lead is the same for both.
 */
export const linkRefusal = (address: string): Refusal | undefined =>
  refusalOf(address) === 'not_https' ? refusalOf(address.replace(/^http:/i, 'https:')) : refusalOf(address);

export const isPublicLink = (address: string): boolean => linkRefusal(address) === undefined;
