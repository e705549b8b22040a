import type { Operations } from '../../../shared/contract/route.ts';
import { answer, mapOk } from '../../../shared/http/reply.ts';
import type { erpRoutes } from '../contract/erp.ts';
import { syncErp } from '../service/erp-sync.ts';

export const erpOperations: Operations<typeof erpRoutes> = {
  syncErp: async ({ caller, body }) =>
    mapOk(await syncErp(caller.companyId, body.products), (data) =>
      answer(200, { success: true as const, message: `${data.synced} ${data.synced === 1 ? 'product' : 'products'} synced`, data }),
    ),
};
