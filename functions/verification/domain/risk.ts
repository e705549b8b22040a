import { isDisposable } from './disposable.ts';
import { domainOf, type Identifier } from './identifier.ts';
import { isSuspicious } from './prefix.ts';

/** What makes a request risky (decision V13), each with its part of the score. */
const weights = { asked_lately: 30, many_identifiers: 30, prefix_conversion: 40, disposable_like: 40, data_centre: 30 } as const;
export type RiskReason = keyof typeof weights;

export interface RiskSignals {
  identifier: Identifier;
  /** Messages to the identifier within the bombing window. */
  recentSends: number;
  /** Identifiers that the address asked for within the hour; undefined: no address is known. */
  identifiersOfAddress: number | undefined;
  /** Of the number's prefix within the hour; undefined: not looked at. */
  prefix: { asked: number; proven: number } | undefined;
  /** The address lies in a data centre, and no exception speaks for it. */
  isFromDataCentre: boolean;
}

/** 0 to 100 and why. */
export const riskOf = ({
  identifier,
  recentSends,
  identifiersOfAddress,
  prefix,
  isFromDataCentre,
}: RiskSignals): { score: number; reasons: RiskReason[] } => {
  const reasons: RiskReason[] = [];
  if (recentSends > 0) reasons.push('asked_lately');
  if ((identifiersOfAddress ?? 0) > 5) reasons.push('many_identifiers');
  if (prefix && isSuspicious(prefix.asked, prefix.proven)) reasons.push('prefix_conversion');
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

/** On the list, or an address of a kind that one mailbox has without end. */
const isDisposableLike = (email: string): boolean => isDisposable(domainOf(email)) || email.slice(0, email.lastIndexOf('@')).includes('+');
