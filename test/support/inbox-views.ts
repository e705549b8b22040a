import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Console } from './console.ts';
import { ada, composer, openThread, row } from './inbox-page.ts';

/** What the list of test/browser/walks/inbox.ts shows: views, of a colleague, what was searched and saved; and what is done to several of it. */
export const viewsInTheInbox = (swb: () => Console, page: () => Page): void => {
  test('assigns and closes several at once, and leaves the others', async () => {
    for (const nth of [1, 2, 3]) await swb().write(`491770000000${nth}`, `Bulk ${nth}`, 'Hello');
    await row(page(), 'Bulk 3').waitFor();
    await page()
      .getByRole('button', { name: /^Select several/ })
      .click();
    const bar = page().getByRole('toolbar', { name: 'Select several' });
    for (const nth of [1, 2])
      await page()
        .getByRole('checkbox', { name: `Select Bulk ${nth}` })
        .check();
    await bar.getByText('2 selected').waitFor();
    await bar.getByRole('button', { name: 'Assign' }).click();
    await page().getByRole('menuitem', { name: 'Demo Member' }).click();
    await page().locator('.toast').filter({ hasText: '2 conversations changed.' }).waitFor();
    await expect.poll(() => row(page(), 'Bulk 2').textContent()).toContain('Assigned to Demo Member');
    expect(await row(page(), 'Bulk 3').textContent()).not.toContain('Assigned');
    await page()
      .getByRole('button', { name: /^Select several/ })
      .click();
    for (const nth of [1, 2])
      await page()
        .getByRole('checkbox', { name: `Select Bulk ${nth}` })
        .check();
    await bar.getByRole('button', { name: 'Close' }).click();
    await row(page(), 'Bulk 1').waitFor({ state: 'detached' });
    await row(page(), 'Bulk 2').waitFor({ state: 'detached' });
    await row(page(), 'Bulk 3').waitFor();
  });

  test('shows each view when it is pressed, and while a name is typed what is found', async () => {
    const view = (name: string) => page().getByRole('navigation', { name: 'Views' }).getByRole('button', { name });
    const choose = async (name: string): Promise<void> => {
      if (['Unassigned', 'Closed'].includes(name)) {
        await view('').last().click();
        await page().getByRole('menuitem', { name }).click();
      } else await view(name).click();
      await view(name).waitFor();
    };
    for (const { name, has, lacks } of [
      { name: 'Unread', has: 'Bulk 3', lacks: 'Bulk 1' },
      { name: 'Mine', has: ada.name, lacks: 'Bulk 3' },
      { name: 'Unassigned', has: 'Bulk 3', lacks: ada.name },
      { name: 'Closed', has: 'Bulk 1', lacks: 'Bulk 3' },
      { name: 'Open', has: 'Bulk 3', lacks: 'Bulk 1' },
    ]) {
      await choose(name);
      await row(page(), has).waitFor();
      await expect.poll(() => row(page(), lacks).count()).toBe(0);
    }
    await page().getByRole('searchbox').pressSequentially('race', { delay: 50 });
    await page().keyboard.press('Home');
    await page().keyboard.type('G', { delay: 300 });
    await expect.poll(() => page().getByRole('searchbox').inputValue()).toBe('Grace');
    await expect.poll(() => page().locator('.conversation .name').allTextContents()).toEqual(['Grace Hopper']);
    await page().getByRole('searchbox').fill('');
    await row(page(), 'Bulk 3').waitFor();
  });

  test("shows a colleague's conversations, finds words of messages, and saves what it shows as a view, which an undo takes out", async () => {
    const more = page().getByRole('navigation', { name: 'Views' }).getByRole('button').last();
    await more.click();
    await page().getByRole('menuitem', { name: 'Demo Member' }).click();
    await expect.poll(() => page().locator('.conversation').count()).toBe(0);
    await page().getByRole('navigation', { name: 'Views' }).getByRole('button', { name: /^Open/ }).click();
    await row(page(), ada.name).waitFor();
    await page().getByRole('searchbox').fill('morning');
    await page().getByText('No conversation matches').waitFor();
    await page().getByRole('checkbox', { name: 'Search in messages' }).check();
    await row(page(), 'Grace Hopper').waitFor();
    expect(await row(page(), 'Bulk 3').count()).toBe(0);
    await more.click();
    await page().getByRole('menuitem', { name: 'Save this view' }).click();
    await page().locator('.toast').filter({ hasText: 'View saved' }).waitFor();
    await page().getByRole('searchbox').fill('');
    await row(page(), 'Bulk 3').waitFor();
    await page().reload();
    await more.click();
    await page().getByRole('menuitem', { name: '“morning”' }).click();
    await row(page(), 'Grace Hopper').waitFor();
    await expect.poll(() => row(page(), 'Bulk 3').count()).toBe(0);
    expect(await page().getByRole('searchbox').inputValue()).toBe('morning');
    await more.click();
    await page().getByRole('menuitem', { name: 'Remove this saved view' }).click();
    await page().locator('.toast').filter({ hasText: 'Saved view removed' }).getByRole('button', { name: /^Undo/ }).click();
    await more.click();
    await page().getByRole('menuitem', { name: 'Remove this saved view' }).click();
    await page().getByRole('searchbox').fill('');
    await row(page(), 'Bulk 3').waitFor();
  });

  test('shows who waits for an answer, until the answer, and the other views as before', async () => {
    const nav = page().getByRole('navigation', { name: 'Views' });
    const more = nav.getByRole('button').last();
    await more.click();
    await page().getByRole('menuitem', { name: 'Waiting' }).click();
    await row(page(), 'Bulk 3').waitFor();
    await nav.getByRole('button', { name: 'Waiting' }).waitFor();
    await openThread(page(), 'Bulk 3');
    await composer(page()).fill('Here it is');
    await page().keyboard.press('Enter');
    await row(page(), 'Bulk 3').waitFor({ state: 'detached' });
    await nav.getByRole('button', { name: /^Open/ }).click();
    await row(page(), 'Bulk 3').filter({ hasText: 'Here it is' }).waitFor();
    await openThread(page(), ada.name);
  });
};
