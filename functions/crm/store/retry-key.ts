import * as z from 'zod';
import { missing } from '../../../shared/table/condition.ts';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import type { TransactionPart } from '../../../shared/table/transaction.ts';
import { leadPartition } from './lead.ts';

const retryKeyEntity = entity({
  name: 'crm-retry-key',
  purpose: 'The task or note of a lead that a retry_key created, and the fingerprint of its body',
  attributes: z.object({
    companyId: z.int(),
    leadId: z.int(),
    of: z.enum(['task', 'note']),
    key: z.string(),
    recordId: z.int(),
    fingerprint: z.string(),
  }),
  key: ({ companyId, leadId, of, key }: { companyId: number; leadId: number; of: 'task' | 'note'; key: string }) => ({
    pk: leadPartition(companyId, leadId),
    sk: `K#${of}#${key}`,
  }),
  idOf: ({ companyId, leadId, of, key }) => ({ companyId, leadId, of, key }),
  example: { pk: 'C#<company>#LD#<lead>', sk: 'K#<task or note>#<retry key>' },
});
export type RetryKey = ItemOf<typeof retryKeyEntity>;

export const getRetryKey = pattern(
  { question: 'the task or note of a retry key', entity: 'crm-retry-key', by: 'GetItem', units: '1 RRU' },
  (companyId: number, leadId: number, of: 'task' | 'note', key: string): Promise<RetryKey | undefined> =>
    retryKeyEntity.get({ companyId, leadId, of, key }, { consistent: true }),
);

export const createRetryKeyPart = (retryKey: RetryKey): TransactionPart<RetryKey> => retryKeyEntity.putting(retryKey, missing());
