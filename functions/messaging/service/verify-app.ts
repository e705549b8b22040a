import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { providerErrorEntry } from '../../../shared/provider/errors.ts';
import { setting } from '../../../shared/runtime/env.ts';
import { getAppSubscription } from '../gateway/number-setup.ts';

/** Whether a secret is that of an app at the provider: only the app's own reads what it is subscribed to. Undefined: it is. */
export const verifyAppSecret = async (app: {
  id: string;
  secret: string;
}): Promise<Problem<'validation_failed' | 'temporarily_unavailable'> | undefined> => {
  const access = {
    version: setting('PROVIDER_VERSION'),
    baseUrl: undefined,
    accessToken: () => Promise.resolve(`${app.id}|${app.secret}`),
  };
  const reply = await getAppSubscription(access, app);
  if (reply.outcome === 'answered') return undefined;
  if (reply.outcome !== 'refused' || providerErrorEntry(reply.code ?? 0).retryable)
    return problem('temporarily_unavailable', { retryAfterSeconds: 5 });
  return invalid('app_secret', 'Is not the secret of this app at the provider.');
};
