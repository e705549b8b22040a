import { projectionTarget, type CounterRow } from '../../../shared/events/react.ts';

/** Rows that are folded from changes of contacts; their entities are in the store, met by the stream consumer through the service. */
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
 * Room of the plan that was promised to calls and is not counted in the total yet, by the promise's name: how many are left of it, the
 * block of ids it came with, how many were given back, when (epoch milliseconds), and which deleted contact it is to restore, if one.
 */
export type QuotaReservations = Readonly<
  Record<string, { left: number; first: number; count: number; back: number; at: number; restores?: number | undefined }>
>;
