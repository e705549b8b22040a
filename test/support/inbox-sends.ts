import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Console } from './console.ts';
import { ada, composer, customerOf, messageOf, openThread, row } from './inbox-page.ts';

/** What becomes of an answer that is written in the inbox of test/browser/walks/inbox.ts, in a conversation that is open. */
export const sendsInTheInbox = (swb: () => Console, page: () => Page): void => {
  const { acceptedTexts, inbound } = customerOf(swb);

  test('sends one message for a double click, however slow the answer is', async () => {
    await page().route('**/api/v1/messages/text', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    await composer(page()).fill('Only once');
    await page().getByRole('button', { name: 'Send', exact: true }).dblclick();
    await page().keyboard.press('Enter');
    await messageOf(page(), 'Only once').getByLabel('Read', { exact: true }).waitFor();
    expect(await acceptedTexts(ada.phone, 'Only once')).toBe(1);
    expect(await messageOf(page(), 'Only once').count()).toBe(1);
    await page().unroute('**/api/v1/messages/text');
  });

  test('tries a lost answer again with the same key: one message', async () => {
    let tries = 0;
    await page().route('**/api/v1/messages/text', async (route) => {
      tries++;
      if (tries > 1) return route.continue();
      await route.fetch();
      return route.abort('connectionreset');
    });
    await composer(page()).fill('Answer lost');
    await page().keyboard.press('Enter');
    await messageOf(page(), 'Answer lost').getByLabel('Read', { exact: true }).waitFor();
    expect(tries).toBeGreaterThan(1);
    expect(await acceptedTexts(ada.phone, 'Answer lost')).toBe(1);
    await page().unroute('**/api/v1/messages/text');
  });

  test('shows an outcome that is not known as that, offers no second send, and never sends again', async () => {
    await swb().product.control('PUT', 'provider/faults', { timeout_after_accept: 1, hold_statuses: true });
    await composer(page()).fill('Did it arrive?');
    await page().keyboard.press('Enter');
    await messageOf(page(), 'Did it arrive?').getByText('Outcome unknown').waitFor();
    await row(page(), ada.name).getByRole('img', { name: 'Outcome unknown' }).waitFor();
    expect(
      await messageOf(page(), 'Did it arrive?')
        .getByRole('button', { name: /again|send/i })
        .count(),
    ).toBe(0);
    await swb().product.control('PUT', 'provider/faults', { hold_statuses: true });
    await swb().product.control('POST', 'clock', { advance_seconds: 600 });
    expect(await acceptedTexts(ada.phone, 'Did it arrive?')).toBe(1);
    await swb().product.control('PUT', 'provider/faults', {});
    // a status settles it
    await messageOf(page(), 'Did it arrive?').getByLabel('Read', { exact: true }).waitFor();
    expect(await acceptedTexts(ada.phone, 'Did it arrive?')).toBe(1);
  });

  test('shows a refusal with its code, what to do, and the id of the request to copy', async () => {
    await page().route('**/api/v1/messages/text', (route) =>
      route.fulfill({
        status: 422,
        headers: { 'x-request-id': 'req-42', 'content-type': 'application/json' },
        body: JSON.stringify({
          status: 'error',
          code: 'window_closed',
          message: 'The window is closed.',
          remedy: 'Send a template.',
          request_id: 'req-42',
        }),
      }),
    );
    await composer(page()).fill('Too late');
    await page().keyboard.press('Enter');
    const alert = messageOf(page(), 'Too late').getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toContain('Send an approved template');
    expect(await alert.textContent()).not.toMatch(/window_closed|req-42/);
    await alert.getByRole('button', { name: 'Details' }).click();
    for (const part of ['The window is closed.', 'Send a template.', 'window_closed', 'req-42'])
      expect(await alert.textContent()).toContain(part);
    await alert.getByRole('button', { name: 'Discard' }).click();
    await page().locator('.toast').getByRole('button', { name: /^Undo/ }).click();
    await alert.getByRole('button', { name: 'Edit' }).click();
    await expect.poll(() => composer(page()).inputValue()).toBe('Too late');
    expect(await messageOf(page(), 'Too late').count()).toBe(0);
    await composer(page()).fill('');
    await page().unroute('**/api/v1/messages/text');
  });

  test('keeps what was not sent over a reload, does not mark the conversation as read for it, and sends it once', async () => {
    await inbound({ type: 'text', text: 'Are you there?' });
    await row(page(), ada.name).locator('.badge').waitFor();
    await page().route('**/api/v1/messages/text', (route) => route.abort('connectionreset'));
    await composer(page()).fill('Without a connection');
    await page().keyboard.press('Enter');
    await messageOf(page(), 'Without a connection').getByText('Not sent.').waitFor();
    await page().reload();
    await messageOf(page(), 'Without a connection').getByRole('button', { name: 'Try again' }).waitFor();
    expect(await row(page(), ada.name).locator('.badge').count()).toBe(1);
    await page().unroute('**/api/v1/messages/text');
    await messageOf(page(), 'Without a connection').getByRole('button', { name: 'Try again' }).click();
    await messageOf(page(), 'Without a connection').getByLabel('Read', { exact: true }).waitFor();
    await expect.poll(() => row(page(), ada.name).locator('.badge').count()).toBe(0);
    expect(await acceptedTexts(ada.phone, 'Without a connection')).toBe(1);
    expect(await messageOf(page(), 'Without a connection').count()).toBe(1);
  });

  test('shows a message that the provider refused once, in plain words, and sends it again as a new one', async () => {
    await swb().product.control('PUT', 'provider/faults', { error_for: { [ada.phone]: 131051 } });
    await composer(page()).fill('Refused at once');
    await page().keyboard.press('Enter');
    const refused = messageOf(page(), 'Refused at once');
    await refused.getByText('WhatsApp does not deliver this kind of message.').waitFor();
    await expect.poll(() => refused.count()).toBe(1);
    expect(await refused.textContent()).not.toContain('131051');
    await swb().product.control('PUT', 'provider/faults', {});
    await refused.getByRole('button', { name: 'Send again' }).click();
    await refused.getByLabel('Read', { exact: true }).waitFor();
    expect(await refused.count()).toBe(2);
    expect(await acceptedTexts(ada.phone, 'Refused at once')).toBe(1);
  });

  test('keeps the list and the thread while nothing answers, says since when, and goes on by itself', async () => {
    await page().route('**/api/**', (route) => route.abort('connectionreset'));
    await page()
      .getByText(/^Not connected since \d/)
      .waitFor();
    await row(page(), 'Grace Hopper').click();
    await page().getByRole('heading', { name: 'Grace Hopper', level: 2 }).waitFor();
    expect(await row(page(), ada.name).count()).toBe(1);
    await page().unroute('**/api/**');
    await page().getByRole('button', { name: 'Try now' }).click();
    await page()
      .getByText(/^Not connected since/)
      .waitFor({ state: 'detached' });
    await messageOf(page(), 'Good morning').waitFor();
    await openThread(page(), ada.name);
  });

  test('keeps a draft over a reload, and only in its own conversation', async () => {
    await composer(page()).fill('Half a thought');
    await page().reload();
    await expect.poll(() => composer(page()).inputValue()).toBe('Half a thought');
    await openThread(page(), 'Grace Hopper');
    expect(await composer(page()).inputValue()).toBe('');
    expect(await row(page(), ada.name).textContent()).toContain('Half a thought');
    await openThread(page(), ada.name);
    await composer(page()).fill('');
  });

  test('sends a place, which a link to a map names, and leaves the text that is being written', async () => {
    await composer(page()).fill('Still to be sent');
    await page().getByRole('button', { name: 'Buttons, a list, a link or a place' }).click();
    const dialog = page().getByRole('dialog');
    await dialog.getByLabel('Below the text').selectOption({ label: 'A place' });
    await dialog.getByLabel('Where').fill('at the gate');
    await dialog.getByText('No place is in this text.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
    await dialog.getByLabel('Where').fill('https://www.google.com/maps/@52.5163,13.3777,17z');
    await dialog.getByLabel('Name (optional)').fill('Brandenburg Gate');
    await page().keyboard.press('Enter');
    await messageOf(page(), 'Brandenburg Gate').getByLabel('Read', { exact: true }).waitFor();
    expect(await composer(page()).inputValue()).toBe('Still to be sent');
    await composer(page()).fill('');
  });
};
