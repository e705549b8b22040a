import { isProblem } from '../../../shared/contract/problems.ts';
import { answerSeal } from '../../../shared/http/answer-seal.ts';
import { answer, ok, okDeleted } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { mediaRoutes } from '../../media/contract/upload.ts';
import { messageRoutes } from '../contract/message.ts';
import { templateSendRoutes } from '../contract/send-template.ts';
import { messageDetailsView, messageView } from '../service/message-views.ts';
import { cancelMessage } from '../service/scheduled-messages.ts';
import { sendTemplate, sendTemplateByGet } from '../service/send-template.ts';
import { getMessage, listMessages, rescheduleMessage } from '../service/stored-messages.ts';
import { createUpload } from '../../media/service/uploads.ts';
import { deprecationHeaders, sendResponse, toUploadView } from './responses.ts';

export const handler = serve(
  { ...templateSendRoutes, ...messageRoutes, ...mediaRoutes },
  {
    sendTemplate: async (request) =>
      sendResponse(await sendTemplate(request.caller.companyId, request.body, request), deprecationHeaders(request.body)),
    sendTemplateByGet: async (request) => sendResponse(await sendTemplateByGet(request.caller.companyId, request.query, request)),
    listMessages: async ({ caller, query }) => {
      const page = await listMessages(caller.companyId, query);
      if (isProblem(page)) return page;
      const meta = { per_page: query.limit, next_cursor: page.nextCursor ?? null };
      const data = await Promise.all(page.items.map(messageView));
      return answer(200, { data, meta, status: 'success' as const, message: 'Scheduled messages.' });
    },
    getMessage: async ({ caller, params, query }) => {
      const message = await getMessage(caller.companyId, params.id, query.contact_id);
      return isProblem(message) ? message : ok(await messageDetailsView(message), 'Message.');
    },
    rescheduleMessage: async ({ caller, params, query, body }) => {
      const message = await rescheduleMessage(caller.companyId, params.id, body, query.contact_id);
      return isProblem(message) ? message : ok(await messageView(message), 'Message rescheduled.');
    },
    cancelMessage: async ({ caller, params, query }) => {
      const cancelled = await cancelMessage(caller.companyId, params.id, query.contact_id);
      return isProblem(cancelled) ? cancelled : okDeleted(cancelled.id, 'Message cancelled.');
    },
    createUpload: async ({ caller, body, operationId }) => {
      const upload = await createUpload(caller.companyId, body, operationId);
      return isProblem(upload) ? upload : ok(toUploadView(upload), 'Put the file at upload_url.');
    },
  },
  { seal: answerSeal },
);
