import { serve } from '../../../shared/http/serve.ts';
import { sendRoutes } from '../contract/send.ts';
import { sendList, sendText } from '../service/sending-text.ts';
import { sendAnswer } from '../view.ts';

export const handler = serve(sendRoutes, {
  sendText: async (request) => sendAnswer(await sendText(request.caller.companyId, request.body, request)),
  sendTextByGet: async (request) => sendAnswer(await sendText(request.caller.companyId, request.query, request)),
  sendList: async (request) => sendAnswer(await sendList(request.caller.companyId, request.body, request)),
  sendListByGet: async (request) => sendAnswer(await sendList(request.caller.companyId, request.query, request)),
});
