import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import type { ruleCodes } from '../contract/stored.ts';
import { isDisposable } from './disposable.ts';
import { domainOf, type Identifier, isDomainWithin } from './identifier.ts';
import { isInNetworks } from '../../../shared/access/networks.ts';
import type { Settings } from './settings.ts';

export const whitelistKinds = ['ip', 'domain', 'country', 'identifier'] as const;

/** An entry of the profile's whitelist: allowed although a rule would refuse it. */
export interface WhitelistEntry {
  valueKind: (typeof whitelistKinds)[number];
  value: string;
  /** Epoch milliseconds. */
  expiresAt?: number | undefined;
}

export type RuleCode = (typeof ruleCodes)[number];

/** The identifier and the address that the rules evaluate. */
export interface RequestOrigin {
  identifier: Identifier;
  /** Undefined for a server that passes no address. */
  ip: string | undefined;
}

/** ISO 3166-1 alpha-2 of a phone: its own country, else the main one of its calling code; undefined for an email or an unknown code. */
export const countryOf = ({ kind, value }: Identifier): string | undefined => {
  if (kind !== 'phone') return undefined;
  const parsed = parsePhoneNumberFromString(value);
  return parsed?.country ?? parsed?.getPossibleCountries()[0];
};

/** The first rule that refuses the request; undefined when none does. A non-empty `ip_whitelist` allows its own addresses only. */
export const findViolatedRule = ({ identifier, ip }: RequestOrigin, settings: Settings): RuleCode | undefined => {
  if (ip !== undefined && settings.ip_whitelist.length > 0 && !isInNetworks(ip, settings.ip_whitelist)) return 'ip_not_allowed';
  if (identifier.kind === 'email') {
    const domain = domainOf(identifier.value);
    const { allow, block } = settings.email_domains;
    if (isDomainWithin(domain, block)) return 'domain_not_allowed';
    if (allow.length > 0) return isDomainWithin(domain, allow) ? undefined : 'domain_not_allowed';
    return settings.block_disposable && isDisposable(domain) ? 'disposable_email' : undefined;
  }
  const { mode, list } = settings.countries;
  if (identifier.kind !== 'phone' || mode === 'all') return undefined;
  const country = countryOf(identifier);
  const isListed = country !== undefined && list.some((each) => each.toUpperCase() === country);
  return isListed === (mode === 'allow') ? undefined : 'country_not_allowed';
};

/** Whether an entry of the whitelist that has not expired matches. */
export const isWhitelisted = ({ identifier, ip }: RequestOrigin, entries: readonly WhitelistEntry[], at: number): boolean =>
  entries
    .filter(({ expiresAt }) => expiresAt === undefined || expiresAt > at)
    .some(({ valueKind, value }) => {
      switch (valueKind) {
        case 'identifier':
          return value === identifier.value;
        case 'domain':
          return identifier.kind === 'email' && isDomainWithin(domainOf(identifier.value), [value]);
        case 'country':
          return countryOf(identifier) === value.toUpperCase();
        case 'ip':
          return ip !== undefined && isInNetworks(ip, [value]);
      }
    });
