import type { Page, Request } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Console } from './console.ts';
import { ada, composer, customerOf, messageOf, openThread, row } from './inbox-page.ts';
import { atRest } from './at-rest.ts';

/** How the thread and the list of test/browser/walks/inbox.ts are moved, by the wheel and by keys. */
export const scrollingInTheInbox = (swb: () => Console, page: () => Page): void => {
  const { inbound } = customerOf(swb);

  test('scrolls a thread of 10,000 messages with fewer than 200 rows in the document', async () => {
    const id = Number(/\/inbox\/(\d+)/.exec((await row(page(), ada.name).getAttribute('href')) ?? '')?.[1]);
    const newest = await swb().product.api.conversations.listMessages({ params: { id }, query: { limit: 100 } });
    const template = newest.data.find(({ subtype }) => subtype === 'text');
    let pages = 0;
    await page().route(`**/api/v1/conversations/${id}/messages?*`, (route) => {
      const query = new URL(route.request().url()).searchParams;
      // in pages of a thousand, as what is read stays in the page in any case
      const [before, limit] = [Number(query.get('before_id') ?? 10_001), 1_000];
      pages++;
      const data = Array.from({ length: Math.min(limit, before - 1) }, (_, index) => {
        const number = before - 1 - index;
        return {
          ...template,
          id: number,
          value: `Message ${number} ${'and more words '.repeat(number % 9)}`,
          is_message_by_contact: number % 2,
          status: 4,
        };
      });
      const oldest = Number(data.at(-1)?.id ?? 1);
      const meta = { per_page: limit, has_more: oldest > 1, next_before_id: oldest > 1 ? oldest : null };
      return route.fulfill({ json: { status: 'success', message: 'Messages.', data, meta } });
    });
    // a look for changes brings the messages that there really are
    await page().route('**/api/v1/sync?*', async (route) => {
      // this way a request loses by what the product knows that it comes from its own page
      const answer = await route.fetch({ headers: { ...(await route.request().allHeaders()), 'sec-fetch-site': 'same-origin' } });
      const body = (await answer.json()) as { data?: { thread?: unknown } };
      if (body.data) body.data.thread = null;
      // without the headers of the answer, which may say that it is compressed
      await route.fulfill({ status: answer.status(), json: body });
    });
    // what was read of it before would be shown, and not read again
    await page().reload();
    await openThread(page(), ada.name);
    await messageOf(page(), 'Message 10000 ').waitFor();
    const list = page().getByRole('log', { name: 'Conversations' });
    await list.focus();
    let most = 0;
    const until = Date.now() + 80_000;
    // what comes last is put above what is read, so that the way to it is pressed once more
    const first = page()
      .locator('.message')
      .filter({ hasText: /Message 1 and/ });
    while (Date.now() < until && (await first.count()) === 0) {
      await page().keyboard.press('Home');
      most = Math.max(most, await page().locator('.message').count());
      await page().waitForTimeout(30);
    }
    await first.waitFor();
    await page().getByText('This is where the conversation begins.').waitFor();
    expect(pages).toBeGreaterThanOrEqual(10);
    expect(most).toBeGreaterThan(3);
    expect(most).toBeLessThan(200);
    await page().keyboard.press('End');
    await messageOf(page(), 'Message 10000 ').waitFor();
    await page().unroute(`**/api/v1/conversations/${id}/messages?*`);
    await page().unroute('**/api/v1/sync?*');
    await page().reload();
  }, 120_000);

  test('moves a thread by the smallest steps and by keys, which open no other conversation, and follows its end alone', async () => {
    await openThread(page(), ada.name);
    const thread = page().getByRole('log', { name: 'Conversations' });
    /** Pixels between what is seen of a thread and its end. */
    const left = (): Promise<number> =>
      page().evaluate<number>(
        `(({ scrollHeight, clientHeight, scrollTop }) => scrollHeight - clientHeight - scrollTop)(document.querySelector('.reverse-list'))`,
      );
    await expect.poll(left).toBeLessThan(2);
    await thread.hover();
    for (let step = 0; step < 20; step++) await page().mouse.wheel(0, -10);
    await expect.poll(left).toBeGreaterThan(150);
    await thread.focus();
    const [address, middle] = [page().url(), await left()];
    await page().keyboard.press('PageUp');
    await expect.poll(left).toBeGreaterThan(middle + 200);
    await page().keyboard.press('ArrowUp');
    await page().keyboard.press('ArrowDown');
    const away = await atRest(left);
    await inbound({ type: 'text', text: 'While it is read' });
    await row(page(), 'While it is read').waitFor();
    await expect.poll(left).toBeGreaterThan(away + 20);
    await page().getByRole('button', { name: 'New messages' }).click();
    await messageOf(page(), 'While it is read').waitFor();
    await expect.poll(left).toBeLessThan(2);
    await inbound({ type: 'text', text: 'While its end is read' });
    await messageOf(page(), 'While its end is read').waitFor();
    await expect.poll(left).toBeLessThan(2);
    // what is sent is seen, wherever the thread was read
    await thread.focus();
    await page().keyboard.press('PageUp');
    await expect.poll(left).toBeGreaterThan(200);
    await composer(page()).fill('Sent from above');
    await composer(page()).press('Enter');
    await messageOf(page(), 'Sent from above').waitFor();
    await expect.poll(left).toBeLessThan(2);
    // what is below the thread grows, such as the field with what is written: the end stays in sight, and is followed
    await composer(page()).fill('A line\n'.repeat(12));
    await expect.poll(left).toBeLessThan(2);
    await inbound({ type: 'text', text: 'Below a long draft' });
    await messageOf(page(), 'Below a long draft').waitFor();
    await expect.poll(left).toBeLessThan(2);
    await composer(page()).fill('');
    await expect.poll(left).toBeLessThan(2);
    expect(page().url()).toBe(address);
  });

  test('leaves the list where it was scrolled to while messages arrive', async () => {
    const place = (): Promise<number> => page().evaluate<number>(`document.querySelector('.virtual-list').scrollTop`);
    await page().locator('.virtual-list').waitFor();
    // the walk before this one may have left it further down
    await page().evaluate(`document.querySelector('.virtual-list').scrollTop = 0`);
    for (let nth = 10; nth < 22; nth++) await swb().write(`49177200000${nth}`, `Long list ${nth}`, 'Hello');
    await row(page(), 'Long list 21').waitFor();
    await page().locator('.virtual-list').hover();
    await page().mouse.wheel(0, 400);
    await expect.poll(place).toBeGreaterThan(300);
    const before = await place();
    const read = page().waitForResponse(
      async (answer) => new URL(answer.url()).pathname === '/api/v1/sync' && (await answer.text()).includes('While the list is read'),
    );
    await swb().write('4917700000003', 'Bulk 3', 'While the list is read');
    await read;
    await page().evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    expect(await place()).toBe(before);
  });

  test('is passed by Tab in one stop, gone through by arrows, and changes nothing for a key that is held', async () => {
    await openThread(page(), ada.name);
    await page().getByRole('searchbox').focus();
    const isAt = (part: string): Promise<boolean> => page().evaluate<boolean>(`document.activeElement.closest('${part}') !== null`);
    let stops = 0;
    for (let presses = 0; presses < 25 && !(await isAt('.thread')); presses++) {
      await page().keyboard.press('Tab');
      if (await isAt('.virtual-list')) stops++;
    }
    expect([await isAt('.thread'), stops]).toEqual([true, 1]);
    await page().keyboard.press('Escape');
    await page().keyboard.press('F6');
    await expect.poll(() => isAt('.virtual-list')).toBe(true);
    const focused = (): Promise<string> => page().evaluate<string>('document.activeElement.textContent');
    const first = await focused();
    await page().keyboard.press('ArrowDown');
    await expect.poll(focused).not.toBe(first);
    await page().keyboard.press('j');
    await expect.poll(() => isAt('.conversation.open')).toBe(true);
    const calls: string[] = [];
    const record = (request: Request): void => void (request.method() === 'PUT' && calls.push(request.url()));
    page().on('request', record);
    await page().keyboard.press('Shift+e');
    await page().keyboard.down('u');
    for (let repeats = 0; repeats < 5; repeats++) await page().keyboard.down('u');
    await page().keyboard.up('u');
    await page().locator('.toast').filter({ hasText: 'Marked as unread' }).waitFor();
    expect(calls.filter((address) => /conversations\/\d+$/.test(address))).toHaveLength(1);
    page().off('request', record);
  });
};
