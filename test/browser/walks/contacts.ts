import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { switchboard } from '../../../client/client.ts';
import { type Console, startConsole } from '../../support/console.ts';
import { handsOn } from '../../support/hands.ts';
import { findings } from '../../support/looks.ts';
import { sharedProduct } from '../../support/shared-product.ts';

/** Looking after the company's contacts: finding one, opening it beside the list, making one, changing it, taking it away. */
let swb: Console;
let page: Page;
beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
  const { product } = swb;
  const token = product.demo.companies.find(({ id }) => id === product.companyId)?.tokens.owner ?? '';
  await switchboard({ baseUrl: product.baseUrl, token }).groups.create({ body: { name: 'Pickers' } });
  page = await swb.signIn();
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

const { dialog, press } = handsOn(() => page);
const card = (): Locator => page.getByRole('complementary', { name: 'Contact' });
const field = (name: string): Locator => dialog().getByLabel(name, { exact: true });

describe('contacts', () => {
  test('a phone without its country is refused beside the field; with it the contact is made, and shown', async () => {
    await page.goto(`${swb.product.baseUrl}/console/contacts`);
    await press('New contact');
    await field('Phone').fill('0151 23456');
    await press('Create contact', dialog());
    await dialog().locator('[aria-invalid="true"]').waitFor();
    expect(await dialog().locator('.problem').first().textContent()).toContain('country code');
    await field('Phone').fill('+49 1515 5512345');
    await field('Name').fill('Nia Okafor');
    await press('Create contact', dialog());
    await card().getByText('Nia Okafor').first().waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/console\/contacts\/\d+$/);
    // its form had the box for campaigns empty
    expect(await card().getByText('Opted out').count()).toBe(1);
  });

  test('it is found by its name and by its consent, and stays open meanwhile', async () => {
    await page.getByRole('searchbox').fill('Okafor');
    await page.getByRole('searchbox').press('Enter');
    await page.getByText('1 contact', { exact: true }).waitFor();
    await page.locator('.filters').getByLabel('Campaigns').selectOption('yes');
    await page.getByText('No contact matches these filters').waitFor();
    await page.locator('.filters').getByLabel('Campaigns').selectOption('no');
    await page.locator('.whole-row[aria-current="page"]').waitFor();
    expect(await card().count()).toBe(1);
    expect(await findings(page)).toEqual([]);
  });

  test('it is changed, what was not edited stays, and the row and the card show it', async () => {
    await press('Edit', card());
    await field('City').fill('Lagos');
    await dialog().getByRole('checkbox').check();
    await press('Save', dialog());
    await dialog().waitFor({ state: 'detached' });
    await card().getByText('Lagos').waitFor();
    await card().getByText('Accepts campaigns').waitFor();
    expect(await card().getByText('Nia Okafor').count()).toBeGreaterThan(0);
    await page.getByText('No contact matches these filters').waitFor();
  });

  test('it leads to its conversation, and back', async () => {
    await card().getByRole('link', { name: 'Conversation' }).click();
    await page.locator('.inbox').waitFor();
    await page.goBack();
    await card().waitFor();
  });

  test('it is deleted once that is confirmed, and the list is without it', async () => {
    await page.locator('.filters').getByLabel('Campaigns').selectOption('');
    await page.getByText('1 contact', { exact: true }).waitFor();
    await press('Delete contact', card());
    await press('Cancel', dialog());
    expect(await card().count()).toBe(1);
    await press('Delete contact', card());
    await press('Delete contact', dialog());
    await card().waitFor({ state: 'detached' });
    await page.getByText('No contact matches these filters').waitFor();
    expect(swb.complaints).toEqual([]);
  });

  test('it stands among the deleted ones, and is restored from there, once that is confirmed', async () => {
    const show = page.locator('.filters').getByLabel('Show');
    // the list of changes is some seconds behind
    await swb.product.control('POST', 'clock', { advance_seconds: 6 });
    await show.focus();
    await show.selectOption({ label: 'Recently deleted' });
    expect(await page.evaluate<string>("document.activeElement?.tagName ?? ''")).toBe('SELECT');
    const menus = page.getByRole('button', { name: /^Actions: / });
    await menus.first().waitFor();
    expect(await menus.count()).toBe(1);
    expect(await findings(page)).toEqual([]);
    await menus.first().click();
    await page.getByRole('menuitem', { name: 'Restore' }).click();
    await press('Restore', dialog());
    await page.getByText('The contact is restored.').waitFor();
    await page.getByText('No deleted contact').waitFor();
    await show.selectOption({ label: 'Contacts' });
    await page.locator('.row-link').filter({ hasText: 'Nia Okafor' }).click();
    await press('Delete contact', card());
    await press('Delete contact', dialog());
    await card().waitFor({ state: 'detached' });
    expect(swb.complaints).toEqual([]);
  });

  test('a file is read, looked at before anything is written, and imported; the row that failed is mended there and imported too', async () => {
    await page.goto(`${swb.product.baseUrl}/console/contacts`);
    await page.getByRole('link', { name: 'Import', exact: true }).click();
    const rows = Array.from({ length: 30 }, (_, nth) => `Person ${nth};+49 1512 ${7_000_000 + nth};Oslo`);
    const csv = ['Kunde;Handy;Town', ...rows, 'Broken;12;Oslo'].join('\n');
    const dataTransfer = await page.evaluateHandle(
      '(() => { const moved = new DataTransfer(); moved.items.add(new File(["Phone\\n+49 1512 7000099"], "dropped.csv", { type: "text/csv" })); return moved; })()',
    );
    await page.locator('.drop-zone').dispatchEvent('dragover', { dataTransfer });
    await page.locator('.drop-zone.over').waitFor();
    await page.locator('.drop-zone').dispatchEvent('drop', { dataTransfer });
    await page.locator('.drop-zone:not(.over)').getByText('dropped.csv').waitFor();
    await page.getByLabel('Phone', { exact: true }).waitFor();
    await page.getByLabel('File', { exact: true }).setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await page.getByLabel('Kunde').selectOption('name');
    await page.getByLabel('Handy').selectOption('phone');
    await page.getByLabel('Town').selectOption('city');
    await press('Check the file');
    await page.getByText('Nothing is written yet.').waitFor();
    await page.getByRole('region', { name: 'The first rows' }).getByText('Person 0').waitFor();
    expect(await findings(page)).toEqual([]);
    await press('Import');
    await page.getByText('The import is done.').waitFor();
    await page.getByText('new: 30').waitFor();
    await page.getByText('failed: 1').waitFor();
    expect(await page.getByRole('link', { name: 'Download the failed rows' }).getAttribute('href')).toContain('X-Amz-Signature');
    await press('Fix the failed rows');
    const broken = page.getByRole('group', { name: 'Line 32' });
    await broken.getByLabel('Handy').fill('+49 1512 7100000');
    await broken.getByLabel('Town').fill('Bergen');
    expect(await findings(page)).toEqual([]);
    await press('Import these rows');
    await page.getByText('new: 1', { exact: true }).waitFor();
    await page.getByText('The import is done.').waitFor();
    expect(await page.getByRole('button', { name: 'Fix the failed rows' }).count()).toBe(0);
    await press('Another file');
    const history = page.getByRole('region', { name: 'Imports', exact: true });
    await expect.poll(() => history.getByRole('row').filter({ hasText: 'people.csv' }).filter({ hasText: 'done' }).count()).toBe(2);
    expect(await history.getByRole('link', { name: 'Download the failed rows: people.csv' }).count()).toBe(1);
    expect(await findings(page)).toEqual([]);
    await page.goto(`${swb.product.baseUrl}/console/contacts`);
    await page.getByRole('searchbox').fill('Broken');
    await page.getByRole('searchbox').press('Enter');
    await page.getByText('1 contact', { exact: true }).waitFor();
    await page.getByRole('searchbox').fill('Person 29');
    await page.getByRole('searchbox').press('Enter');
    await page.getByText('1 contact', { exact: true }).waitFor();
    expect(swb.complaints).toEqual([]);
  }, 120_000);

  test('what is found becomes a segment that says in a sentence what it holds, and is renamed and used in a campaign', async () => {
    await page.goto(`${swb.product.baseUrl}/console/contacts`);
    await press('New segment');
    await field('Name of the segment').fill('Oslo');
    await dialog().getByText('A rule has no value yet.').waitFor();
    await dialog().getByRole('group', { name: 'Rule 1' }).getByLabel('Value').fill('Oslo');
    await dialog().getByText('City is “Oslo”').waitFor();
    await dialog().getByText('30 contacts').waitFor();
    await press('Add a rule', dialog());
    const second = dialog().getByRole('group', { name: 'Rule 2' });
    await second.getByLabel('Field').selectOption('name');
    await second.getByLabel('Comparison').selectOption('contains');
    await second.getByLabel('Value').fill('Person 1');
    await dialog().getByText('City is “Oslo” and Name contains “Person 1”').waitFor();
    await dialog().getByText('11 contacts').waitFor();
    expect(await findings(page)).toEqual([]);
    await press('Save segment', dialog());
    await dialog().waitFor({ state: 'detached' });
    await page.getByText('11 contacts', { exact: true }).waitFor();
    await page.locator('.filter-sentence').getByText('City is “Oslo” and Name contains “Person 1”').waitFor();
    await press('Edit segment');
    await field('Name of the segment').fill('Oslo people');
    await press('Save', dialog());
    await dialog().waitFor({ state: 'detached' });
    await page.locator('.filters').getByLabel('Segment').getByText('Oslo people').waitFor({ state: 'attached' });
    expect(await findings(page)).toEqual([]);
    await page.goto(`${swb.product.baseUrl}/console/campaigns/new`);
    await page.getByLabel('For', { exact: true }).selectOption('segment');
    await page.getByLabel('A segment').selectOption({ label: 'Oslo people' });
  }, 120_000);

  test('all that are found get a tag, and are exported, with the count before and the progress after', async () => {
    await page.goto(`${swb.product.baseUrl}/console/contacts`);
    await page.locator('.filters').getByLabel('Segment').selectOption({ label: 'Oslo people' });
    await page.getByText('11 contacts', { exact: true }).waitFor();
    await press('For all found');
    await page.getByRole('menuitem', { name: 'Add to a group', exact: true }).click();
    await dialog().getByText('11 contacts').waitFor();
    await dialog().getByLabel('Group').selectOption({ label: 'Pickers' });
    expect(await findings(page)).toEqual([]);
    await press('Add to a group', dialog());
    await page.locator('.job-bar').getByText('11 contacts changed.').waitFor({ timeout: 60_000 });
    await press('For all found');
    await page.getByRole('menuitem', { name: 'Export', exact: true }).click();
    await press('Export', dialog());
    await page.locator('.job-bar').getByText('11 contacts exported.').waitFor({ timeout: 60_000 });
    expect(await page.locator('.job-bar').getByRole('link', { name: 'File 1' }).getAttribute('href')).toContain('X-Amz-Signature');
    expect(await findings(page)).toEqual([]);
  }, 180_000);

  test('those that are chosen, and no others, are exported', async () => {
    await page.getByRole('checkbox', { name: 'Choose Person 1', exact: true }).check();
    await page.getByText('1 chosen', { exact: true }).waitFor();
    const boxes = page.getByRole('checkbox', { name: /^Choose Person/ });
    await boxes.nth(0).check();
    await boxes.nth(3).click({ modifiers: ['Shift'] });
    await press('Choose none');
    await page.getByText('11 contacts', { exact: true }).waitFor();
    await boxes.nth(0).click();
    await boxes.nth(2).click({ modifiers: ['Shift'] });
    await page.getByText('3 chosen', { exact: true }).waitFor();
    await press('For those chosen');
    await page.getByRole('menuitem', { name: 'Export', exact: true }).click();
    await dialog().getByText('3 contacts', { exact: true }).waitFor();
    expect(await findings(page)).toEqual([]);
    await press('Export', dialog());
    await page.locator('.job-bar').getByText('3 contacts exported.').waitFor({ timeout: 60_000 });
  }, 120_000);

  test('two records of one customer become one, once that is confirmed, and its course shows it', async () => {
    await page.goto(`${swb.product.baseUrl}/console/contacts`);
    await page.getByRole('searchbox').first().fill('Person 29');
    await page.getByRole('searchbox').first().press('Enter');
    await page.locator('.whole-row').first().click();
    await card().getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Merge with another contact', exact: true }).click();
    await dialog().getByLabel('Search a contact').first().fill('Person 28');
    await dialog().getByRole('list', { name: 'Search a contact' }).getByRole('button').first().click();
    await dialog().getByText('becomes part of').waitFor();
    expect(await findings(page)).toEqual([]);
    await press('Merge with another contact', dialog());
    await page.getByText('The contacts were merged.').waitFor();
    await card().getByText('Merged with another contact').waitFor();
    await page.getByRole('searchbox').first().fill('Person 28');
    await page.getByRole('searchbox').first().press('Enter');
    await page.getByText('No contact matches these filters').waitFor();
  }, 120_000);

  test('all that is known of one is saved as a file, and it is erased for good with a receipt', async () => {
    await card().getByRole('button', { name: 'More', exact: true }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Save all that is known', exact: true }).click();
    expect((await saved).suggestedFilename()).toMatch(/^contact-\d+\.json$/);
    await card().getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Erase for good', exact: true }).click();
    await press('Erase for good', dialog());
    await dialog().getByText('Receipt of the erasure').waitFor();
    await dialog().getByText('Everything was removed.').waitFor({ timeout: 60_000 });
    expect(await findings(page)).toEqual([]);
    await press('Close', dialog().locator('footer'));
    await card().waitFor({ state: 'detached' });
    expect(swb.complaints).toEqual([]);
  }, 120_000);
});
