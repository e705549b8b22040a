import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { isDisposable } from './disposable.ts';
import { domainOf, type Identifier, isDomainWithin } from './identifier.ts';
import { isInNetworks } from './network.ts';
import type { Settings } from './settings.ts';

export const whitelistKinds = ['ip', 'domain', 'country', 'identifier'] as const;

/** Something that a rule would refuse and is let through all the same (decision V2). */
export interface WhitelistEntry {
  kind: (typeof whitelistKinds)[number];
  value: string;
  /** Epoch milliseconds. */
  expiresAt?: number | undefined;
}

export type RuleCode = 'disposable_email' | 'domain_not_allowed' | 'country_not_allowed' | 'ip_not_allowed';

/** What is known of who asks. */
export interface RequestOrigin {
  identifier: Identifier;
  /** Undefined: the caller is a server that names no address. */
  ip: string | undefined;
}

/** ISO 3166-1 alpha-2 of a phone: its own country, else the main one of its calling code; undefined for an email or an unknown code. */
export const countryOf = ({ kind, value }: Identifier): string | undefined => {
  if (kind !== 'phone') return undefined;
  const parsed = parsePhoneNumberFromString(value);
  return parsed?.country ?? parsed?.getPossibleCountries()[0];
};

/** The first rule that stands against it (V14); undefined: none does. An address list that is not empty is a list of the allowed ones. */
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

/** Whether an exception of the profile's list speaks for them. */
export const isWhitelisted = ({ identifier, ip }: RequestOrigin, exceptions: readonly WhitelistEntry[], at: number): boolean =>
  exceptions
    .filter(({ expiresAt }) => expiresAt === undefined || expiresAt > at)
    .some(({ kind, value }) => {
      switch (kind) {
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
