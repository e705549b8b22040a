import { isProblem, problem } from '../../../shared/contract/problems.ts';
import { answer } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { webhookRoutes } from '../contract/webhook.ts';
import { verifyWebhook, receiveWebhook } from '../service/receive-webhook.ts';

/** Tokens of other receivers are not valid here. */
const receiverName = 'messaging';

export const handler = serve(webhookRoutes, {
  verifyWebhook: async ({ caller, params, query, countUnsigned }) => {
    if (caller.subject !== receiverName) return problem('not_found');
    const limited = await countUnsigned();
    if (limited) return limited;
    const challenge = await verifyWebhook(caller.companyId, params.webhook_token, query);
    return isProblem(challenge) ? challenge : answer(200, challenge);
  },
  receiveWebhook: async ({ caller, rawBody, headers, countUnsigned }) => {
    if (caller.subject !== receiverName) return problem('not_found');
    const received = await receiveWebhook({ caller, raw: rawBody, signature: headers['x-hub-signature-256'], countUnsigned });
    return isProblem(received) ? received : answer(200, { status: 'success' as const, message: 'EVENT_RECEIVED' as const });
  },
});
