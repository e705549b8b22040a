import { isDisposable } from './disposable.ts';
import { domainOf, type Identifier } from './identifier.ts';
import { isSuspicious } from './prefix.ts';

/** The reasons that make a request risky, each with its part of the score. */
const weights = { recent_sends: 30, many_identifiers: 30, prefix_conversion: 40, disposable_like: 40, data_centre: 30 } as const;
export type RiskReason = keyof typeof weights;

export interface RiskSignals {
  identifier: Identifier;
  /** Messages to the identifier within the bombing window. */
  recentSends: number;
  /** Identifiers that the address requested within the hour; undefined without an address. */
  identifiersOfAddress: number | undefined;
  /** Counts of the number's prefix within the hour; undefined where they were not read. */
  prefix: { requested: number; proven: number } | undefined;
  /** The address belongs to a data centre and is not on the whitelist. */
  isFromDataCentre: boolean;
}

/** A score from 0 to 100, and its reasons. */
export interface Risk {
  score: number;
  reasons: RiskReason[];
}

export const riskOf = ({ identifier, recentSends, identifiersOfAddress, prefix, isFromDataCentre }: RiskSignals): Risk => {
  const reasons: RiskReason[] = [];
  if (recentSends > 0) reasons.push('recent_sends');
  if ((identifiersOfAddress ?? 0) > 5) reasons.push('many_identifiers');
  if (prefix && isSuspicious(prefix.requested, prefix.proven)) reasons.push('prefix_conversion');
  if (identifier.kind === 'email' && isDisposableLike(identifier.value)) reasons.push('disposable_like');
  if (isFromDataCentre) reasons.push('data_centre');
  return {
    score: Math.min(
      100,
      reasons.reduce((sum, reason) => sum + weights[reason], 0),
    ),
    reasons,
  };
};

/** A disposable domain, or a plus address, of which one mailbox has any number. */
const isDisposableLike = (email: string): boolean => isDisposable(domainOf(email)) || email.slice(0, email.lastIndexOf('@')).includes('+');
