import { isProblem } from '../../shared/contract/problems.ts';
import { answer } from '../../shared/http/reply.ts';
import { serve } from '../../shared/http/serve.ts';
import { keyedHash, seal, unseal } from '../../shared/runtime/seal.ts';
import { verificationRoutes } from './contract/routes.ts';
import { pageAnswer } from './page.ts';
import type { Call } from './service/caller.ts';
import { readConfig } from './service/configuring.ts';
import { openPage } from './service/opening.ts';
import { askedBody } from './service/asked-body.ts';
import { ask } from './service/requesting.ts';
import { resend } from './service/resending.ts';
import { guess, readStatus } from './service/verifying.ts';

const request = async (call: Call, input: Parameters<typeof ask>[1]) => {
  const outcome = await ask(call, input);
  if (isProblem(outcome)) return outcome;
  if (outcome.kind === 'asked') return answer(200, await askedBody(outcome, new URL(call.url).origin), outcome.headers);
  const cached = { success: true as const, cached: true as const, verified: true as const, trust_key: outcome.trustKey };
  return answer(200, cached, outcome.headers);
};

const verify = async (call: Call, requestId: string, code: string) => {
  const outcome = await guess(call, requestId, code);
  if (isProblem(outcome)) return outcome;
  return answer(200, 'right' in outcome ? outcome.right : outcome.wrong, outcome.headers);
};

const magic = async (
  { method, headers }: { method: string; headers: Readonly<Record<string, string>> },
  { request_id, token }: { request_id: string; token: string },
) => {
  const { page, continueAt } = await openPage({ method, userAgent: headers['user-agent'] }, request_id, token);
  return pageAnswer(page, continueAt);
};

const shown = <O extends { body: unknown; headers: Record<string, string> }>({ body, headers }: O) =>
  answer<200, O['body']>(200, body, headers);

export const handler = serve(
  verificationRoutes,
  {
    verificationConfig: async (call) => {
      const outcome = await readConfig(call);
      return isProblem(outcome) ? outcome : shown(outcome);
    },
    requestVerification: (call) => request(call, call.body),
    verifyCode: (call) => verify(call, call.body.request_id, call.body.code),
    verificationStatus: async (call) => {
      const outcome = await readStatus(call, call.params.request_id);
      return isProblem(outcome) ? outcome : shown(outcome);
    },
    resendCode: async (call) => {
      const outcome = await resend(call, call.body.request_id);
      return isProblem(outcome) ? outcome : shown(outcome);
    },
    openMagicLink: (call) => magic(call, call.params),
    confirmMagicLink: (call) => magic(call, call.params),
  },
  { seal, unseal, keyedHash },
);
