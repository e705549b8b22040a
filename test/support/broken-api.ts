import type { BrowserContext, Request, Route } from 'playwright-core';

/** What becomes of calls while the API is broken. */
export type Fault = 'refuses' | 'dies behind the call' | 'is slow' | 'never answers' | 'answers 429' | 'answers 500' | 'is offline';

const slowMs = 4_000;
const problem = (status: number, code: string) => ({
  status,
  headers: { 'retry-after': '1' },
  json: { status: 'error', code, message: 'The call was not done.', remedy: 'Try again.', request_id: 'req-broken' },
});

/**
 * Breaks the API, and what files are uploaded to, from the first call on that a step makes until it is mended. `struck` is how many calls it did not answer
 * as it should.
 */
export const breakApi = async (context: BrowserContext, fault: Fault, isStep: (request: Request) => boolean) => {
  let isBroken = false;
  let struck = 0;
  let step = 0;
  const isCall = ({ pathname, searchParams }: URL): boolean => pathname.startsWith('/api/v1/') || searchParams.has('X-Amz-Signature');
  const handler = async (route: Route): Promise<void> => {
    const isOwn = isStep(route.request());
    if (isOwn && !isBroken) {
      isBroken = true;
      if (fault === 'is offline') await context.setOffline(true);
    }
    if (!isBroken) return route.fallback();
    struck++;
    if (isOwn) step++;
    switch (fault) {
      case 'refuses':
        return route.abort('connectionrefused');
      case 'is offline':
        return route.abort('internetdisconnected');
      case 'dies behind the call':
        await route.fetch();
        return route.abort('connectionreset');
      case 'is slow':
        await new Promise((resolve) => setTimeout(resolve, slowMs));
        return route.fallback();
      case 'never answers':
        // done, and never heard of: the page gives up by itself
        await route.fetch();
        return;
      case 'answers 429':
        return route.fulfill(problem(429, 'rate_limited'));
      case 'answers 500':
        return route.fulfill(problem(500, 'internal_error'));
    }
  };
  const settled = (route: Route): Promise<void> =>
    // the page may have given the call up, or be gone
    handler(route).catch(() => undefined);
  await context.route(isCall, settled);
  return {
    struck: () => struck,
    /** Calls of the step itself. */
    stepCalls: () => step,
    mend: async (): Promise<void> => {
      await context.unroute(isCall, settled);
      if (fault === 'is offline') await context.setOffline(false);
    },
  };
};
