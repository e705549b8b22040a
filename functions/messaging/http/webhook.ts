import { isProblem, problem } from '../../../shared/contract/problems.ts';
import { answer } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { appIdOfSubject } from '../../account/contract/provider-app.ts';
import { webhookRoutes } from '../contract/webhook.ts';
import { receiveAppWebhook, verifyAppWebhook } from '../service/receive-app-webhook.ts';
import { verifyWebhook, receiveWebhook } from '../service/receive-webhook.ts';

/** Of a company. Tokens of other receivers are not valid here. */
const receiverName = 'messaging';

export const handler = serve(webhookRoutes, {
  verifyWebhook: async ({ caller, params, query, countUnsigned }) => {
    const appId = appIdOfSubject(caller.subject);
    if (caller.subject !== receiverName && appId === undefined) return problem('not_found');
    const limited = await countUnsigned();
    if (limited) return limited;
    const challenge =
      appId === undefined
        ? await verifyWebhook(caller.companyId, params.webhook_token, query)
        : verifyAppWebhook(params.webhook_token, query);
    return isProblem(challenge) ? challenge : answer(200, challenge);
  },
  receiveWebhook: async ({ caller, rawBody, headers, countUnsigned }) => {
    const appId = appIdOfSubject(caller.subject);
    if (caller.subject !== receiverName && appId === undefined) return problem('not_found');
    const post = { caller, raw: rawBody, signature: headers['x-hub-signature-256'], countUnsigned };
    const received = await (appId === undefined ? receiveWebhook(post) : receiveAppWebhook(appId, post));
    return isProblem(received) ? received : answer(200, { status: 'success' as const, message: 'EVENT_RECEIVED' as const });
  },
});
