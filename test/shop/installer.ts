import type { Platform } from '../../lib/local/storeplatform/platform.ts';
import type { Answer } from '../support/gateway-event.ts';
import type { TestApp } from '../support/test-app.ts';

/** The browser of a merchant who installs the app: the platform's page, the consent, the redirect back. */
export const installer = (testApp: () => TestApp, platform: () => Platform) => {
  const start = (query: string): Promise<Answer> => testApp().call({ method: 'GET', path: `/shop/connect/storeplatform/start?${query}` });
  const finish = (back: string, cookie: string): Promise<Answer> => testApp().call({ method: 'GET', path: back, headers: { cookie } });
  return {
    start,
    finish,
    /** Gives the consent; returns the redirect back and the browser's cookie. */
    consented: async (shop: string): Promise<{ back: string; cookie: string }> => {
      const begun = await start(platform().startQuery(shop));
      if (begun.status !== 302) throw new Error(`${begun.status} ${begun.raw}`);
      const consent = await fetch(begun.headers['location'] ?? '', { redirect: 'manual' });
      const back = new URL(consent.headers.get('location') ?? '');
      return { back: `${back.pathname}${back.search}`, cookie: begun.headers['set-cookie']?.split(';')[0] ?? '' };
    },
    /** The claim on the page after the consent. */
    claimOf: (page: Answer): string => /data-claim="([^"]+)"/.exec(page.raw)?.[1] ?? '',
  };
};
