/**
 * What makes credentials, users and numbers needs a user who has just shown to be there (403 `fresh_proof_required`): the call waits
 * for the user, and is then sent again. A call that was refused has done nothing.
 */
export const withProof = async (send: (isAgain: boolean) => Promise<Response>): Promise<Response> => {
  const answer = await send(false);
  return (await needsProof(answer)) && (await requestProof()) ? send(true) : answer;
};

const needsProof = async (answer: Response): Promise<boolean> => {
  if (answer.status !== 403) return false;
  const body: unknown = await answer.clone().json();
  return typeof body === 'object' && body !== null && 'code' in body && body.code === 'fresh_proof_required';
};

/** One proof is for all calls that wait for it. */
let open: { proven: Promise<boolean>; answer: (isProven: boolean) => void } | undefined;
const observers = new Set<() => void>();

const requestProof = (): Promise<boolean> => {
  if (!open) {
    const { promise: proven, resolve } = Promise.withResolvers<boolean>();
    // where no page can show the dialog, the refusal stands
    if (observers.size === 0) return Promise.resolve(false);
    change({ proven, answer: resolve });
    return proven;
  }
  return open.proven;
};

/** The user has proven to be there, or has closed the dialog. */
export const answerProof = (isProven: boolean): void => {
  const { answer } = open ?? {};
  change(undefined);
  answer?.(isProven);
};

const change = (next: typeof open): void => {
  open = next;
  for (const observer of observers) observer();
};

/** For the one component that shows the dialog. */
export const subscribeProof = (observer: () => void): (() => void) => {
  observers.add(observer);
  return () => observers.delete(observer);
};
export const isProofRequested = (): boolean => open !== undefined;
