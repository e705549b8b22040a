import * as z from 'zod';
import type { Cells } from '../../../shared/events/recount.ts';
import { channels, endReasons } from './stored.ts';

/** How verification requests are counted: the cells of usage that they are in, and what the API shows of them. */

export const usageVerificationStatuses = ['verified', 'expired', 'failed', 'blocked'] as const;
export type UsageVerificationStatus = (typeof usageVerificationStatuses)[number];

export const verificationFigures = z
  .array(
    z
      .object({
        channel: z.enum(channels).meta({ description: 'The channel of the code.' }),
        status: z.enum(usageVerificationStatuses).meta({ description: 'How the request ended.' }),
        count: z.int().meta({ description: 'How many requests.' }),
        codes: z.int().meta({ description: 'How many codes were sent for them.' }),
      })
      .meta({ id: 'VerificationUsage' }),
  )
  .meta({ description: 'Verification requests that have ended, without test requests.' });
export type VerificationFigures = z.output<typeof verificationFigures>;

/** Verification requests that ended on a UTC day. */
export interface VerificationCount {
  date: string;
  /** Null of requests that were counted before counts named a profile. */
  profileId: string | null;
  channel: string;
  /** Of requests over WhatsApp where they are broken down by it; null: not counted by country. */
  country?: string | null;
  /** Of requests that failed or were blocked where they are broken down by it; null: not counted by reason. */
  reason?: CountedReason | null;
  status: string;
  count: number;
}

/** The country of phones that are of no known one, as CLDR names it. */
export const unknownCountry = 'ZZ';

/** The cell of a request over WhatsApp by the country of its phone. */
export const requestCountryCell = (status: string, profile: string, country: string | undefined): string =>
  `ck/${status}/${profile}/${country ?? unknownCountry}`;

/** The requests that cells count; `profile` as the cell names it. */
export const verificationCounts = (cells: Cells): { channel: string; status: string; profile: string | undefined; count: number }[] =>
  Object.entries(cells).flatMap(([cell, count]) => {
    const [kind, channel = '', status = '', profile] = cell.split('/');
    return kind === 'v' ? [{ channel, status, profile, count }] : [];
  });

/** What requests that failed or were blocked are counted by; `other`: of no reason that this release knows. */
export const countedReasons = [...endReasons, 'other'] as const;
export type CountedReason = (typeof countedReasons)[number];

/** The cell of a request by the reason of its end: one of a closed list, so that a day has a bounded number of them. */
export const requestReasonCell = (channel: string, status: string, profile: string, reason: string | undefined): string =>
  `cr/${channel}/${status}/${profile}/${knownReason(reason)}`;

const knownReason = (given: string | undefined): CountedReason => countedReasons.find((each) => each === given) ?? 'other';

type RequestCount = ReturnType<typeof verificationCounts>[number];

/**
 * The same requests by country. Emails, and the requests of days before countries were counted, are of country null, so that the sum is always
 * that of `verificationCounts`. The cells are those of a whole day.
 */
export const verificationCountsByCountry = (cells: Cells): (RequestCount & { country: string | null })[] => {
  const byCountry = Object.entries(cells).flatMap(([cell, count]) => {
    const [kind, status = '', profile, country = unknownCountry] = cell.split('/');
    return kind === 'ck' ? [{ channel: 'whatsapp', status, profile, country, count }] : [];
  });
  return [...byCountry, ...restOf(cells, byCountry).map((each) => ({ ...each, country: null }))];
};

/**
 * The same requests by the reason for which they failed or were blocked. Those that were verified or expired, and the requests of days before
 * reasons were counted, are of reason null, so that the sum is always that of `verificationCounts`. The cells are those of a whole day.
 */
export const verificationCountsByReason = (cells: Cells): (RequestCount & { reason: CountedReason | null })[] => {
  const byReason = Object.entries(cells).flatMap(([cell, count]) => {
    const [kind, channel = '', status = '', profile, reason] = cell.split('/');
    return kind === 'cr' ? [{ channel, status, profile, reason: knownReason(reason), count }] : [];
  });
  return [...byReason, ...restOf(cells, byReason).map((each) => ({ ...each, reason: null }))];
};

/** The requests of a day that a breakdown has not counted. */
const restOf = (cells: Cells, counted: readonly RequestCount[]): RequestCount[] =>
  verificationCounts(cells)
    .map((each) => {
      const same = counted.filter(
        ({ channel, status, profile }) => channel === each.channel && status === each.status && profile === each.profile,
      );
      return { ...each, count: each.count - same.reduce((sum, { count }) => sum + count, 0) };
    })
    .filter(({ count }) => count > 0);

/** Cells as the API shows them, in the order of the contract. */
export const verificationFiguresOf = (cells: Cells): VerificationFigures => {
  const requests = verificationCounts(cells);
  return channels.flatMap((channel) =>
    usageVerificationStatuses.flatMap((status) => {
      const count = requests.reduce((sum, each) => sum + (each.channel === channel && each.status === status ? each.count : 0), 0);
      const codes = cells[`c/${channel}/${status}`] ?? 0;
      return count === 0 && codes === 0 ? [] : [{ channel, status, count, codes }];
    }),
  );
};
