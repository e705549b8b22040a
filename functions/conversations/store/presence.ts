import * as z from 'zod';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';

const partition = (companyId: number, contactId: number): string => `${tenant(companyId)}#CV#${contactId}`;

/** One item of each user, which nothing else writes: so a call is one write without a condition. */
export const presenceEntity = entity({
  name: 'presence',
  purpose: 'A user who looks at a conversation now; gone after half a minute',
  attributes: z.object({
    companyId: z.int(),
    contactId: z.int(),
    userId: z.int(),
    state: z.enum(['viewing', 'typing']),
    /** Epoch milliseconds. */
    untilMs: z.int(),
  }),
  key: ({ companyId, contactId, userId }: { companyId: number; contactId: number; userId: number }) => ({
    pk: partition(companyId, contactId),
    sk: `PRESENCE#${sortable(userId)}`,
  }),
  idOf: ({ companyId, contactId, userId }) => ({ companyId, contactId, userId }),
  expiresAt: ({ untilMs }) => Math.ceil(untilMs / 1_000),
  example: { pk: 'C#<company>#CV#<contact>', sk: 'PRESENCE#<user, 16 digits>' },
});
export type Presence = ItemOf<typeof presenceEntity>;

export const putPresence = pattern(
  { question: 'a user looks at a conversation', entity: 'presence', by: 'PutItem', units: '1 WRU' },
  async (presence: Presence): Promise<void> => {
    await presenceEntity.put(presence);
  },
);

export const deletePresence = pattern(
  { question: 'a user looks at a conversation no more', entity: 'presence', by: 'DeleteItem', units: '1 WRU' },
  async (companyId: number, contactId: number, userId: number): Promise<void> => {
    await presenceEntity.delete({ companyId, contactId, userId });
  },
);

export const listPresence = pattern(
  { question: 'who looks at a conversation', entity: 'presence', by: 'Query', units: '0.5 RRU' },
  (companyId: number, contactId: number): Promise<Presence[]> =>
    presenceEntity.collect({ pk: partition(companyId, contactId), between: ['PRESENCE#', 'PRESENCE#~'] }),
);
