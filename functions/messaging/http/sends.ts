import { readMultipart } from '../../../shared/http/multipart.ts';
import { mapOk, ok } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { isoTime } from '../../../shared/runtime/clock.ts';
import { sendRoutes } from '../contract/send.ts';
import { typingRoutes } from '../contract/typing.ts';
import { sendContacts } from '../service/send-contacts.ts';
import { sendInteractive } from '../service/send-interactive.ts';
import { sendList, sendListByGet } from '../service/send-list.ts';
import { sendLocation } from '../service/send-location.ts';
import { sendReaction } from '../service/send-reaction.ts';
import { sendText, sendTextByGet } from '../service/send-text.ts';
import { sendTypingIndicator } from '../service/send-typing-indicator.ts';
import { sendResponse } from './responses.ts';

export const handler = serve(
  { ...sendRoutes, ...typingRoutes },
  {
    sendText: async (request) => sendResponse(await sendText(request.caller.companyId, request.body, request)),
    sendTextByGet: async (request) => sendResponse(await sendTextByGet(request.caller.companyId, request.query, request)),
    sendList: async (request) => sendResponse(await sendList(request.caller.companyId, request.body, request)),
    sendListByGet: async (request) => sendResponse(await sendListByGet(request.caller.companyId, request.query, request)),
    sendContacts: async (request) => sendResponse(await sendContacts(request.caller.companyId, request.body, request)),
    sendInteractive: async (request) => sendResponse(await sendInteractive(request.caller.companyId, request.body, request)),
    sendLocation: async (request) => sendResponse(await sendLocation(request.caller.companyId, request.body, request)),
    sendReaction: async (request) => sendResponse(await sendReaction(request.caller.companyId, request.body, request)),
    sendTypingIndicator: async ({ caller, params }) =>
      mapOk(await sendTypingIndicator(caller.companyId, params.id), ({ messageId, expiresAtMs }) =>
        ok({ message_id: messageId, expires_at: isoTime(expiresAtMs) }, 'The contact sees that you are typing.'),
      ),
  },
  { readMultipart },
);
