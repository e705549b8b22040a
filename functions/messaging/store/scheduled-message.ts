import * as z from 'zod';
import { all, any, equals, missing } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';

/**
 * The conversation of a waiting message: messages are stored by conversation, and a cancel knows only the message's id. In the list of waiting
 * messages until the message was claimed, failed or was cancelled.
 */
const scheduledMessageEntity = entity({
  name: 'scheduled-message',
  purpose: 'The conversation of a waiting message, by the message id, and the list of those that wait',
  attributes: z.object({
    companyId: z.int(),
    id: z.int(),
    contactId: z.int(),
    dueAt: z.int(),
    /** It waits no more. */
    isOver: z.literal(true).optional(),
  }),
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: `${tenant(companyId)}#WAITING`, sk: sortable(id) }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  indexedBy: ['companyId', 'id', 'dueAt', 'isOver'],
  indexes: ({ companyId, id, dueAt, isOver }) => ({
    list: isOver ? undefined : { pk: `${tenant(companyId)}#WAITING`, sk: `${sortable(dueAt)}#${sortable(id)}` },
  }),
  expiresAt: ({ dueAt }) => Math.floor(dueAt / 1_000) + 7 * 86_400,
  example: { pk: 'C#<company>#WAITING', sk: '<message id, 16 digits>' },
});

/** Where a waiting message is in the list. */
export interface WaitingPosition {
  dueAt: number;
  id: number;
}
export type WaitingMessage = WaitingPosition & { contactId: number };

/** False: a waiting message of another conversation has this id. Written before the message, which may still fail to be created. */
export const putScheduledMessage = pattern(
  {
    question: 'a waiting message can be found by its id',
    entity: 'scheduled-message',
    by: 'PutItem',
    units: '2 WRU, 3 when its time changes',
  },
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

/** Up to `limit` that wait, the next one first. Some may have been sent a moment ago. */
export const listWaitingMessages = pattern(
  {
    question: 'the messages of a company that wait, by time',
    entity: 'scheduled-message',
    by: 'Query',
    index: 'list',
    units: '0.5 RRU for about 16',
  },
  async (companyId: number, after: WaitingPosition | undefined, limit: number): Promise<WaitingMessage[]> =>
    (
      await scheduledMessageEntity.query({
        pk: `${tenant(companyId)}#WAITING`,
        index: 'list',
        limit,
        ...(after ? { after: scheduledMessageEntity.startKey({ companyId, ...after }, 'list') } : {}),
      })
    ).items,
);

/** Takes a message that was due at this time out of the list. Refused when it waits for another time by now. */
export const endWaiting = pattern(
  { question: 'a message waits no more', entity: 'scheduled-message', by: 'UpdateItem', units: '2 WRU' },
  async ({ companyId, id, dueAt }: { companyId: number; id: number; dueAt: number }): Promise<void> => {
    await scheduledMessageEntity.update(
      { companyId, id, dueAt },
      { set: { isOver: true } },
      all(equals('dueAt', dueAt), missing('isOver')),
    );
  },
);
