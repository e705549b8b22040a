import { dayMs } from '../../../shared/runtime/clock.ts';
import { exists, missing, unchanged } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { type PrivacyRequest, privacyRequestEntityName, storedPrivacyRequest } from '../contract/privacy.ts';

const requestEntity = entity({
  name: privacyRequestEntityName,
  purpose: 'A request under privacy law, its deadline and its progress',
  attributes: storedPrivacyRequest,
  key: ({ companyId, request }: RequestId) => ({ pk: `${tenant(companyId)}#PRIVACY`, sk: request }),
  idOf: ({ companyId, request }) => ({ companyId, request }),
  personalData: 'phone and email of a customer who requested their data',
  example: { pk: 'C#<company>#PRIVACY', sk: '<day, 16 digits>#<delivery>' },
});

type RequestId = Pick<PrivacyRequest, 'companyId' | 'request'>;

/** The key of the request that a delivery carried. */
export const privacyRequestKey = (at: number, delivery: string): string => `${sortable(Math.floor(at / dayMs))}#${delivery}`;

/** Creates a request. A repeat changes nothing. */
export const createPrivacyRequest = pattern(
  { question: 'create a request under privacy law', entity: privacyRequestEntityName, by: 'PutItem', units: '1 WRU' },
  async (request: PrivacyRequest): Promise<void> => {
    await requestEntity.put(request, missing());
  },
);

export const getPrivacyRequest = pattern(
  { question: 'a request under privacy law', entity: privacyRequestEntityName, by: 'GetItem', units: '1 RRU, consistent' },
  (id: RequestId): Promise<PrivacyRequest | undefined> => requestEntity.get(id, { consistent: true }),
);

/** Stores the next slice or the end of a redaction. False when another worker was first. */
export const updatePrivacyRequest = pattern(
  { question: 'store the progress of a redaction', entity: privacyRequestEntityName, by: 'PutItem', units: '1 WRU' },
  async (seen: PrivacyRequest, next: PrivacyRequest): Promise<boolean> =>
    (await requestEntity.put(next, unchanged('below', seen.below))).done,
);

export const listPrivacyRequestRows = pattern(
  { question: 'requests under privacy law, newest first', entity: privacyRequestEntityName, by: 'Query', units: '0.5 RRU per 4 KB' },
  (companyId: number): Promise<PrivacyRequest[]> =>
    requestEntity.collect({ pk: `${tenant(companyId)}#PRIVACY`, descending: true }, { atMost: 500 }),
);

export const listAllPrivacyRequestRows = pattern(
  { question: 'all requests under privacy law, for an erasure', entity: privacyRequestEntityName, by: 'Query', units: '1 RRU per 4 KB' },
  (companyId: number): Promise<PrivacyRequest[]> => requestEntity.collect({ pk: `${tenant(companyId)}#PRIVACY`, consistent: true }),
);

/** Removes what identifies the customer of a request; its times and its orders stay. */
export const removeCustomerOfRequest = pattern(
  { question: 'remove an erased customer from a request', entity: privacyRequestEntityName, by: 'UpdateItem', units: '1 WRU' },
  async (request: PrivacyRequest): Promise<void> => {
    await requestEntity.change(request, { remove: ['phone', 'email'] }, exists());
  },
);
