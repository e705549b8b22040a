import { isProblem } from '../../shared/contract/problems.ts';
import { ok } from '../../shared/http/reply.ts';
import { serve } from '../../shared/http/serve.ts';
import { routes } from './contract.ts';
import { getMe } from './service/me.ts';

export const handler = serve(routes, {
  getMe: async ({ caller }) => {
    const profile = await getMe(caller.companyId, caller);
    return isProblem(profile) ? profile : ok(profile, 'The user and company of this token.');
  },
});
