import { isUuidV7 } from '../../../shared/runtime/ids.ts';
import { all, any, atLeast, atMost, below, equals, missing } from '../../../shared/table/condition.ts';
import { entity, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { requestEntityName, type StoredRequest, storedRequest } from '../contract/stored.ts';

export const requestEntity = entity({
  name: requestEntityName,
  purpose: 'One verification request: what is verified for which purpose, and its result',
  attributes: storedRequest,
  key: ({ companyId, id }: { companyId: number; id: string }) =>
    isUuidV7(id) ? { pk: requestPartition(companyId, partitionOf(id)), sk: id } : { pk: `${tenant(companyId)}#V#${id}`, sk: 'REQUEST' },
  idOf: ({ companyId, id }) => ({ companyId, id }),
  expiresAt: ({ until }) => until,
  personalData: 'phone or email, sealed; address of the caller',
  example: { pk: 'C#<company>#V#R<0 to 7>', sk: '<request id>' },
});

/**
 * Requests of a company lie in the order of their ids, which begin with the time, so that a list needs no index: docs/decisions/verification-lists.md.
 * A partition takes 1,000 writes a second, a request has about five. Requests of before have partitions of their own, and are not listed.
 */
const requestPartitions = 8;
const requestPartition = (companyId: number, nth: number): string => `${tenant(companyId)}#V#R${nth}`;
const partitionOf = (id: string): number => Number.parseInt(id.slice(-1), 16) % requestPartitions;

/** At most `count` requests with ids of a range, newest first, beyond an id of it. */
export const listRequests = pattern(
  {
    question: 'the verification requests of a company, newest first',
    entity: requestEntityName,
    by: 'Query',
    units: '0.5 RRU per 4 KB (about 4 requests) and partition, 8 partitions',
  },
  async (companyId: number, range: readonly [string, string], beyond: string | undefined, count: number): Promise<StoredRequest[]> => {
    // ids spread evenly, so a little more than a fair share of each partition is mostly enough for a page
    const share = Math.min(count, Math.ceil((count / requestPartitions) * 1.5) + 2);
    const pks = Array.from({ length: requestPartitions }, (_, nth) => requestPartition(companyId, nth));
    const reads = await Promise.all(pks.map((pk) => readRequests(pk, range, beyond, share)));
    for (;;) {
      const page = reads
        .flatMap(({ items }) => items)
        .toSorted((a, b) => (a.id < b.id ? 1 : -1))
        .slice(0, count);
      const end = page.length < count ? '' : (page.at(-1)?.id ?? '');
      // a partition that was not read to its end may have newer requests than the end of this page
      const short = reads.filter(({ last }) => last !== undefined && last > end);
      if (short.length === 0) return page;
      await Promise.all(
        short.map(async (read) => {
          const more = await readRequests(read.pk, range, read.last, count);
          read.items.push(...more.items);
          read.last = more.last;
        }),
      );
    }
  },
);

async function readRequests(pk: string, between: readonly [string, string], beyond: string | undefined, limit: number) {
  const after = beyond === undefined ? undefined : { pk, sk: beyond };
  const page = await requestEntity.query({ pk, between, after, limit, descending: true });
  return { pk, items: page.items, last: page.last && String(page.last['sk']) };
}

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
      { set: { claimedSend: send }, add: { claims: 1 } },
      all(equals('status', 'pending'), atLeast('expiresAt', at), any(missing('claimedSend'), below('claimedSend', send))),
    ),
);

/**
 * False: a later message of the request, with the same code, has been claimed meanwhile. The number of the claim never comes again: a repetition
 * of the SDK, after a lost answer, cannot release the claim that another worker took since.
 */
export const releaseSend = pattern(
  { question: 'release the claim of a send that did not leave', entity: requestEntityName, by: 'UpdateItem', units: '1 WRU' },
  async ({ companyId, id, claimedSend, claims }: Pick<StoredRequest, 'companyId' | 'id' | 'claimedSend' | 'claims'>): Promise<boolean> =>
    (
      await requestEntity.change(
        { companyId, id },
        { set: { claimedSend: claimedSend - 1 }, add: { claims: 1 } },
        all(equals('claimedSend', claimedSend), equals('claims', claims)),
      )
    ).done,
);

export const deleteRequest = pattern(
  { question: 'remove a request of an erased contact', entity: requestEntityName, by: 'DeleteItem', units: '1 WRU' },
  async (companyId: number, id: string): Promise<void> => {
    await requestEntity.delete({ companyId, id });
  },
);
