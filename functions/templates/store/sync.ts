import * as z from 'zod';
import { any, below, missing } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';

/** When the last whole sync of a company began to read: what it left unchanged was true then. */
const templateSyncEntity = entity({
  name: 'template-sync',
  purpose: "When a company's templates were last read whole",
  attributes: z.object({ companyId: z.int(), syncedAt: z.int() }),
  key: ({ companyId }: { companyId: number }) => ({ pk: `${tenant(companyId)}#TEMPLATE_SYNC`, sk: 'SYNC' }),
  idOf: ({ companyId }) => ({ companyId }),
  example: { pk: 'C#<company>#TEMPLATE_SYNC', sk: 'SYNC' },
});

/** Epoch milliseconds; 0: never synced. */
export const getSyncedAt = pattern(
  { question: 'when were the templates last synced', entity: 'template-sync', by: 'GetItem', units: '1 RRU, read consistently' },
  async (companyId: number): Promise<number> => (await templateSyncEntity.get({ companyId }, { consistent: true }))?.syncedAt ?? 0,
);

/** Of two syncs the one that began later counts. */
export const putSyncedAt = pattern(
  { question: 'a whole sync is done', entity: 'template-sync', by: 'PutItem', units: '1 WRU' },
  async (companyId: number, syncedAt: number): Promise<void> => {
    await templateSyncEntity.put({ companyId, syncedAt }, any(missing(), below('syncedAt', syncedAt)));
  },
);
