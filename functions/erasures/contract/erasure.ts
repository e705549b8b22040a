import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { pathId, timestamp } from '../../../shared/contract/fields.ts';
import { queue } from '../../../shared/contract/queue.ts';
import { route } from '../../../shared/contract/route.ts';
import { dueWork } from '../../../shared/events/due.ts';

export const erasureCauses = ['request', 'platform', 'purge'] as const;
export type ErasureCause = (typeof erasureCauses)[number];

export const erasureEntityName = 'erasure';

/** The erasure of a contact, as the table holds it: the job while it runs, the receipt for ever. Times are epoch milliseconds. */
export const storedErasure = z.object({
  companyId: z.int(),
  contactId: z.int(),
  rev: z.int(),
  cause: z.enum(erasureCauses),
  /** The user who requested it. */
  requestedBy: z.int().optional(),
  /** The identifiers by which the walk finds what it removes; absent once the walk was checked. */
  sealedSubject: z.string().optional(),
  /** The second pass, a day later, removes what was still on its way in the first. */
  pass: z.int(),
  /** Where the walk stands: the step, the place in it, and the slice that was found and is being removed. */
  step: z.string().optional(),
  cursor: z.string().optional(),
  open: z.object({ found: z.int(), next: z.string().optional() }).optional(),
  /** Counts worker runs; the change stream enqueues the next one. */
  turn: z.int(),
  removed: z.record(z.string(), z.int()),
  requestedAt: z.int(),
  finishedAt: z.int().optional(),
  /** When the second pass is due. */
  dueAt: z.int().optional(),
  checkedAt: z.int().optional(),
});
export type StoredErasure = z.output<typeof storedErasure>;

export const erasuresQueue = queue({
  name: 'erasures',
  purpose:
    'Contacts to erase, by reference, a purged one with the identifiers that its row had; without a contact, a company whose old messages go',
  message: z.object({
    company_id: z.int(),
    contact_id: z.int().optional(),
    purged: z
      .object({
        phone: z.string().optional(),
        user_id: z.string().optional(),
        email: z.string().optional(),
        name: z.string().optional(),
      })
      .optional(),
  }),
  workSeconds: 90,
  maxReceives: 8,
  onlyRemoves: true,
});

export const dueErasure = dueWork({
  name: erasureEntityName,
  purpose: 'The second pass of an erasure',
  queue: erasuresQueue,
  companyOf: (reference) => Number(reference.split(':')[0]),
  message: (reference) => {
    const [company_id = 0, contact_id = 0] = reference.split(':').map(Number);
    return { company_id, contact_id };
  },
});

export const erasureRecord = z
  .object({
    contact_id: z.int().meta({ description: 'The id that the contact had.' }),
    status: z.enum(['running', 'done']).meta({ description: 'done: everything was removed. running: the removal is in progress.' }),
    cause: z.enum(erasureCauses).meta({
      description: 'request: this API. platform: a shop platform requested it. purge: the contact was deleted 30 days before.',
    }),
    requested_by: z.int().nullable().meta({ description: 'The id of the user who requested it, or null.' }),
    removed: z.record(z.string(), z.int()).meta({ description: 'How many records of each kind were removed or emptied.' }),
    requested_at: timestamp.meta({ description: 'When the erasure was requested.' }),
    finished_at: timestamp.nullable().meta({ description: 'When everything was removed, or null.' }),
    checked_at: timestamp.nullable().meta({
      description:
        'When a second pass, a day later, had removed what was still on its way; the receipt names only the id from then on. Or null.',
    }),
  })
  .meta({ id: 'Erasure', description: 'The erasure of a contact: its progress, then its receipt.' });
export type ErasureRecord = z.output<typeof erasureRecord>;

const params = z.object({ id: pathId.meta({ description: 'The id of the contact.' }) });

export const erasureRoutes = {
  eraseContact: route({
    method: 'POST',
    path: '/api/v1/contacts/{id}/erase',
    summary: 'Erase a contact and its personal data',
    description:
      'Removes a contact for good, under privacy law (GDPR, right to erasure): its messages and their files, conversation, consent history, phone checks, webhook deliveries, verifications, carts, and the personal fields of its orders and leads. A keyed hash of the phone stays, so that a later import does not subscribe the same recipient again. The removal runs in the background; repeat the call or get the erasure for its progress and its receipt. It cannot be undone. Delete the contact instead if it may come back.',
    caller: { kind: 'token', scope: 'contacts:write', role: 'admin' },
    isOwnRecord: true,
    params,
    answers: { 202: success(erasureRecord) },
    errors: ['not_found'],
  }),
  getErasure: route({
    method: 'GET',
    path: '/api/v1/contacts/{id}/erase',
    summary: 'Get the receipt of an erasure',
    description:
      'Returns what the erasure of a contact removed so far, by kind. The receipt stays after the contact is gone, also for contacts that were erased by a shop platform or 30 days after their deletion.',
    caller: { kind: 'token', scope: 'contacts:read', role: 'viewer' },
    params,
    answers: { 200: success(erasureRecord) },
    errors: ['not_found'],
  }),
};
