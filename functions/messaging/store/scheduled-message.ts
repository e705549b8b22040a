import * as z from 'zod';
import { any, equals, missing } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';

/** The conversation of a waiting message: messages are stored by conversation, and a cancel knows only the message's id. */
const scheduledMessageEntity = entity({
  name: 'scheduled-message',
  purpose: 'The conversation of a waiting message, by the message id',
  attributes: z.object({ companyId: z.int(), id: z.int(), contactId: z.int(), dueAt: z.int() }),
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: `${tenant(companyId)}#WAITING`, sk: sortable(id) }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  expiresAt: ({ dueAt }) => Math.floor(dueAt / 1_000) + 7 * 86_400,
  example: { pk: 'C#<company>#WAITING', sk: '<message id, 16 digits>' },
});

/** False: a waiting message of another conversation has this id. Written before the message, which may still fail to be created. */
export const putScheduledMessage = pattern(
  { question: 'a waiting message can be found by its id', entity: 'scheduled-message', by: 'PutItem', units: '1 WRU' },
  async (pointer: { companyId: number; id: number; contactId: number; dueAt: number }): Promise<boolean> =>
    (await scheduledMessageEntity.put(pointer, any(missing(), equals('contactId', pointer.contactId)))).done,
);

export const getScheduledContactId = pattern(
  { question: 'the conversation of a waiting message', entity: 'scheduled-message', by: 'GetItem', units: '1 RRU' },
  async (companyId: number, id: number): Promise<number | undefined> =>
    (await scheduledMessageEntity.get({ companyId, id }, { consistent: true }))?.contactId,
);

export const deleteScheduledMessage = pattern(
  { question: 'a message of an erased contact does not wait any more', entity: 'scheduled-message', by: 'DeleteItem', units: '1 WRU' },
  async (companyId: number, id: number): Promise<void> => {
    await scheduledMessageEntity.delete({ companyId, id });
  },
);
