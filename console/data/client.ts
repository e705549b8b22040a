import { type Answer, type Input, type OperationName, SwitchboardProblem, switchboard } from '../../client/client.ts';
import { pollSoon } from './look.ts';
import { withProof } from './proof.ts';
import { recordRequest } from './request-log.ts';
import { checkUser, leavePage, sessionName } from './signed-in.ts';

export { SwitchboardProblem };
export type { Answer, Input, OperationName };

/** A call to the product beside these pages. The browser sends the session, and no script sees it; what this user has to prove comes first. */
export const fetchHere = async (url: string, init: RequestInit): Promise<Response> => {
  await checkUser();
  const startedAt = Date.now();
  const began = performance.now();
  const record = (answer?: Response): void =>
    recordRequest({
      method: init.method ?? 'GET',
      path: url.slice(location.origin.length),
      status: answer?.status ?? 0,
      ms: Math.round(performance.now() - began),
      requestId: answer?.headers.get('x-request-id') ?? undefined,
      startedAt,
    });
  try {
    const own = ofThisSession(init);
    const send = (isAgain: boolean): Promise<Response> =>
      // the time of the first try is over while the user proves to be there
      fetch(url, isAgain ? { ...own, signal: AbortSignal.timeout(timeoutMs) } : own);
    // a page that closes still says that its user left
    const answer = await (url.endsWith('/presence') ? fetch(url, { ...own, keepalive: true }) : withProof(send));
    record(answer);
    if (answer.ok && init.method !== undefined && init.method !== 'GET' && !url.endsWith('/presence')) pollSoon();
    // another tab signed another user in after the look above: nothing was done, and this page is no longer of who is signed in
    if (await isOfAnotherSession(answer)) await leavePage('/console/');
    return answer;
  } catch (error) {
    if (!init.signal?.aborted) record();
    throw error;
  }
};

/** The API beside these pages. Reads are tried twice in all, by the query cache once. */
export const api = switchboard({ baseUrl: location.origin, session: true, attempts: 2, fetch: fetchHere });

const timeoutMs = 30_000;

/** Names the user of this page to the API, which knows from the cookie who calls. */
const ofThisSession = (init: RequestInit): RequestInit => {
  const name = sessionName();
  return name === undefined ? init : { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), 'x-session': name } };
};

const isOfAnotherSession = async (answer: Response): Promise<boolean> => {
  if (answer.status !== 409) return false;
  const body: unknown = await answer.clone().json();
  return typeof body === 'object' && body !== null && 'code' in body && body.code === 'other_session';
};
