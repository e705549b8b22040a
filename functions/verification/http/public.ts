import { isProblem } from '../../../shared/contract/problems.ts';
import { answer } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { keyedHash, seal, unseal } from '../../../shared/runtime/seal.ts';
import { verificationRoutes } from '../contract/routes.ts';
import { pageAnswer } from '../page.ts';
import type { CallContext } from '../service/caller.ts';
import { getVerificationConfig } from '../service/configuration.ts';
import { openMagicLink } from '../service/magic-links.ts';
import { toRequestResponse } from '../service/request-response.ts';
import { requestVerification } from '../service/request-verification.ts';
import { resendCode } from '../service/resend-code.ts';
import { verifyCode, getVerificationStatus } from '../service/verify-code.ts';

const request = async (call: CallContext, input: Parameters<typeof requestVerification>[1]) => {
  const outcome = await requestVerification(call, input);
  if (isProblem(outcome)) return outcome;
  if (outcome.kind === 'asked') return answer(200, await toRequestResponse(outcome, new URL(call.url).origin), outcome.headers);
  const cached = { success: true as const, cached: true as const, verified: true as const, trust_key: outcome.trustKey };
  return answer(200, cached, outcome.headers);
};

const verify = async (call: CallContext, requestId: string, code: string) => {
  const outcome = await verifyCode(call, requestId, code);
  if (isProblem(outcome)) return outcome;
  return answer(200, 'right' in outcome ? outcome.right : outcome.wrong, outcome.headers);
};

const magic = async (
  { method, headers }: { method: string; headers: Readonly<Record<string, string>> },
  { request_id, token }: { request_id: string; token: string },
) => {
  const { page, continueAt } = await openMagicLink({ method, userAgent: headers['user-agent'] }, request_id, token);
  return pageAnswer(page, continueAt);
};

const shown = <O extends { body: unknown; headers: Record<string, string> }>({ body, headers }: O) =>
  answer<200, O['body']>(200, body, headers);

export const handler = serve(
  verificationRoutes,
  {
    verificationConfig: async (call) => {
      const outcome = await getVerificationConfig(call);
      return isProblem(outcome) ? outcome : shown(outcome);
    },
    requestVerification: (call) => request(call, call.body),
    verifyCode: (call) => verify(call, call.body.request_id, call.body.code),
    verificationStatus: async (call) => {
      const outcome = await getVerificationStatus(call, call.params.request_id);
      return isProblem(outcome) ? outcome : shown(outcome);
    },
    resendCode: async (call) => {
      const outcome = await resendCode(call, call.body.request_id);
      return isProblem(outcome) ? outcome : shown(outcome);
    },
    openMagicLink: (call) => magic(call, call.params),
    confirmMagicLink: (call) => magic(call, call.params),
  },
  { seal, unseal, keyedHash },
);
