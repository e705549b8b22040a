import { projectionTarget, type CounterRow } from '../../../shared/events/react.ts';

/** The rows that the change stream projects from contacts. */
export const contactCounterTarget = projectionTarget<
  { companyId: number; of: string },
  CounterRow & { promises?: QuotaReservations | undefined }
>('counter');

export const digestTarget = projectionTarget<{ companyId: number; digest: number }, { c: number; d: number; lines: string }>(
  'contact-digest',
);

export const countsTarget = projectionTarget<
  { companyId: number; row: number },
  { companyId: number; row: number; counts: readonly number[] }
>('contact-counts');

export const membersTarget = projectionTarget<
  { companyId: number; of: 'group' | 'tag'; ofId: number; span: number },
  { companyId: number; of: 'group' | 'tag'; ofId: number; span: number; bits: Uint8Array }
>('contact-members');

export const groupTarget = projectionTarget<{ companyId: number; id: number }, { contactsCount: number }>('group');

/**
 * Plan quota reserved by calls and not in the total yet, by the reservation's name. `left` of `count` contacts are still to be counted,
 * `back` were released. `first`: the first of the ids reserved with it. `at`: epoch milliseconds. `restores`: the deleted contact that the
 * call restores instead of creating one.
 */
export type QuotaReservations = Readonly<
  Record<string, { left: number; first: number; count: number; back: number; at: number; restores?: number | undefined }>
>;
