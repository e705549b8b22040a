import { requestEntityName, storedRequest } from '../../functions/verification/contract/stored.ts';
import { getBlock } from '../../functions/verification/store/block.ts';
import { getRequestBudget } from '../../functions/verification/store/request-budget.ts';
import type { Answer } from '../support/gateway-event.ts';
import type { Fixture } from './fixture.ts';

/** What was seen while a run lasted, that is not in the table at its end. */
export interface Recorder extends Disposable {
  /** Violations, in words. */
  violations: string[];
  /** Requests that began while the recorder watched. */
  started: Set<string>;
  /** Claims of messages that were not given back, by request: each may be, and must be, one message. */
  claims: Map<string, number>;
  /** Wrong codes that a client saw refused. */
  compared: Map<string, number>;
  verified: Set<string>;
  /** People whose count of guesses the company began anew, or tried to. */
  unblocked: Set<string>;
  recordAttempt: (requestId: string, answer: Answer, isRight: boolean) => void;
  /** The company is about to end a block; what it gives back is recorded with whether that was acknowledged. */
  recordUnblock: (companyId: number, blockId: string) => Promise<(isDone: boolean) => Promise<void>>;
}

/** Messages that may not have gone though they were claimed: refused, given up for a later one, nothing recorded, or their process died. By request. */
export const excuses = new Map<string, number>();
export const excuseMessage = (requestId: string): void => void excuses.set(requestId, (excuses.get(requestId) ?? 0) + 1);

export const startRecorder = ({ testApp }: Fixture): Recorder => {
  const wrong: string[] = [];
  const born = new Set<string>();
  const claims = new Map<string, number>();
  const compared = new Map<string, number>();
  const verified = new Set<string>();
  const lifted = new Set<string>();
  const answers = new Map<string, string>();
  const add = (to: Map<string, number>, id: string, much: number): void => void to.set(id, (to.get(id) ?? 0) + much);

  const watch = testApp.onChange((change) => {
    if ((change.after ?? change.before)?.['kind'] !== requestEntityName) return;
    const [before, after] = [change.before, change.after].map((image) => image && storedRequest.parse(image));
    if (!after) return;
    if (!before) born.add(after.id);
    if (before && before.status !== 'pending' && JSON.stringify(before) !== JSON.stringify(after))
      wrong.push(`${after.id} went from ${before.status} to ${after.status}`);
    if (after.status !== 'pending' && after.sealedCode !== undefined) wrong.push(`${after.id} is over and its code is kept`);
    const step = Math.sign((after.claimedSend ?? 0) - (before?.claimedSend ?? 0));
    if (step !== 0) add(claims, after.id, step);
  });

  return {
    violations: wrong,
    started: born,
    claims,
    compared,
    verified,
    unblocked: lifted,
    recordAttempt: (requestId, answer, isRight) => {
      const { verified: isProof, trust_key, verified_at } = (answer.body ?? {}) as Record<string, unknown>;
      if (answer.status !== 200) return;
      if (isProof === false) add(compared, requestId, 1);
      if (isProof !== true) return;
      if (!isRight) wrong.push(`${requestId} was proven by a wrong code`);
      verified.add(requestId);
      const proof = `${String(trust_key)} ${String(verified_at)}`;
      if ((answers.get(requestId) ?? proof) !== proof) wrong.push(`${requestId} was proven twice`);
      answers.set(requestId, proof);
      if (Date.parse(String(verified_at)) + repeatMs < testApp.clock.now()) wrong.push(`${requestId}'s code was taken after its minute`);
    },
    recordUnblock: async (companyId, blockId) => {
      const block = await getBlock(companyId, blockId);
      if (block) lifted.add(block.subject);
      return async (isDone) => {
        if (!isDone || block?.subjectKind !== 'identifier') return;
        const budget = await getRequestBudget(
          { companyId, profileId: block.profileId, identifierHash: block.subject },
          { consistent: true },
        );
        if (budget?.blockedUntil !== undefined) wrong.push(`${blockId} was ended and still blocks`);
        if (await getBlock(companyId, blockId)) wrong.push(`${blockId} was ended and is still listed`);
      };
    },
    [Symbol.dispose]: () => watch[Symbol.dispose](),
  };
};

/** The minute in which a right code may be repeated, and what a call may take. */
const repeatMs = 60_000 + 5_000;
