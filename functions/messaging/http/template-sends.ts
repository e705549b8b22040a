import { isProblem } from '../../../shared/contract/problems.ts';
import { ok, okDeleted } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { keyedHash, seal, unseal } from '../../../shared/runtime/seal.ts';
import { mediaRoutes } from '../contract/media.ts';
import { templateSendRoutes } from '../contract/send-template.ts';
import { cancelMessage } from '../service/scheduled-messages.ts';
import { sendTemplate, sendTemplateByGet } from '../service/send-template.ts';
import { createUpload } from '../service/uploads.ts';
import { deprecationHeaders, sendResponse, toUploadView } from './responses.ts';

export const handler = serve(
  { ...templateSendRoutes, ...mediaRoutes },
  {
    sendTemplate: async (request) =>
      sendResponse(await sendTemplate(request.caller.companyId, request.body, request), deprecationHeaders(request.body)),
    sendTemplateByGet: async (request) => sendResponse(await sendTemplateByGet(request.caller.companyId, request.query, request)),
    cancelMessage: async ({ caller, params }) => {
      const cancelled = await cancelMessage(caller.companyId, params.id);
      return isProblem(cancelled) ? cancelled : okDeleted(cancelled.id, 'Message cancelled.');
    },
    createUpload: async ({ caller, body, operationId }) => {
      const upload = await createUpload(caller.companyId, body, operationId);
      return isProblem(upload) ? upload : ok(toUploadView(upload), 'Put the file at upload_url.');
    },
  },
  { seal, unseal, keyedHash },
);
