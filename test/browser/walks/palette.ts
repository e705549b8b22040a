import type { Page, Response } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Console, startConsole } from '../../support/console.ts';
import { sharedProduct } from '../../support/shared-product.ts';

/** Every place that the command palette offers is gone to by each role; what a role must not see is not offered to it, and found by none of its words. */
let swb: Console;
beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

interface Place {
  id: string;
  label: string;
}

/** Places whose calls need an admin: the API refuses them to the others. */
const forAdmins = [
  'area-verification',
  'page-/verification',
  'page-/verification/requests',
  'page-/verification/blocks',
  'page-/verification/exceptions',
  'page-/settings/audit',
  'page-/developers/deliveries',
  'page-/developers/requests',
  'page-/developers/webhooks',
  'page-/developers/addresses',
];

const openPalette = async (page: Page): Promise<void> => {
  await page.keyboard.press('Control+k');
  await page.locator('.palette input').waitFor();
};

/** The areas and pages that the palette offers now. */
const offered = (page: Page): Promise<Place[]> =>
  page.evaluate<Place[]>(`[...document.querySelectorAll('#palette-found [role=option]')]
    .map((option) => ({ id: option.id.replace('palette-', ''), label: option.querySelector('.cut').textContent }))
    .filter(({ id }) => /^(area|page)-/.test(id))`);

/** What is wrong on the page that a place led to: what broke it, what was refused to it, and a focus that is nowhere. */
const wrongOf = async (page: Page, refused: readonly string[]): Promise<string[]> => [
  ...refused,
  ...(await page.locator('.notice.bad, .stale-bar').allTextContents()),
  ...((await page.getByRole('heading', { level: 1 }).or(page.locator('.inbox')).count()) === 0 ? ['nothing of a page'] : []),
];

test.each(['Owner', 'Admin', 'Member', 'Viewer'])('%s: each place opens, and no other is offered', { timeout: 300_000 }, async (role) => {
  const page = await swb.signIn(role);
  const refused: string[] = [];
  const look = (response: Response): void => {
    if (response.url().includes('/api/') && [401, 403, 500].includes(response.status()))
      refused.push(`${response.status()} ${new URL(response.url()).pathname}`);
  };
  page.on('response', look);
  await openPalette(page);
  const places = await offered(page);
  expect(places.length).toBeGreaterThan(20);
  const isAdmin = role === 'Owner' || role === 'Admin';
  expect(places.filter(({ id }) => forAdmins.includes(id)).map(({ id }) => id)).toEqual(isAdmin ? forAdmins : []);
  await page.keyboard.press('Escape');
  for (const { id, label } of places) {
    await openPalette(page);
    // by its words, as a reader finds it, among others that have them too
    await page.locator('.palette input').fill(label);
    await page.locator(`[id="palette-${id}"]`).click();
    await page.locator('.palette').waitFor({ state: 'detached' });
    if (id.startsWith('page-')) await page.waitForURL(`**/console${id.slice('page-'.length)}`);
    await page.locator('.page, .inbox').first().waitFor();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    expect(await wrongOf(page, refused.splice(0)), `${role}: ${label}, ${id}`).toEqual([]);
  }
  if (!isAdmin) {
    await openPalette(page);
    for (const words of ['Audit', 'Deliveries', 'Verification', 'Webhooks']) {
      await page.locator('.palette input').fill(words);
      expect((await offered(page)).filter(({ id }) => forAdmins.includes(id))).toEqual([]);
    }
  }
  await page.context().close();
});

test('an id that was copied from a log leads to what it is of, and a request is shown that is on no page of the list', async () => {
  const page = await swb.signIn();
  const eventId = 'evt_01JD2Q8Z6M3X0V5K7T9B4N1CWE';
  const goTo = async (query: string, place: string): Promise<void> => {
    await openPalette(page);
    await page.locator('.palette input').fill(query);
    await page.locator(`[id="palette-record-${place}"]`).click();
    await page.locator('.palette').waitFor({ state: 'detached' });
  };
  await goTo(eventId, '/developers/deliveries');
  expect(await page.getByLabel('Id of the event').inputValue()).toBe(eventId);
  await page.getByText('Nothing matches these filters').waitFor();
  await goTo('contact:1', '/developers');
  await page.waitForURL((url) => url.searchParams.get('subject') === 'contact:1');
  const refused = await swb.product.asOwner({ method: 'POST', path: '/api/v1/messages/text', body: { mesage: 'Hello' } });
  const id = refused.headers['x-request-id'] ?? '';
  await swb.product.idle();
  await goTo(id, '/developers/requests');
  await page.getByRole('dialog', { name: 'sendText' }).waitFor();
  await page.context().close();
});

test('the browser complains of nothing, and no other host was called', () => {
  expect(swb.foreign).toEqual([]);
  expect(swb.complaints).toEqual([]);
});
