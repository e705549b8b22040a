import { all, any, atLeast, atMost, below, equals, missing } from '../../../shared/table/condition.ts';
import { entity, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { requestEntityName, type StoredRequest, storedRequest } from '../contract/stored.ts';

export const requestEntity = entity({
  name: requestEntityName,
  purpose: 'One verification request: what is verified for which purpose, and its result',
  attributes: storedRequest,
  key: ({ companyId, id }: { companyId: number; id: string }) => ({ pk: `${tenant(companyId)}#V#${id}`, sk: 'REQUEST' }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  expiresAt: ({ until }) => until,
  personalData: 'phone or email, sealed; address of the caller',
  example: { pk: 'C#<company>#V#<request id>', sk: 'REQUEST' },
});

export const getRequest = pattern(
  { question: 'a verification request by id', entity: requestEntityName, by: 'GetItem', units: '0.5 RRU, 1 RRU read consistently' },
  (companyId: number, id: string, options: { consistent?: boolean } = {}): Promise<StoredRequest | undefined> =>
    requestEntity.get({ companyId, id }, options),
);

export const createRequest = pattern(
  { question: 'create a verification request', entity: requestEntityName, by: 'PutItem', units: '1 WRU' },
  (request: StoredRequest): Promise<Written<StoredRequest>> => requestEntity.put(request, missing()),
);

/** Finishes a request only if it was not extended or sent again meanwhile. */
export interface FinishCondition {
  /** The latest expiry, epoch milliseconds. */
  expiresBy?: number;
  sends?: number;
}

/** Finishes a pending request; of concurrent calls one succeeds. */
export const updateRequestToFinished = pattern(
  { question: 'finish a pending request', entity: requestEntityName, by: 'UpdateItem', units: '1 WRU' },
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

/** Adds a send to a pending request, unless a concurrent call changed its sends or expiry. */
export const updateRequestSends = pattern(
  { question: 'request another send of a code', entity: requestEntityName, by: 'UpdateItem', units: '1 WRU' },
  (
    request: Pick<StoredRequest, 'companyId' | 'id' | 'sends' | 'expiresAt'>,
    set: Partial<StoredRequest>,
  ): Promise<Written<StoredRequest>> =>
    requestEntity.change(
      { companyId: request.companyId, id: request.id },
      { set },
      all(equals('status', 'pending'), equals('sends', request.sends), equals('expiresAt', request.expiresAt)),
    ),
);

/** The worker's claim of a send: only the worker that has it sends. */
export const claimSend = pattern(
  { question: 'claim a send of a code', entity: requestEntityName, by: 'UpdateItem', units: '1 WRU' },
  (companyId: number, id: string, send: number, at: number): Promise<Written<StoredRequest>> =>
    requestEntity.change(
      { companyId, id },
      { set: { claimedSend: send } },
      all(equals('status', 'pending'), atLeast('expiresAt', at), any(missing('claimedSend'), below('claimedSend', send))),
    ),
);

/** False: a later message of the request, with the same code, has been claimed meanwhile. */
export const releaseSend = pattern(
  { question: 'release the claim of a send that did not leave', entity: requestEntityName, by: 'UpdateItem', units: '1 WRU' },
  async (companyId: number, id: string, send: number): Promise<boolean> =>
    (await requestEntity.change({ companyId, id }, { set: { claimedSend: send - 1 } }, equals('claimedSend', send))).done,
);

export const deleteRequest = pattern(
  { question: 'remove a request of an erased contact', entity: requestEntityName, by: 'DeleteItem', units: '1 WRU' },
  async (companyId: number, id: string): Promise<void> => {
    await requestEntity.delete({ companyId, id });
  },
);
