import { isProblem } from '../../../shared/contract/problems.ts';
import { mapOk, ok, okByCursor, withMessage } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { answerSeal } from '../../../shared/http/answer-seal.ts';
import { accountRoutes } from '../contract/routes.ts';
import { listAuditEntries } from '../../account/service/audit.ts';
import { getCompanySettings } from '../../account/service/companies.ts';
import { updateCompanySettings } from '../service/company-settings.ts';
import {
  createMachineToken,
  listMachineTokens,
  revokeMachineToken,
  rotateMachineToken,
  updateMachineToken,
} from '../../account/service/company-machine-tokens.ts';
import { getMe } from '../service/me.ts';
import { createToken, listTokens, revokeToken, rotateToken } from '../../account/service/personal-tokens.ts';
import { getUsage } from '../service/usage.ts';
import { getWeeklySummary, setWeeklySummary } from '../../summaries/service/weekly-summary.ts';
import { createUser, listUsers, nextUserId, updateUser } from '../../account/service/users.ts';

export const handler = serve(
  accountRoutes,
  {
    getMe: async ({ caller }) => {
      const profile = await getMe(caller.companyId, caller);
      return isProblem(profile) ? profile : ok(profile, 'The user and company of this token.');
    },

    getWeeklySummary: async ({ caller }) =>
      mapOk(await getWeeklySummary(caller.companyId, caller.userId), withMessage('Your choice of the weekly summary.')),
    setWeeklySummary: async ({ caller, body }) =>
      mapOk(await setWeeklySummary(caller.companyId, caller.userId, body), withMessage('Your choice of the weekly summary.')),

    getCompanySettings: async ({ caller }) => mapOk(await getCompanySettings(caller.companyId), withMessage('The company.')),
    updateCompanySettings: async ({ caller, body }) =>
      mapOk(await updateCompanySettings(caller.companyId, body), withMessage('The settings were changed.')),

    listUsers: async ({ caller, query }) =>
      mapOk(await listUsers(caller.companyId, query.status), withMessage('The users of the company.')),
    createUser: async ({ caller, body, once }) =>
      mapOk(
        await createUser(caller.companyId, body, { id: await once('user', () => nextUserId(caller.companyId)), by: caller }),
        withMessage('The user was created. Give them a token with POST /api/v1/tokens.'),
      ),
    updateUser: async ({ caller, params, body }) =>
      mapOk(await updateUser(caller.companyId, params.id, body, { by: caller }), withMessage('The user was changed.')),

    listTokens: async ({ caller, query }) => mapOk(await listTokens(caller, query), withMessage('The tokens.')),
    createToken: async ({ caller, body }) => mapOk(await createToken(caller, body), secretOnce),
    rotateToken: async ({ caller, params, body }) => mapOk(await rotateToken(caller, params.id, body.overlap_hours), secretOnce),
    revokeToken: async ({ caller, params }) => mapOk(await revokeToken(caller, params.id), withMessage('The token was revoked.')),

    listMachineTokens: async ({ caller }) => mapOk(await listMachineTokens(caller.companyId), withMessage('The ERP and webhook tokens.')),
    createMachineToken: async ({ caller, body, url }) => mapOk(await createMachineToken(caller, body, new URL(url).origin), secretOnce),
    updateMachineToken: async ({ caller, params, body }) =>
      mapOk(await updateMachineToken(caller, params.id, body), withMessage('The secret of the sender was replaced.')),
    rotateMachineToken: async ({ caller, params, body, url }) =>
      mapOk(await rotateMachineToken(caller, params.id, body.overlap_hours, new URL(url).origin), secretOnce),
    revokeMachineToken: async ({ caller, params }) =>
      mapOk(await revokeMachineToken(caller.companyId, params.id), withMessage('The token was revoked.')),

    getUsage: async ({ caller, query }) => mapOk(await getUsage(caller.companyId, query), withMessage('The usage by UTC day.')),

    listAuditEntries: async ({ caller, query }) =>
      mapOk(await listAuditEntries(caller.companyId, query), (page) => okByCursor(page, 'Changes of the account, newest first.')),
  },
  { seal: answerSeal },
);

function secretOnce<T>(record: T): ReturnType<typeof ok<T>> {
  return ok(record, 'Save the secret now: it is not shown again.');
}

/** Shows the record with the message. */
