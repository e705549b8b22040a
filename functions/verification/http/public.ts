import { isProblem } from '../../../shared/contract/problems.ts';
import { answerSeal } from '../../../shared/http/answer-seal.ts';
import { answer, mapOk } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { verificationRoutes } from '../contract/routes.ts';
import { getVerificationConfig } from '../service/configuration.ts';
import { confirmMagicLink, openMagicLink } from '../service/magic-links.ts';
import { toRequestResponse } from '../service/request-response.ts';
import { requestVerification } from '../service/request-verification.ts';
import { resendCode } from '../service/resend-code.ts';
import { getVerificationStatus } from '../service/verification-status.ts';
import { verifyCode } from '../service/verify-code.ts';
import { inSteps } from './answer-time.ts';
import { readingEarly } from './early-read.ts';
import { toPageResponse } from './pages.ts';

const respond = <B>({ body, headers }: { body: B; headers: Record<string, string> }) => answer<200, B>(200, body, headers);

export const handler = inSteps(
  readingEarly(
    serve(
      verificationRoutes,
      {
        requestVerification: async (call) => {
          const result = await requestVerification(call, call.body);
          return isProblem(result)
            ? result
            : respond({ body: await toRequestResponse(result, new URL(call.url).origin), headers: result.headers });
        },
        verifyCode: async (call) => mapOk(await verifyCode(call, call.body), respond),
        getVerificationStatus: async (call) => mapOk(await getVerificationStatus(call, call.params.request_id), respond),
        resendCode: async (call) => mapOk(await resendCode(call, call.body.request_id), respond),
        getVerificationConfig: async (call) => mapOk(await getVerificationConfig(call), respond),
        openMagicLink: async ({ params, method, headers, sourceIp }) =>
          toPageResponse(await openMagicLink(params, { method, headers, sourceIp })),
        confirmMagicLink: async ({ params, headers, sourceIp }) => toPageResponse(await confirmMagicLink(params, { headers, sourceIp })),
      },
      { seal: answerSeal },
    ),
  ),
);
