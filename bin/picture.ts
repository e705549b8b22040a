import './closed-output.ts';
import './help.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startConsole } from '../test/support/console.ts';
import { productIn, startProduct } from '../test/support/product.ts';

/** `npm run picture`: the README's picture of the inbox, from the demo company that is filled, with a customer's phone beside it. */
const picture = join(import.meta.dirname, '../docs/pictures/inbox.png');

await using product = await startProduct({ withExample: true, enforcesWindow: true });
for (const end = performance.now() + 10 * 60_000; !existsSync(join(product.folder, 'example-company.made')); await wait(500))
  if (performance.now() > end) throw new Error('The demo company was not filled within ten minutes. `npm run dev -- --fresh` shows why.');
// what a campaign sends comes in for minutes on a busy machine
await product.idle(900);
await using console_ = await startConsole(productIn(product.folder, 3));
// the sign-in page offers this company first
const page = await console_.open();
await page.goto(product.baseUrl);
await page.locator('.tile').first().click();
await page.locator('.rail').waitFor();
await page.goto(`${product.baseUrl}/console/inbox`);
// a complaint with a picture, a note and an answer
await page.locator('.conversation').filter({ hasText: 'Jonas Weber' }).click();
await page.locator('.message').first().waitFor();
await page.keyboard.press('Escape');
await page.keyboard.press('p');
await page.locator('.phone-message').first().waitFor();
await page.locator('.contact-card').first().waitFor({ state: 'hidden' });
await page.screenshot({ path: picture });
console.log(`Wrote ${picture}.`);
