import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { openPages } from './open-pages.ts';
import { type RunningProduct, startProduct } from './product.ts';

/** The console in a real browser, in front of a running product. What a page must never do is written down for all of its pages. */
export interface Console extends AsyncDisposable {
  product: RunningProduct;
  browser: Browser;
  /** Requests to other origins, by address. */
  foreign: string[];
  /** Errors of pages, of the console, and of the content security policy. */
  complaints: string[];
  /** A page of a context of its own: another browser. */
  open: (options?: BrowserContextOptions) => Promise<Page>;
  /** A page where a demo user of the company has signed in with one click. */
  signIn: (role?: string, options?: BrowserContextOptions) => Promise<Page>;
  /** A customer writes to the company. */
  write: (from: string, name: string, text: string) => Promise<void>;
}

/** Refusals that a test provokes, and a page answers in words. */
const provoked = /status of (400|409|422|429|50[0-9])|ERR_CONNECTION_RESET/;

/** The API says that a contact was never written to: it is no error of the page that it looks. */
const noConversation = /\/api\/v1\/conversations\/\d+$/;

/** The address of what a request deletes or erases for good. */
const goneBy = (method: string, url: string): string | undefined => {
  const { pathname } = new URL(url);
  if (method === 'DELETE') return pathname;
  return method === 'POST' && pathname.endsWith('/erase') ? pathname.slice(0, -'/erase'.length) : undefined;
};

/** @param given a product that runs already and goes on; without it one of its own */
export const startConsole = async (given?: RunningProduct): Promise<Console> => {
  const own = given ? undefined : await startProduct({ enforcesWindow: true });
  const product = given ?? own;
  if (!product) throw new Error('There is no product.');
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update'],
  });
  const foreign: string[] = [];
  const complaints: string[] = [];
  // the change is announced to its own page too, which may look once more before it has left what is gone
  const gone = new Set<string>();
  const isGone = (url: string): boolean => {
    const pathname = url === '' ? '' : new URL(url).pathname;
    return [...gone].some((each) => pathname === each || pathname.startsWith(`${each}/`));
  };
  const open = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({
      viewport: { width: 1400, height: 860 },
      locale: 'en-GB',
      reducedMotion: 'reduce',
      ...options,
    });
    // a function's first call starts it
    context.setDefaultTimeout(50_000);
    const page = await context.newPage();
    openPages.add(page);
    page.once('close', () => openPages.delete(page));
    page.on('request', (request) => {
      const { protocol, hostname, origin, pathname, searchParams } = new URL(request.url());
      // files of messages come from their own bucket by signed links
      const isFile = hostname === '127.0.0.1' && searchParams.has('X-Amz-Signature');
      // the one page that lets a script of the provider in
      const isDialog = pathname === '/sdk.js' && new URL(page.url()).pathname === '/console/settings/numbers/signup';
      if (protocol.startsWith('http') && origin !== product.baseUrl && !isFile && !isDialog) foreign.push(request.url());
    });
    page.on('request', (request) => {
      const path = goneBy(request.method(), request.url());
      if (path !== undefined) gone.add(path);
    });
    page.on('console', (message) => {
      const { url } = message.location();
      const isAnswer = message.text().includes('status of 404') && (noConversation.test(url) || isGone(url));
      if (message.type() === 'error' && !isAnswer && !provoked.test(message.text())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(`${error.message} ${error.stack ?? ''}`.slice(0, 1_500)));
    return page;
  };
  return {
    product,
    browser,
    foreign,
    complaints,
    open,
    signIn: async (role = 'Owner', options = {}) => {
      const page = await open(options);
      await page.goto(product.baseUrl);
      await page
        .getByRole('button', { name: role })
        .nth(product.demo.companies.findIndex(({ id }) => id === product.companyId))
        .click();
      await page.locator('.inbox').waitFor();
      return page;
    },
    write: async (from, name, text) => {
      const { status, raw } = await product.control('POST', 'provider/inbound', {
        company_id: product.companyId,
        from,
        name,
        type: 'text',
        text,
      });
      if (status !== 200) throw new Error(raw);
    },
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      await own?.stop();
    },
  };
};

/** Goes to a page of the console as its links do, in the document that is there: a path behind `/console`. */
export const visit = async (page: Page, path: string): Promise<void> => {
  const place = new URL(path, 'http://console');
  if ((await page.locator('[role=dialog]').count()) > 0) await page.keyboard.press('Escape');
  await page.evaluate(`{
    const left = document.querySelector('.page');
    if (left && !location.pathname.endsWith(${JSON.stringify(place.pathname)})) left.dataset.left = '';
    history.pushState({}, '', ${JSON.stringify(`/console${path}`)});
  }`);
  await page.locator('.page:not([data-left])').waitFor();
  await page.locator('[role=dialog]').waitFor({ state: 'detached' });
};

/** Passes where one of some attempts holds: for times that another program on the machine can lengthen. */
export const bestOf = async (attempts: number, measure: () => Promise<number>, within: number): Promise<number> => {
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && best > within; attempt++) best = Math.min(best, await measure());
  return best;
};
