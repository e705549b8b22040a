import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, startConsole } from '../../support/console.ts';
import { handsOn } from '../../support/hands.ts';
import { findings } from '../../support/looks.ts';
import { sharedProduct } from '../../support/shared-product.ts';

/** Looking after templates: one is written beside what a customer sees, refused beside its field, submitted, found and deleted. */
let swb: Console;
let page: Page;
beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
  page = await swb.signIn();
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

const { dialog, press } = handsOn(() => page);
const field = (name: string): Locator => dialog().getByLabel(name, { exact: true });

describe('templates', () => {
  test('a new one is shown as it is typed, and needs an example for each value', async () => {
    await page.goto(`${swb.product.baseUrl}/console/templates`);
    await press('New template');
    await field('Name').fill('Visit Reminder');
    expect(await field('Name').inputValue()).toBe('visit_reminder');
    await field('Text').fill('Hello {{1}}, we look forward to your visit on *{{2}}* at our shop in the old town.');
    await field('Quick replies').fill('Fine\nAnother day');
    const submit = dialog().getByRole('button', { name: 'Submit to WhatsApp' });
    expect(await submit.isDisabled()).toBe(true);
    await field('Example of {{1}}').fill('Ana');
    await field('Example of {{2}}').fill('Monday');
    const preview = dialog().locator('.template-preview');
    await preview.getByText('Hello Ana, we look forward').waitFor();
    expect(await preview.locator('strong').textContent()).toBe('Monday');
    await preview.getByText('Another day').waitFor();
    expect(await findings(page)).toEqual([]);
    await submit.click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByText('visit_reminder').first().waitFor();
  });

  test('what WhatsApp refuses stands there in words with what to do, and what was typed stays', async () => {
    await press('New template');
    await field('Name').fill('visit_reminder');
    await field('Text').fill('Hello {{1}}');
    await field('Example of {{1}}').fill('Ana');
    await press('Submit to WhatsApp', dialog());
    await dialog().getByText('must not begin or end with a variable').first().waitFor();
    expect(await field('Text').inputValue()).toBe('Hello {{1}}');
    await press('Cancel', dialog());
    await press('Discard', dialog());
  });

  test('all are fetched again, found by name and state, and one is opened as customers see it', async () => {
    await press('Fetch all');
    await page.getByText('The templates are those of WhatsApp now.').waitFor();
    await page.getByRole('searchbox').fill('order_update');
    await page.getByRole('searchbox').press('Enter');
    await page.locator('.whole-row').filter({ hasText: 'order_update' }).first().click();
    await dialog().locator('.template-preview').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  test('one is deleted once that is confirmed', async () => {
    await page.getByRole('searchbox').fill('visit_reminder');
    await page.getByRole('searchbox').press('Enter');
    await page.locator('.whole-row').filter({ hasText: 'visit_reminder' }).first().click();
    await press('Delete', dialog());
    await dialog().getByRole('heading', { name: 'Delete: visit_reminder' }).waitFor();
    await page.getByRole('dialog').last().getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('Nothing matches').waitFor();
    expect(swb.complaints).toEqual([]);
  });
});
