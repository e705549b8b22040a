import { answer } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { erpRoutes } from '../contract/erp.ts';
import { syncProducts } from '../service/sync.ts';
import { unlessRefused } from './replies.ts';

export const handler = serve(erpRoutes, {
  syncErp: async ({ caller, body }) =>
    unlessRefused(await syncProducts(caller.companyId, body.products), (data) =>
      answer(200, { success: true as const, message: `${data.synced} ${data.synced === 1 ? 'product' : 'products'} synced`, data }),
    ),
});
