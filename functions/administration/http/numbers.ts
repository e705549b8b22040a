import { answerSeal } from '../../../shared/http/answer-seal.ts';
import { mapOk, ok, okByCursor, withMessage } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { createNumberLink, deleteNumberLink, listNumberLinks, updateNumberLink } from '../../messaging/service/number-links.ts';
import { getNumberAutomation, updateNumberAutomation } from '../../messaging/service/number-automation.ts';
import { deleteNumberUsername, getNumberUsername, setNumberUsername } from '../../messaging/service/number-username.ts';
import { getNumberProfile, updateNumberProfile } from '../../messaging/service/number-profile.ts';
import { numbersApiRoutes } from '../contract/numbers-api.ts';
import { toNumberCheck, toNumberConnection } from '../domain/number-finding.ts';
import { toCompletedSignup, toNewSignup, toSignup } from '../domain/signup-view.ts';
import { checkNumber } from '../service/check-number.ts';
import { createApp, rotateAppSecret } from '../service/company-apps.ts';
import { deleteApp, getApp, listApps } from '../../account/service/company-apps.ts';
import { receiverUrl } from '../../account/service/company-machine-tokens.ts';
import { connectNumber, connectTimeLimits } from '../service/connect-number.ts';
import { completeSignup, createSignup, getSignup, nextSignupId } from '../service/signups.ts';
import { addNumber, getNumber, listNumbers, nextNumberId, rotateNumberSecrets, updateNumber } from '../../account/service/numbers.ts';

export const handler = serve(
  numbersApiRoutes,
  {
    listNumbers: async ({ caller }) => mapOk(await listNumbers(caller.companyId), withMessage('The business numbers.')),
    addNumber: async ({ caller, body, once }) =>
      mapOk(await addNumber(caller.companyId, body, { id: await once('number', () => nextNumberId(caller.companyId)) }), (added) =>
        ok({ ...added.number, verify_token: added.verify_token }, 'Save the verify token now: it is not shown again.'),
      ),
    getNumber: async ({ caller, params }) => mapOk(await getNumber(caller.companyId, params.id), withMessage('The number.')),
    updateNumber: async ({ caller, params, body }) =>
      mapOk(await updateNumber(caller.companyId, params.id, body), withMessage('The number was changed.')),
    rotateNumberSecrets: async ({ caller, params, body }) =>
      mapOk(await rotateNumberSecrets(caller.companyId, params.id, body), withMessage('The secrets were replaced.')),
    checkNumber: async ({ caller, params }) =>
      mapOk(await checkNumber(caller.companyId, params.id), (findings) => ok(toNumberCheck(findings), 'What was found.')),
    connectNumber: async ({ caller, params, body, url }) => {
      const webhookUrl = (token: string): string => receiverUrl('messaging', token, new URL(url).origin);
      const connected = await connectNumber(caller.companyId, params.id, { ...body, webhookUrl, timeLimits: connectTimeLimits });
      return mapOk(connected, (connection) => ok(toNumberConnection(connection), 'What was done, and what was found.'));
    },
    listNumberLinks: async ({ caller, params, query }) =>
      mapOk(await listNumberLinks(caller.companyId, params.id, query), (page) => okByCursor(page, 'Short links of the number.')),
    createNumberLink: async ({ caller, params, body, startedAt }) =>
      mapOk(await createNumberLink(caller.companyId, params.id, body, { startedAt }), withMessage('The short link.')),
    updateNumberLink: async ({ caller, params, body, startedAt }) =>
      mapOk(
        await updateNumberLink(caller.companyId, params.id, params.code, body, { startedAt }),
        withMessage('The short link was changed.'),
      ),
    deleteNumberLink: async ({ caller, params, startedAt }) =>
      mapOk(await deleteNumberLink(caller.companyId, params.id, params.code, { startedAt }), withMessage('The short link was deleted.')),
    getNumberProfile: async ({ caller, params }) =>
      mapOk(await getNumberProfile(caller.companyId, params.id), withMessage('The business profile.')),
    updateNumberProfile: async ({ caller, params, body, startedAt }) =>
      mapOk(await updateNumberProfile(caller.companyId, params.id, body, { startedAt }), withMessage('The business profile was changed.')),
    getNumberUsername: async ({ caller, params }) =>
      mapOk(await getNumberUsername(caller.companyId, params.id), withMessage('The username.')),
    setNumberUsername: async ({ caller, params, body, startedAt }) =>
      mapOk(await setNumberUsername(caller.companyId, params.id, body, { startedAt }), withMessage('The username was reserved.')),
    deleteNumberUsername: async ({ caller, params, startedAt }) =>
      mapOk(await deleteNumberUsername(caller.companyId, params.id, { startedAt }), withMessage('The username was deleted.')),
    getNumberAutomation: async ({ caller, params }) =>
      mapOk(await getNumberAutomation(caller.companyId, params.id), withMessage('The ice breakers and commands.')),
    updateNumberAutomation: async ({ caller, params, body, startedAt }) =>
      mapOk(
        await updateNumberAutomation(caller.companyId, params.id, body, { startedAt }),
        withMessage('The ice breakers and commands were changed.'),
      ),
    listApps: async ({ caller }) => mapOk(await listApps(caller.companyId), withMessage('The apps of the provider.')),
    createApp: async ({ caller, body, startedAt }) =>
      mapOk(await createApp(caller.companyId, body, { startedAt }), withMessage('The app was added.')),
    getApp: async ({ caller, params }) => mapOk(await getApp(caller.companyId, params.app_id), withMessage('The app.')),
    rotateAppSecret: async ({ caller, params, body }) =>
      mapOk(await rotateAppSecret(caller.companyId, params.app_id, body.app_secret), withMessage('The secret was replaced.')),
    deleteApp: async ({ caller, params, startedAt }) =>
      mapOk(await deleteApp(caller.companyId, params.app_id, { startedAt }), ({ app_id }) =>
        ok({ app_id, deleted: true as const }, 'The app was deleted.'),
      ),
    createSignup: async ({ caller, once }) =>
      mapOk(await createSignup(caller, await once('signup', () => nextSignupId(caller.companyId))), (created) =>
        ok(toNewSignup(created), 'Open the dialog of the provider, and complete the signup with its code at once.'),
      ),
    getSignup: async ({ caller, params }) =>
      mapOk(await getSignup(caller.companyId, params.id), (signup) => ok(toSignup(signup), 'How far the signup is.')),
    completeSignup: async ({ caller, params, body, url }) => {
      const webhookUrl = (token: string): string => receiverUrl('messaging', token, new URL(url).origin);
      const completed = await completeSignup(caller, params.id, body, { webhookUrl, timeLimits: connectTimeLimits });
      return mapOk(completed, (result) => ok(toCompletedSignup(result), 'What was done, and what was found.'));
    },
  },
  { seal: answerSeal },
);
