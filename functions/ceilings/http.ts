import { mapOk, ok, okDeleted, withMessage } from '../../shared/http/reply.ts';
import { serve } from '../../shared/http/serve.ts';
import { ceilingRoutes } from './contract/ceilings.ts';
import { tokenCeilingRoutes } from './contract/token-ceilings.ts';
import { getCeilings, setCeilings } from './service/ceilings.ts';
import { deleteTokenCeiling, listTokenCeilings, setTokenCeiling } from './service/token-ceilings.ts';

export const handler = serve(
  { ...ceilingRoutes, ...tokenCeilingRoutes },
  {
    getCeilings: async ({ caller }) => ok(await getCeilings(caller.companyId), 'The spend ceilings.'),
    setCeilings: async ({ caller, body }) => mapOk(await setCeilings(caller.companyId, body), withMessage('The spend ceilings.')),
    listTokenCeilings: async ({ caller }) => ok(await listTokenCeilings(caller.companyId), 'The ceilings of tokens.'),
    setTokenCeiling: async ({ caller, params, body }) =>
      mapOk(await setTokenCeiling(caller.companyId, params.id, body), withMessage('The ceiling of the token.')),
    deleteTokenCeiling: async ({ caller, params }) =>
      mapOk(await deleteTokenCeiling(caller.companyId, params.id), ({ id }) => okDeleted(id, 'The token has no ceiling any more.')),
  },
);
