import { readMultipart } from '../../../shared/http/multipart.ts';
import { serve } from '../../../shared/http/serve.ts';
import { sendRoutes } from '../contract/send.ts';
import { sendList, sendListByGet } from '../service/send-list.ts';
import { sendLocation } from '../service/send-location.ts';
import { sendReaction } from '../service/send-reaction.ts';
import { sendText, sendTextByGet } from '../service/send-text.ts';
import { sendResponse } from './responses.ts';

export const handler = serve(
  sendRoutes,
  {
    sendText: async (request) => sendResponse(await sendText(request.caller.companyId, request.body, request)),
    sendTextByGet: async (request) => sendResponse(await sendTextByGet(request.caller.companyId, request.query, request)),
    sendList: async (request) => sendResponse(await sendList(request.caller.companyId, request.body, request)),
    sendListByGet: async (request) => sendResponse(await sendListByGet(request.caller.companyId, request.query, request)),
    sendLocation: async (request) => sendResponse(await sendLocation(request.caller.companyId, request.body, request)),
    sendReaction: async (request) => sendResponse(await sendReaction(request.caller.companyId, request.body, request)),
  },
  { readMultipart },
);
