import type { Page } from 'playwright-core';
import type { Console } from '../test/support/console.ts';
import { screens } from '../test/support/screens.ts';
import { percentile } from './running.ts';
import type { Figure } from './scenario.ts';

const opens = 4;

/** What the console draws for one of many: the line of a table, a conversation, a message, a card of the board, an entry of a list. */
const row = [
  '.data-table .lines [role=row]',
  '.conversation',
  '.message',
  '.lead-card',
  '.page tbody tr',
  '.page main li',
  '.page li .row-link',
].join(', ');

/** Of the pages with a list of something that a large company has many of, each must show rows. */
const large = ['/inbox', '/inbox/$id', '/contacts', '/sales', '/sales/tasks', '/shop', '/shop/carts', '/shop/products', '/shop/categories'];

/**
 * Every screen of the console that shows a list in this company, from its address, typed by a user who is signed in, to its first row. A new screen is
 * measured by being named in test/support/screens.ts.
 */
export const listPages = async (swb: Console, campaignId: number): Promise<Figure[]> => {
  const page = await swb.signIn();
  const figures: Figure[] = [];
  for (const [screen, path] of Object.entries(screens)) {
    if (screen === '/sign-in') continue;
    const address = `${swb.product.baseUrl}/console${path.replace(/^\/campaigns\/1$/, `/campaigns/${campaignId}`)}`;
    await atRest(page, address);
    const shown = await page.locator(row).count();
    if (shown === 0 && large.includes(screen)) throw new Error(`${screen} shows no row.`);
    if (shown === 0) continue;
    const times: number[] = [];
    for (let nth = 0; nth < opens; nth++) {
      const began = performance.now();
      await page.goto(address, { waitUntil: 'commit' });
      await page.locator(row).first().waitFor();
      times.push(performance.now() - began);
      await atRest(page);
    }
    console.error(`  page ${screen.padEnd(65)} ${String(percentile(times, 0.95)).padStart(8)} ms`);
    figures.push({ name: `page ${screen}, to its first row, p95`, unit: 'ms', value: percentile(times, 0.95), atMost: 1_000 });
  }
  return figures;
};

/** Until nothing of the page is still being loaded: what it loads late is not to slow the next one. */
async function atRest(page: Page, address?: string): Promise<void> {
  if (address !== undefined) await page.goto(address);
  await page.locator('.page, .inbox').first().waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'hidden' });
}
