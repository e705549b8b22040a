import * as z from 'zod';
import type { Cells } from '../../../shared/events/recount.ts';
import { channels } from './stored.ts';

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

/**
 * The same requests by country. Emails, and the requests of days before countries were counted, are of country null, so that the sum is always
 * that of `verificationCounts`. The cells are those of a whole day.
 */
export const verificationCountsByCountry = (
  cells: Cells,
): (ReturnType<typeof verificationCounts>[number] & { country: string | null })[] => {
  const byCountry = Object.entries(cells).flatMap(([cell, count]) => {
    const [kind, status = '', profile, country = unknownCountry] = cell.split('/');
    return kind === 'ck' ? [{ channel: 'whatsapp', status, profile, country, count }] : [];
  });
  const rest = verificationCounts(cells).map((each) => {
    const counted = byCountry.filter(
      ({ channel, status, profile }) => channel === each.channel && status === each.status && profile === each.profile,
    );
    return { ...each, country: null, count: each.count - counted.reduce((sum, { count }) => sum + count, 0) };
  });
  return [...byCountry, ...rest.filter(({ count }) => count > 0)];
};

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
