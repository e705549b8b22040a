import * as z from 'zod';
import { any, equals, missing } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';

/** Which conversation a waiting message lies in: messages are found by conversation, and a cancel knows only the message. */
const scheduledMessageEntity = entity({
  name: 'scheduled-message',
  purpose: 'Where a message that waits for its time lies, by its id',
  attributes: z.object({ companyId: z.int(), id: z.int(), contactId: z.int(), dueAt: z.int() }),
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: `${tenant(companyId)}#WAITING`, sk: sortable(id) }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  expiresAt: ({ dueAt }) => Math.floor(dueAt / 1_000) + 7 * 86_400,
  example: { pk: 'C#<company>#WAITING', sk: '<message id, 16 digits>' },
});

/** False: another conversation's waiting message has this id. Written before its message, of which it promises nothing. */
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
