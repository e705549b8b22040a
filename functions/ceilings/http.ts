import { mapOk, ok, withMessage } from '../../shared/http/reply.ts';
import { serve } from '../../shared/http/serve.ts';
import { ceilingRoutes } from './contract/ceilings.ts';
import { getCeilings, setCeilings } from './service/ceilings.ts';

export const handler = serve(ceilingRoutes, {
  getCeilings: async ({ caller }) => ok(await getCeilings(caller.companyId), 'The spend ceilings.'),
  setCeilings: async ({ caller, body }) => mapOk(await setCeilings(caller.companyId, body), withMessage('The spend ceilings.')),
});
