import * as z from 'zod';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { subscriptionsEntityName } from '../contract/queue.ts';

/** A file of its own: it is all that the stream consumer needs. */
export const subscriptionsEntity = entity({
  name: subscriptionsEntityName,
  audited: true,
  purpose: "What a company's endpoints listen to, in one item; none for a company that never had an endpoint",
  attributes: z.object({
    companyId: z.int(),
    rev: z.int(),
    endpoints: z.array(
      z.object({
        id: z.int(),
        events: z.array(z.string()),
        profileId: z.string().optional(),
        status: z.enum(['active', 'disabled']),
        since: z.int(),
      }),
    ),
    /** The last change of an endpoint that the list does not show; for the audit entries. */
    hiddenChange: z.object({ endpointId: z.int(), field: z.enum(['url', 'secret']), at: z.int() }).optional(),
  }),
  key: ({ companyId }: { companyId: number }) => ({ pk: `${tenant(companyId)}#WEBHOOKS`, sk: 'SUBSCRIPTIONS' }),
  idOf: ({ companyId }) => ({ companyId }),
  example: { pk: 'C#<company>#WEBHOOKS', sk: 'SUBSCRIPTIONS' },
});
export type Subscriptions = ItemOf<typeof subscriptionsEntity>;

/** Read consistently: an endpoint receives every event from its creation on. */
export const getSubscriptions = pattern(
  {
    question: 'what companies listen to',
    entity: 'webhook-subscriptions',
    by: 'BatchGetItem',
    units: '1 RRU a company, for all events of a batch',
  },
  (companyIds: readonly number[]): Promise<Subscriptions[]> =>
    subscriptionsEntity.getMany(
      companyIds.map((companyId) => ({ companyId })),
      { consistent: true },
    ),
);
