import { isProblem } from '../../shared/contract/problems.ts';
import { ok } from '../../shared/http/reply.ts';
import { serve } from '../../shared/http/serve.ts';
import { sendRoutes } from './contract/send.ts';
import { sendText, type SendContext, type TextSend } from './service/sending.ts';
import { sendView } from './view.ts';

const send = async (companyId: number, input: TextSend, context: SendContext) => {
  const outcome = await sendText(companyId, input, context);
  if (isProblem(outcome)) return outcome;
  const view = sendView(outcome);
  return view.ambiguous
    ? { ...ok(view, 'The provider has not answered yet; the status will tell.'), status: 202 as const }
    : ok(view, 'Message accepted.');
};

export const handler = serve(sendRoutes, {
  sendText: (request) => send(request.caller.companyId, request.body, request),
  sendTextByGet: (request) => send(request.caller.companyId, request.query, request),
});
