import { isProblem } from '../../../shared/contract/problems.ts';
import { answerSeal } from '../../../shared/http/answer-seal.ts';
import { ok } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { preferenceRoutes } from '../contract/preference.ts';
import { getPreferences, replacePreferences } from '../service/preferences.ts';

export const handler = serve(
  preferenceRoutes,
  {
    getPreferences: async ({ caller }) => ok(await getPreferences(caller.companyId, caller.userId), 'Your notification preferences.'),

    replacePreferences: async ({ caller, body }) => {
      const outcome = await replacePreferences(caller.companyId, caller.userId, body);
      if (isProblem(outcome)) return outcome;
      return ok(outcome, outcome.verification ? 'Send the code from the work number to verify it.' : 'Your notification preferences.');
    },
  },
  { seal: answerSeal },
);
