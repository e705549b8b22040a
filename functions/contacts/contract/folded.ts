import { foldTarget, type HeadRow } from '../../../shared/events/react.ts';

/** Rows that are folded from changes of contacts; their entities are in the store, met by the stream consumer through the service. */
export const contactHeadTarget = foldTarget<{ companyId: number; of: string }, HeadRow & { promises?: Promises | undefined }>('counter');

export const digestTarget = foldTarget<{ companyId: number; digest: number }, { c: number; d: number; lines: string }>('contact-digest');

export const countsTarget = foldTarget<{ companyId: number; row: number }, { companyId: number; row: number; counts: readonly number[] }>(
  'contact-counts',
);

export const membersTarget = foldTarget<
  { companyId: number; of: 'group' | 'tag'; ofId: number; span: number },
  { companyId: number; of: 'group' | 'tag'; ofId: number; span: number; bits: Uint8Array }
>('contact-members');

export const groupTarget = foldTarget<{ companyId: number; id: number }, { contactsCount: number }>('group');

/**
 * Room of the plan that was promised to calls and is not counted in the total yet, by the promise's name: how many are left of it, the
 * block of ids it came with, how many were given back, when (epoch milliseconds), and which deleted contact it is to restore, if one.
 */
export type Promises = Readonly<
  Record<string, { left: number; first: number; count: number; back: number; at: number; restores?: number | undefined }>
>;
