import { dayMs } from '../../../shared/runtime/clock.ts';
import { unchanged, missing } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { type PrivacyRequest, privacyRequestEntityName, storedPrivacyRequest } from '../contract/privacy.ts';

const requestEntity = entity({
  name: privacyRequestEntityName,
  purpose: 'What privacy law has the store platform ask for: what is held, until when, what was done',
  attributes: storedPrivacyRequest,
  key: ({ companyId, request }: RequestId) => ({ pk: `${tenant(companyId)}#PRIVACY`, sk: request }),
  idOf: ({ companyId, request }) => ({ companyId, request }),
  example: { pk: 'C#<company>#PRIVACY', sk: '<day, 16 digits>#<delivery>' },
});

type RequestId = Pick<PrivacyRequest, 'companyId' | 'request'>;

/** What names a request that a delivery carried. */
export const privacyRequestKey = (at: number, delivery: string): string => `${sortable(Math.floor(at / dayMs))}#${delivery}`;

/** Written once: a repetition changes nothing. */
export const createPrivacyRequest = pattern(
  { question: 'a request under privacy law is written down', entity: privacyRequestEntityName, by: 'PutItem', units: '1 WRU' },
  async (request: PrivacyRequest): Promise<void> => {
    await requestEntity.put(request, missing());
  },
);

export const getPrivacyRequest = pattern(
  { question: 'a request under privacy law', entity: privacyRequestEntityName, by: 'GetItem', units: '1 RRU, consistent' },
  (id: RequestId): Promise<PrivacyRequest | undefined> => requestEntity.get(id, { consistent: true }),
);

/** The next slice, or the end; refused when somebody was faster. */
export const updatePrivacyRequest = pattern(
  { question: 'a shop is redacted further', entity: privacyRequestEntityName, by: 'PutItem', units: '1 WRU' },
  async (seen: PrivacyRequest, next: PrivacyRequest): Promise<boolean> =>
    (await requestEntity.put(next, unchanged('below', seen.below))).done,
);

export const listPrivacyRequestRows = pattern(
  { question: 'requests under privacy law, newest first', entity: privacyRequestEntityName, by: 'Query', units: '0.5 RRU per 4 KB' },
  async (companyId: number): Promise<PrivacyRequest[]> => {
    const requests: PrivacyRequest[] = [];
    let after: Record<string, unknown> | undefined;
    do {
      const page = await requestEntity.query({ pk: `${tenant(companyId)}#PRIVACY`, descending: true, after, limit: 500 });
      requests.push(...page.items);
      after = page.last;
    } while (after && requests.length < 500);
    return requests.slice(0, 500);
  },
);
