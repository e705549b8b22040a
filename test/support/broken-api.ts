import type { BrowserContext, Request, Route } from 'playwright-core';
import type { Product } from './product.ts';

/** What becomes of calls while the API is broken. */
export type Fault = 'refuses' | 'dies behind the call' | 'is slow' | 'never answers' | 'answers 429' | 'answers 500' | 'is offline';

const slowMs = 4_000;
const problem = (status: number, code: string) => ({
  status,
  headers: { 'retry-after': '1' },
  json: { status: 'error', code, message: 'The call was not done.', remedy: 'Try again.', request_id: 'req-broken' },
});

/** An API that is broken from a call on, until it is mended. */
export interface Broken {
  /** How many calls were not answered as they should be. */
  struck: () => number;
  /** Once or more. */
  mend: () => Promise<void>;
  /** The product died with what it knew of a call to the provider. */
  mayBeUnknown?: true;
}

const isOfApi = ({ pathname, searchParams }: URL): boolean => pathname.startsWith('/api/v1/') || searchParams.has('X-Amz-Signature');

/** Kills the product amid the first call of a step; mending starts it again on its data. */
export const killAt = async (context: BrowserContext, product: Product, isStep: (request: Request) => boolean): Promise<Broken> => {
  let killed: Promise<void> | undefined;
  let restarted: Promise<void> | undefined;
  const handler = (route: Route): Promise<void> => {
    if (isStep(route.request())) killed ??= product.kill();
    return route.fallback().catch(() => undefined);
  };
  await context.route(isOfApi, handler);
  return {
    struck: () => Number(killed !== undefined),
    mayBeUnknown: true,
    mend: async () => {
      await context.unroute(isOfApi, handler);
      await killed;
      await (restarted ??= product.restart());
    },
  };
};

/**
 * Breaks the API, and what files are uploaded to, from the first call on that a step makes until it is mended.
 */
export const breakApi = async (context: BrowserContext, fault: Fault, isStep: (request: Request) => boolean): Promise<Broken> => {
  let isBroken = false;
  let struck = 0;
  const handler = async (route: Route): Promise<void> => {
    const isOwn = isStep(route.request());
    if (isOwn && !isBroken) {
      isBroken = true;
      if (fault === 'is offline') await context.setOffline(true);
    }
    if (!isBroken) return route.fallback();
    struck++;
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
        // done, without an answer: the page gives up by itself
        await route.fetch();
        return;
      case 'answers 429':
        return route.fulfill(problem(429, 'rate_limited'));
      case 'answers 500':
        return route.fulfill(problem(500, 'internal_error'));
    }
  };
  const orGone = (route: Route): Promise<void> =>
    // the page may have given the call up, or be gone
    handler(route).catch(() => undefined);
  await context.route(isOfApi, orGone);
  return {
    struck: () => struck,
    mend: async (): Promise<void> => {
      await context.unroute(isOfApi, orGone);
      if (fault === 'is offline') await context.setOffline(false);
    },
  };
};
