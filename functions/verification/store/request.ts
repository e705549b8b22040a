import { all, any, atLeast, atMost, below, equals, missing } from '../../../shared/table/condition.ts';
import { entity, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { requestEntityName, type StoredRequest, storedRequest } from '../contract/stored.ts';

export const requestEntity = entity({
  name: requestEntityName,
  purpose: 'One verification: who is to be verified for what, and how it ended',
  attributes: storedRequest,
  key: ({ companyId, id }: { companyId: number; id: string }) => ({ pk: `${tenant(companyId)}#V#${id}`, sk: 'REQUEST' }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  expiresAt: ({ until }) => until,
  example: { pk: 'C#<company>#V#<request id>', sk: 'REQUEST' },
});

export const getRequest = pattern(
  { question: 'a verification by id', entity: requestEntityName, by: 'GetItem', units: '0.5 RRU, 1 RRU read consistently' },
  (companyId: number, id: string, options: { consistent?: boolean } = {}): Promise<StoredRequest | undefined> =>
    requestEntity.get({ companyId, id }, options),
);

export const createRequest = pattern(
  { question: 'a new verification', entity: requestEntityName, by: 'PutItem', units: '1 WRU' },
  (request: StoredRequest): Promise<Written<StoredRequest>> => requestEntity.put(request, missing()),
);

/** What may hold the end of a request back: it may have been made longer, or sent again, meanwhile. */
export interface FinishCondition {
  /** Epoch milliseconds. */
  expiresBy?: number;
  sends?: number;
}

/** Ends a pending request: one winner. */
export const updateRequestToFinished = pattern(
  { question: 'the end of a pending verification', entity: requestEntityName, by: 'UpdateItem', units: '1 WRU' },
  (
    companyId: number,
    id: string,
    set: Partial<StoredRequest>,
    { expiresBy, sends }: FinishCondition = {},
  ): Promise<Written<StoredRequest>> =>
    requestEntity.change(
      { companyId, id },
      { set, remove: ['sealedCode'] },
      all(
        equals('status', 'pending'),
        ...(expiresBy === undefined ? [] : [atMost('expiresAt', expiresBy)]),
        ...(sends === undefined ? [] : [equals('sends', sends)]),
      ),
    ),
);

/** One more message, if nobody asked for one meanwhile and the request is still pending. */
export const updateRequestSends = pattern(
  { question: 'another message of a verification', entity: requestEntityName, by: 'UpdateItem', units: '1 WRU' },
  (request: StoredRequest, set: Partial<StoredRequest>): Promise<Written<StoredRequest>> =>
    requestEntity.change(
      { companyId: request.companyId, id: request.id },
      { set },
      all(equals('status', 'pending'), equals('sends', request.sends), equals('expiresAt', request.expiresAt)),
    ),
);

/** The worker's claim of a message: whoever finds it claimed does not send. */
export const claimSend = pattern(
  { question: 'may this message of a verification go out now', entity: requestEntityName, by: 'UpdateItem', units: '1 WRU' },
  (companyId: number, id: string, send: number, at: number): Promise<Written<StoredRequest>> =>
    requestEntity.change(
      { companyId, id },
      { set: { claimedSend: send } },
      all(equals('status', 'pending'), atLeast('expiresAt', at), any(missing('claimedSend'), below('claimedSend', send))),
    ),
);

export const releaseSend = pattern(
  { question: 'a message that proved not to have left', entity: requestEntityName, by: 'UpdateItem', units: '1 WRU' },
  async (companyId: number, id: string, send: number): Promise<void> => {
    await requestEntity.change({ companyId, id }, { set: { claimedSend: send - 1 } }, equals('claimedSend', send));
  },
);
