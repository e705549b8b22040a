import { minuteMs } from '../../../shared/runtime/clock.ts';

/** How long a page may take from the answer to its use, and so how long a token that leaked is of use. */
export const doorbellTokenLifeMs = 15 * minuteMs;

/** What a token of the doorbell says, and is signed for: one company, until a time in epoch milliseconds. */
export interface DoorbellGrant {
  companyId: number;
  until: number;
}

export const formatGrant = ({ companyId, until }: DoorbellGrant): string => `${companyId}.${until}`;

/** A token without its signature; undefined: it has no such form. */
export const parseGrant = (text: string): DoorbellGrant | undefined => {
  const [, companyId, until] = /^([1-9]\d{0,14})\.([1-9]\d{0,14})$/.exec(text) ?? [];
  return companyId === undefined || until === undefined ? undefined : { companyId: Number(companyId), until: Number(until) };
};
