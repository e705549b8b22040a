import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { TemplateRefusal } from '../domain/refusal.ts';

/** The Problem of a call that the provider rejected, with the field it names where that is known. */
export const providerRejected = (refusal: TemplateRefusal, components: readonly { type: string }[] = []): Problem<'provider_rejected'> => {
  const index = components.findIndex(({ type }) => type === refusal.about);
  const field = index >= 0 ? `components.${index}` : refusal.about === 'name' ? 'name' : null;
  return problem('provider_rejected', {
    message: `The messaging provider refused: ${refusal.title}.`,
    details: {
      provider_code: refusal.code,
      provider_subcode: refusal.subcode ?? null,
      title: refusal.title,
      details: refusal.details ?? null,
      field,
      retryable: refusal.retryable,
      fix: refusal.fix,
    },
  });
};

/** The Problem of a call that the provider throttled, or whose result is unknown: the caller repeats the request. */
export const providerUnavailable = (
  answer: { outcome: 'busy'; retryAfterSeconds: number } | { outcome: 'unknown' },
): Problem<'temporarily_unavailable'> =>
  answer.outcome === 'busy'
    ? problem('temporarily_unavailable', {
        message: 'The messaging provider takes no calls at the moment.',
        retryAfterSeconds: answer.retryAfterSeconds,
      })
    : problem('temporarily_unavailable', {
        message: 'The messaging provider did not answer in time. Repeat the request, with the same Idempotency-Key if it had one.',
        retryAfterSeconds: 5,
      });
