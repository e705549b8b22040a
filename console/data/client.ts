import { type Answer, type Input, type OperationName, SwitchboardProblem, switchboard } from '../../client/client.ts';
import { recordRequest } from './request-log.ts';

export { SwitchboardProblem };
export type { Answer, Input, OperationName };

/** The API beside these pages. The browser sends the session; no script sees it. Reads are tried twice in all, by the query cache once. */
export const api = switchboard({
  baseUrl: location.origin,
  session: true,
  attempts: 2,
  fetch: async (url, init) => {
    const startedAt = Date.now();
    const began = performance.now();
    try {
      const answer = await fetch(url, init);
      recordRequest({
        method: init.method ?? 'GET',
        path: url.slice(location.origin.length),
        status: answer.status,
        ms: Math.round(performance.now() - began),
        requestId: answer.headers.get('x-request-id') ?? undefined,
        startedAt,
      });
      return answer;
    } catch (error) {
      if (!init.signal?.aborted)
        recordRequest({
          method: init.method ?? 'GET',
          path: url.slice(location.origin.length),
          status: 0,
          ms: Math.round(performance.now() - began),
          requestId: undefined,
          startedAt,
        });
      throw error;
    }
  },
});
