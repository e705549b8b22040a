import { isProblem } from '../../../shared/contract/problems.ts';
import { ok, removed } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { mediaRoutes } from '../contract/media.ts';
import { templateSendRoutes } from '../contract/send-template.ts';
import { cancelMessage } from '../service/due.ts';
import { sendTemplate } from '../service/sending-template.ts';
import { createUpload } from '../service/uploading.ts';
import { legacyHeaders, sendAnswer, uploadRecord } from '../view.ts';

export const handler = serve(
  { ...templateSendRoutes, ...mediaRoutes },
  {
    sendTemplate: async (request) =>
      sendAnswer(await sendTemplate(request.caller.companyId, request.body, request), legacyHeaders(request.body)),
    sendTemplateByGet: async (request) => sendAnswer(await sendTemplate(request.caller.companyId, request.query, request)),
    cancelMessage: async ({ caller, params }) => {
      const cancelled = await cancelMessage(caller.companyId, params.id);
      return isProblem(cancelled) ? cancelled : removed(cancelled.id, 'Message cancelled.');
    },
    createUpload: async ({ caller, body, operationId }) => {
      const upload = await createUpload(caller.companyId, body, operationId);
      return isProblem(upload) ? upload : ok(uploadRecord(upload), 'Put the file at upload_url.');
    },
  },
);
