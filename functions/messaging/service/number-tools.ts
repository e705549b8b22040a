import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { providerErrorEntry } from '../../../shared/provider/errors.ts';
import { type BusinessNumber, listBusinessNumbers } from '../../account/service/numbers.ts';
import type { SetupReply } from '../domain/number-setup.ts';

export type NumberToolProblem = Problem<'not_found' | 'provider_rejected' | 'temporarily_unavailable'>;

/** When the request began, epoch milliseconds: the same for its repetitions. */
export interface RequestTime {
  startedAt: number;
}

/** A number of the company, active or not. 0.5 RRU. */
export const requireBusinessNumber = async (companyId: number, id: number): Promise<BusinessNumber | Problem<'not_found'>> =>
  (await listBusinessNumbers(companyId)).find((each) => each.id === id) ?? problem('not_found');

/** What the provider answered, or why there is no answer. An object that it does not know is not found. */
export const answerOf = <T>(reply: SetupReply<T>): T | NumberToolProblem => {
  if (reply.outcome === 'answered') return reply.value;
  if (reply.outcome !== 'refused') return problem('temporarily_unavailable', { retryAfterSeconds: 5 });
  if (reply.code === 100 && reply.subcode === unknownObject) return problem('not_found');
  const code = reply.code ?? 0;
  const { title, fix, retryable } = providerErrorEntry(code);
  return problem('provider_rejected', {
    message: `The messaging provider refused it: ${title}.`,
    details: { provider_code: code, title, retryable, fix },
  });
};

const unknownObject = 33;
