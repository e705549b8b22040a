import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, startConsole } from '../../support/console.ts';
import { handsOn } from '../../support/hands.ts';
import { findings } from '../../support/looks.ts';
import { sharedProduct } from '../../support/shared-product.ts';

/** A marketer's way with templates: written by the rules of WhatsApp, submitted, changed, brought into another language, taken from the library and deleted. */
let swb: Console;
let page: Page;
beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
  page = await swb.signIn();
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

const { dialog, field, press } = handsOn(() => page);
const open = (path: string): Promise<unknown> => page.goto(`${swb.product.baseUrl}/console${path}`);
const row = (...texts: readonly string[]): Locator => texts.reduce((rows, hasText) => rows.filter({ hasText }), page.getByRole('row'));
const preview = (): Locator => page.locator('.template-preview').first();

/** A picture of one white pixel. */
const picture = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==', 'base64');

const addButton = async (kind: string): Promise<void> => {
  await press('Add a button');
  await page.getByRole('menuitem', { name: kind, exact: true }).click();
};
/** A field of the nth button. */
const ofButton = (nth: number, name: string): Locator => page.locator('.button-fields').nth(nth).getByLabel(name, { exact: true });

describe('templates', () => {
  test('one with a picture, a value and two buttons is written by pointer, and each rule stands beside its field before anything is sent', async () => {
    await open('/templates');
    await press('New template');
    await field('Name').fill('Visit Reminder');
    expect(await field('Name').inputValue()).toBe('visit_reminder');
    await page
      .getByRole('radio', { name: /a message \(United Kingdom\)/ })
      .first()
      .waitFor();
    await field('Above the text').selectOption('Image');
    await press('Submit to WhatsApp');
    await page.getByText('WhatsApp needs a sample of the file.').waitFor();
    await page.getByText('The message needs a text.').waitFor();
    await field('Sample file').setInputFiles({ name: 'notes.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') });
    await page.getByText('WhatsApp does not take this type of file here.').waitFor();
    await field('Sample file').setInputFiles({ name: 'shop.png', mimeType: 'image/png', buffer: picture });
    await page.getByText('shop.png').waitFor();
    await preview().locator('img').waitFor();
    await field('Text').fill('We look forward to your visit on ');
    await press('Value');
    expect(await field('Text').inputValue()).toBe('We look forward to your visit on {{1}}');
    await page.getByText('The text must not begin or end with a value.').waitFor();
    await field('Text').press('End');
    await page.keyboard.type(' at our shop in the old town.');
    await field('Example of {{1}}').fill('Monday');
    await addButton('Quick reply');
    await ofButton(0, 'Text on it').fill('Fine');
    await addButton('Link');
    await ofButton(1, 'Text on it').fill('The way');
    await ofButton(1, 'Address').fill('alder.example');
    await page.getByText('It begins with https://.').waitFor();
    await ofButton(1, 'Address').fill('https://alder.example/way');
    await preview().getByText('your visit on Monday at').waitFor();
    await preview().getByText('The way').waitFor();
    await page.getByText('It keeps WhatsApp’s rules.').waitFor();
    expect(await findings(page)).toEqual([]);
    await press('Submit to WhatsApp');
    await page.getByText('WhatsApp has it now.').waitFor();
    await row('visit_reminder', 'approved').waitFor({ timeout: 60_000 });
  });

  test('what was typed is there after a reload, and is left by a link only once that is confirmed', async () => {
    await press('New template');
    await field('Name').fill('visit_reminder');
    await field('Text').fill('It is ');
    await page.keyboard.press('Control+/');
    await page.keyboard.type(' soon.');
    page.once('dialog', (question) => void question.accept());
    await page.reload();
    expect(await field('Text').inputValue()).toBe('It is {{1}} soon.');
    await field('Example of {{1}}').fill('Monday');
    await press('Submit to WhatsApp');
    await page.getByText('There is a template of this name in this language.').waitFor();
    await page.getByRole('link', { name: 'Templates' }).first().click();
    await press('Keep editing', dialog());
    await page.getByRole('link', { name: 'Templates' }).first().click();
    await press('Discard', dialog());
    await row('visit_reminder').first().waitFor();
    await press('New template');
    expect(await field('Text').inputValue()).toBe('');
  });

  test('one is changed by keys alone: words made bold, a button moved, and submitted', async () => {
    await open('/templates');
    await row('visit_reminder').getByRole('button').first().press('Enter');
    await dialog().getByText('Nowhere at the moment').waitFor();
    expect(await findings(page)).toEqual([]);
    await dialog().getByRole('link', { name: 'Change' }).press('Enter');
    await page.getByText('The category of an approved template stays.').waitFor();
    expect(await field('Name').isEditable()).toBe(false);
    await page.getByText('WhatsApp has a sample').waitFor();
    await field('Text').focus();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Control+Shift+ArrowRight');
    await page.keyboard.press('Control+b');
    expect(await field('Text').inputValue()).toMatch(/^\*We\* look/);
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('Hello, ');
    await page.keyboard.press('Control+i');
    await page.keyboard.type('friend');
    expect(await field('Text').inputValue()).toMatch(/^Hello, _friend_/);
    await ofButton(1, 'Text on it').press('Alt+ArrowUp');
    await preview().locator('.choices > span').first().getByText('The way').waitFor();
    expect(await page.locator('.button-fields').first().locator('input:focus').count()).toBe(1);
    await field('Text').press('Control+End');
    await page.getByRole('button', { name: 'Submit to WhatsApp' }).press('Enter');
    await page.getByText('WhatsApp has it now.').waitFor();
    await row('visit_reminder', 'approved').waitFor({ timeout: 60_000 });
    // the provider takes one change a day
    await row('visit_reminder').getByRole('button').first().click();
    await dialog().getByText('0 today').waitFor();
    await dialog().getByRole('link', { name: 'Change' }).click();
    await page.getByText('It was changed today already.').waitFor();
    expect(await page.getByRole('button', { name: 'Submit to WhatsApp' }).getAttribute('aria-disabled')).toBe('true');
  });

  test('one of marketing has a max price from the beginning on, which is changed later without a review, and stands where it is sent', async () => {
    await open('/templates');
    await press('New template');
    await field('Name').fill('summer_sale');
    await field('Text').fill('Our summer sale begins on Monday.');
    expect(await field('Currency').count()).toBe(0);
    await page.getByRole('radio', { name: /^Marketing/ }).check();
    await field('The most that one message may cost (optional)').fill('0,0000001');
    await page.getByText('Write an amount such as 0.05.').waitFor();
    await field('The most that one message may cost (optional)').fill('0.000001');
    await page.getByText('The price has 5 decimals at most in this currency.').waitFor();
    await field('The most that one message may cost (optional)').fill('0,05');
    await field('Currency').selectOption('EUR');
    await page.getByText('It keeps WhatsApp’s rules.').waitFor();
    expect(await findings(page)).toEqual([]);
    await press('Submit to WhatsApp');
    await page.getByText('WhatsApp charges this account in USD: the price must be in it.').waitFor();
    await field('Currency').selectOption('USD');
    await press('Submit to WhatsApp');
    await row('summer_sale', 'approved').waitFor({ timeout: 60_000 });
    await row('summer_sale').getByRole('button').first().click();
    await dialog()
      .getByText(/^At most \S*0\.05 a message$/)
      .waitFor();
    await dialog().getByRole('link', { name: 'Change' }).click();
    await field('The most that one message may cost, in USD').fill('0.07');
    await press('Submit to WhatsApp');
    await page.getByText('WhatsApp has it now.').waitFor();
    await row('summer_sale', 'approved').getByRole('button').first().click();
    await dialog()
      .getByText(/^At most \S*0\.07 a message$/)
      .waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await row('visit_reminder').getByRole('button').first().click();
    await dialog().getByText('Max price').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
  });

  test('another language is written beside the one that is there, and both stand beside each other', async () => {
    await open('/templates');
    await row('order_update').getByRole('button').first().click();
    await dialog().getByRole('link', { name: 'In another language' }).click();
    await page.getByText('Original: Hi {{1}}, your order {{2}} has shipped.').waitFor();
    await field('Language').selectOption('de');
    await field('Text').fill('Hallo {{1}}, die Bestellung {{2}} ist unterwegs.');
    await field('Example of {{1}}').fill('Ada');
    await press('Submit to WhatsApp');
    await page.getByText('An example is needed.').waitFor();
    await field('Example of {{2}}').fill('A-1001');
    await page.locator('.builder-phone').getByText('Hallo Ada, die Bestellung A-1001').waitFor();
    await page.locator('.builder-phone').getByText('Hi Ada, your order A-1001').waitFor();
    expect(await findings(page)).toEqual([]);
    await press('Submit to WhatsApp');
    await row('order_update', 'German', 'approved').waitFor({ timeout: 60_000 });
    await row('order_update', 'German').getByRole('button').first().click();
    await dialog().getByText('Hallo Ada').waitFor();
    await dialog().getByRole('tab', { name: 'English', exact: true }).click();
    await dialog().getByText('Hi Ada').waitFor();
    await page.keyboard.press('Escape');
  });

  test('one that WhatsApp refused says why and what to do', async () => {
    await press('New template');
    await field('Name').fill('prize_scam');
    await field('Text').fill('You have won a prize. Send us your card now.');
    await press('Submit to WhatsApp');
    await row('prize_scam', 'It looks like fraud').waitFor({ timeout: 60_000 });
    await row('prize_scam').getByRole('button').first().click();
    await dialog().getByText('Name your company and what it is about').waitFor();
    await dialog().getByRole('link', { name: 'Change' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
  });

  test('one of the library is found, filled in and approved at once', async () => {
    await page.getByRole('link', { name: 'Library' }).click();
    await page.getByRole('searchbox').fill('delivery');
    await page.getByRole('searchbox').press('Enter');
    await page.getByText('Hi Ada, your order #12345').waitFor();
    expect(await findings(page)).toEqual([]);
    await press('Take it: delivery_update_1');
    await field('Name', dialog()).fill('our delivery');
    await field('Where “Track the order” leads', dialog()).fill('https://alder.example/{{1}}');
    await field('Example of the whole address', dialog()).fill('https://alder.example/12');
    expect(await findings(page)).toEqual([]);
    await press('Take it', dialog());
    await row('our_delivery', 'approved').waitFor();
  });

  test('all are fetched again, found by name and state', async () => {
    await press('Fetch all');
    await page.getByText('The templates are those of WhatsApp now.').waitFor();
    await page.getByRole('searchbox').fill('order_update');
    await page.getByRole('searchbox').press('Enter');
    await row('order_update').first().waitFor();
    await row('visit_reminder').waitFor({ state: 'detached' });
    expect(await findings(page)).toEqual([]);
  });

  test('what was made is deleted once that is confirmed', async () => {
    await open('/templates');
    for (const texts of [['visit_reminder'], ['summer_sale'], ['prize_scam'], ['our_delivery'], ['order_update', 'German']]) {
      await row(...texts)
        .getByRole('button')
        .first()
        .click();
      await press('Delete', dialog());
      await dialog()
        .getByRole('heading', { name: `Delete: ${texts[0]}` })
        .waitFor();
      await page.getByRole('dialog').last().getByRole('button', { name: 'Delete', exact: true }).click();
      await row(...texts).waitFor({ state: 'detached' });
    }
    expect(swb.complaints).toEqual([]);
  });
});
