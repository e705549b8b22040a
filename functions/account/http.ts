import { isProblem } from '../../shared/contract/problems.ts';
import { mapOk, ok } from '../../shared/http/reply.ts';
import { serve } from '../../shared/http/serve.ts';
import { routes } from './contract.ts';
import { auditRoutes } from './contract/audit.ts';
import { listAuditEntries } from './service/audit.ts';
import { getMe } from './service/me.ts';

export const handler = serve(
  { ...routes, ...auditRoutes },
  {
    getMe: async ({ caller }) => {
      const profile = await getMe(caller.companyId, caller);
      return isProblem(profile) ? profile : ok(profile, 'The user and company of this token.');
    },

    listAuditEntries: async ({ caller, query }) =>
      mapOk(await listAuditEntries(caller.companyId, query), ({ entries, nextCursor }) => ({
        status: 200 as const,
        body: {
          status: 'success' as const,
          message: 'Changes of the account, newest first.',
          data: entries,
          meta: { has_more: nextCursor !== null, next_cursor: nextCursor },
        },
      })),
  },
);
