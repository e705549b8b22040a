import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bestOf, type Console, startConsole } from '../../support/console.ts';
import { messagesInTheInbox } from '../../support/inbox-messages.ts';
import { ada, composer, customerOf, messageOf, openThread, row } from '../../support/inbox-page.ts';
import { sharedProduct } from '../../support/shared-product.ts';

let swb: Console;
let page: Page;

beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

const { accepted, acceptedTexts, inbound } = customerOf(() => swb);

test('a newcomer, who does what the pages say, sends the first reply well within two minutes of the ready line', async () => {
  const began = performance.now();
  const own = await swb.open();
  await own.goto(swb.product.baseUrl);
  // "Only on this machine: one click signs you in."
  await own.locator('.tile').first().click();
  await own.getByText('On this machine you are the customer too').waitFor();
  await own.getByRole('button', { name: 'Open the phone', exact: true }).click();
  await own.getByText('Write the first message: it appears in the inbox.').waitFor();
  await own.getByRole('textbox', { name: 'Write as the customer' }).fill('Do you have rye bread?');
  await own.getByRole('button', { name: 'Send as the customer' }).click();
  await own.locator('.conversation').filter({ hasText: 'Do you have rye bread?' }).click();
  await composer(own).fill('Yes, until six.');
  await own.getByRole('button', { name: 'Send', exact: true }).click();
  await messageOf(own, 'Yes, until six.').getByLabel('Read', { exact: true }).waitFor();
  await own.locator('.phone-message').filter({ hasText: 'Yes, until six.' }).waitFor();
  expect(performance.now() - began).toBeLessThan(60_000);
  expect(await acceptedTexts(ada.phone, 'Yes, until six.')).toBe(1);
  await own.context().close();
});

const secondNow = (): number => Math.floor(Date.now() / 1_000);

describe('the inbox', () => {
  beforeAll(async () => {
    page = await swb.signIn();
  });

  test('is there within a second of the click on a demo user', async () => {
    const best = await bestOf(
      6,
      async () => {
        const other = await swb.open();
        await other.goto(swb.product.baseUrl);
        const tile = other.getByRole('button', { name: 'Member' }).first();
        await tile.waitFor();
        const began = performance.now();
        await tile.click();
        await other.locator('.inbox-list').waitFor();
        const took = performance.now() - began;
        await other.context().close();
        return took;
      },
      1_000,
    );
    expect(best).toBeLessThan(1_000);
  });

  test('shows a customer who writes on top, with a badge, within four seconds', async () => {
    let count = 0;
    // in a second of its own, by which the list is sorted
    await swb.write('4917600000001', 'Grace Hopper', 'Good morning');
    await row(page, 'Grace Hopper').waitFor();
    const best = await bestOf(
      4,
      async () => {
        count++;
        const began = performance.now();
        await swb.write(ada.phone, ada.name, `Question ${count}`);
        const first = page.locator('.conversation').first();
        await first.filter({ hasText: `Question ${count}` }).waitFor();
        await first
          .locator('.badge')
          .filter({ hasText: String(count) })
          .waitFor();
        return performance.now() - began;
      },
      4_000,
    );
    expect(best).toBeLessThan(4_000);
    await expect.poll(() => page.title()).toMatch(/^\(\d+\) Inbox/);
  });

  test('opens a conversation without marking it read; an answer marks it, and its ticks go to read', async () => {
    await openThread(page, ada.name);
    await messageOf(page, 'Question 1').waitFor();
    expect(await row(page, ada.name).locator('.badge').count()).toBe(1);
    await composer(page).fill('Your order left *this morning*.');
    await page.keyboard.press('Enter');
    await messageOf(page, 'this morning').getByLabel('Read', { exact: true }).waitFor();
    await expect.poll(() => row(page, ada.name).locator('.badge').count()).toBe(0);
    expect(await acceptedTexts(ada.phone, 'Your order left *this morning*.')).toBe(1);
    expect(await messageOf(page, 'this morning').locator('strong').textContent()).toBe('this morning');
  });

  test('sends one message for a double click, however slow the answer is', async () => {
    await page.route('**/api/v1/messages/text', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    await composer(page).fill('Only once');
    await page.getByRole('button', { name: 'Send', exact: true }).dblclick();
    await page.keyboard.press('Enter');
    await messageOf(page, 'Only once').getByLabel('Read', { exact: true }).waitFor();
    expect(await acceptedTexts(ada.phone, 'Only once')).toBe(1);
    expect(await messageOf(page, 'Only once').count()).toBe(1);
    await page.unroute('**/api/v1/messages/text');
  });

  test('tries a lost answer again with the same key: one message', async () => {
    let tries = 0;
    await page.route('**/api/v1/messages/text', async (route) => {
      tries++;
      if (tries > 1) return route.continue();
      await route.fetch();
      return route.abort('connectionreset');
    });
    await composer(page).fill('Answer lost');
    await page.keyboard.press('Enter');
    await messageOf(page, 'Answer lost').getByLabel('Read', { exact: true }).waitFor();
    expect(tries).toBeGreaterThan(1);
    expect(await acceptedTexts(ada.phone, 'Answer lost')).toBe(1);
    await page.unroute('**/api/v1/messages/text');
  });

  test('shows an outcome that is not known as that, offers no second send, and never sends again', async () => {
    await swb.product.control('PUT', 'provider/faults', { timeout_after_accept: 1, hold_statuses: true });
    await composer(page).fill('Did it arrive?');
    await page.keyboard.press('Enter');
    await messageOf(page, 'Did it arrive?').getByText('Outcome unknown').waitFor();
    await row(page, ada.name).getByRole('img', { name: 'Outcome unknown' }).waitFor();
    expect(
      await messageOf(page, 'Did it arrive?')
        .getByRole('button', { name: /again|send/i })
        .count(),
    ).toBe(0);
    await swb.product.control('PUT', 'provider/faults', { hold_statuses: true });
    await swb.product.control('POST', 'clock', { advance_seconds: 600 });
    expect(await acceptedTexts(ada.phone, 'Did it arrive?')).toBe(1);
    await swb.product.control('PUT', 'provider/faults', {});
    // a status settles it
    await messageOf(page, 'Did it arrive?').getByLabel('Read', { exact: true }).waitFor();
    expect(await acceptedTexts(ada.phone, 'Did it arrive?')).toBe(1);
  });

  test('shows a refusal with its code, what to do, and the id of the request to copy', async () => {
    await page.route('**/api/v1/messages/text', (route) =>
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
    await composer(page).fill('Too late');
    await page.keyboard.press('Enter');
    const alert = messageOf(page, 'Too late').getByRole('alert');
    await alert.waitFor();
    for (const part of ['The window is closed.', 'Send a template.', 'window_closed', 'req-42'])
      expect(await alert.textContent()).toContain(part);
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.unroute('**/api/v1/messages/text');
  });

  test('keeps a draft over a reload, and only in its own conversation', async () => {
    await composer(page).fill('Half a thought');
    await page.reload();
    await expect.poll(() => composer(page).inputValue()).toBe('Half a thought');
    await openThread(page, 'Grace Hopper');
    expect(await composer(page).inputValue()).toBe('');
    expect(await row(page, ada.name).textContent()).toContain('Half a thought');
    await openThread(page, ada.name);
    await composer(page).fill('');
  });

  test('shows an assignment in another browser', async () => {
    const other = await swb.signIn('Admin');
    await openThread(other, ada.name);
    await page.keyboard.press('Escape');
    await page.locator('.thread-header').click();
    await page.keyboard.press('a');
    await other.getByRole('button', { name: /^Assigned to .*Owner/ }).waitFor();
    await expect.poll(() => row(other, ada.name).textContent()).toMatch(/Assigned to .*Owner/);
    await other.context().close();
  });

  messagesInTheInbox(
    () => swb,
    () => page,
  );

  test('adds the contact to a group and a tag, and takes it out of the group', async () => {
    await swb.product.api.createGroup({ body: { name: 'Regulars' } });
    await swb.product.api.createTag({ body: { name: 'Wholesale', color: '#0F766E' } });
    await page.reload();
    const card = page.locator('.contact-card');
    await card.getByRole('button', { name: 'Add to a group' }).click();
    await page.getByRole('menuitem', { name: 'Regulars' }).click();
    await card.getByRole('button', { name: 'Add a tag' }).click();
    await page.getByRole('menuitem', { name: 'Wholesale' }).click();
    const id = Number(/\/inbox\/(\d+)/.exec(page.url())?.[1]);
    const stored = async () => {
      const { data } = await swb.product.api.getContact({ params: { id } });
      return [data.groups.map(({ name }) => name), data.tags.map(({ name }) => name)];
    };
    await expect.poll(stored).toEqual([['Regulars'], ['Wholesale']]);
    await card.getByRole('button', { name: 'Remove Regulars' }).click();
    await expect.poll(stored).toEqual([[], ['Wholesale']]);
    await card.getByRole('button', { name: 'Remove Regulars' }).waitFor({ state: 'detached' });
  });

  test('assigns and closes several at once, and leaves the others', async () => {
    for (const nth of [1, 2, 3]) await swb.write(`491770000000${nth}`, `Bulk ${nth}`, 'Hello');
    await row(page, 'Bulk 3').waitFor();
    await page.getByRole('button', { name: /^Select several/ }).click();
    const bar = page.getByRole('toolbar', { name: 'Select several' });
    for (const nth of [1, 2]) await page.getByRole('checkbox', { name: `Select Bulk ${nth}` }).check();
    await bar.getByText('2 selected').waitFor();
    await bar.getByRole('button', { name: 'Assign' }).click();
    await page.getByRole('menuitem', { name: 'Demo Member' }).click();
    await page.locator('.toast').filter({ hasText: '2 conversations changed.' }).waitFor();
    await expect.poll(() => row(page, 'Bulk 2').textContent()).toContain('Assigned to Demo Member');
    expect(await row(page, 'Bulk 3').textContent()).not.toContain('Assigned');
    await page.getByRole('button', { name: /^Select several/ }).click();
    for (const nth of [1, 2]) await page.getByRole('checkbox', { name: `Select Bulk ${nth}` }).check();
    await bar.getByRole('button', { name: 'Close' }).click();
    await row(page, 'Bulk 1').waitFor({ state: 'detached' });
    await row(page, 'Bulk 2').waitFor({ state: 'detached' });
    await row(page, 'Bulk 3').waitFor();
  });

  test('plays no sound until it is switched on, then one with a new message', async () => {
    const tones = (): Promise<number> => page.evaluate<number>('globalThis.tones');
    await page.evaluate(
      'globalThis.tones = 0; globalThis.OscillatorNode = class extends OscillatorNode { start(at) { tones++; super.start(at); } }',
    );
    await swb.write('4917700000003', 'Bulk 3', 'No sound');
    await row(page, 'No sound').waitFor();
    expect(await tones()).toBe(0);
    await page.getByRole('button', { name: /^Your account/ }).click();
    await page.getByRole('menuitem', { name: /^Sound of new messages/ }).click();
    await expect.poll(tones).toBe(2);
    await swb.write('4917700000003', 'Bulk 3', 'With a sound');
    await expect.poll(tones).toBe(4);
  });

  test('reads one conversation for a message and not the list, and in a storm of messages the list no more often than the event log', async () => {
    await page.goto(`${swb.product.baseUrl}/console/inbox`);
    await row(page, ada.name).waitFor();
    const reads: string[] = [];
    const record = (request: Request): void => void (request.method() === 'GET' && reads.push(new URL(request.url()).pathname));
    page.on('request', record);
    await inbound({ type: 'text', text: 'One by itself' });
    await page.locator('.conversation').first().filter({ hasText: 'One by itself' }).waitFor();
    expect(reads).not.toContain('/api/v1/conversations');
    expect(reads.filter((path) => /^\/api\/v1\/conversations\/\d+$/.test(path)).length).toBeGreaterThan(0);
    reads.length = 0;
    for (let round = 1; round <= 4; round++) {
      const second = secondNow();
      await Promise.all(
        Array.from({ length: 9 }, (_, nth) => swb.write(`49177100000${10 + nth}`, `Storm ${10 + nth}`, `Round ${round} of ${10 + nth}`)),
      );
      // the provider's times are of seconds: of two messages in one, either may be the newest
      await expect.poll(secondNow).toBeGreaterThan(second + 1);
    }
    for (let nth = 10; nth < 16; nth++) await row(page, `Round 4 of ${nth}`).waitFor();
    const count = (path: string): number => reads.filter((each) => each === path).length;
    expect(count('/api/v1/conversations')).toBeLessThanOrEqual(count('/api/v1/events') + 1);
    expect(count('/api/v1/conversations/counts')).toBeLessThanOrEqual(count('/api/v1/events') + 1);
    page.off('request', record);
  });

  test('goes from the sign-in page to a sent answer, a closed conversation and the settings by keys alone', async () => {
    await swb.write('4917600000009', 'Katherine Johnson', 'By keys please');
    await row(page, 'Katherine Johnson').waitFor();
    const keys = await swb.open();
    await keys.goto(swb.product.baseUrl);
    await keys.locator('.tile').first().waitFor();
    const isTile = (): Promise<boolean> => keys.evaluate<boolean>('document.activeElement.matches(".tile")');
    for (let tabs = 0; tabs < 10 && !(await isTile()); tabs++) await keys.keyboard.press('Tab');
    expect(await isTile()).toBe(true);
    await keys.keyboard.press('Enter');
    await row(keys, 'Katherine Johnson').waitFor();
    // the list is sorted by the second, in which another conversation may have changed too
    for (const name of (await keys.locator('.conversation .name').allTextContents()).slice(0, 3)) {
      await keys.keyboard.press('j');
      await keys.getByRole('heading', { name, level: 2 }).waitFor();
      if (name === 'Katherine Johnson') break;
    }
    await keys.getByRole('heading', { name: 'Katherine Johnson', level: 2 }).waitFor();
    await keys.keyboard.press('r');
    await expect.poll(() => keys.evaluate<string>('document.activeElement.tagName')).toBe('TEXTAREA');
    await keys.keyboard.type('Sent without a mouse');
    await keys.keyboard.press('Enter');
    await messageOf(keys, 'Sent without a mouse').getByLabel('Read', { exact: true }).waitFor();
    await keys.keyboard.press('Escape');
    await keys.keyboard.press('e');
    await expect.poll(() => row(keys, 'Katherine Johnson').count()).toBe(0);
    await keys.keyboard.press('Control+k');
    await keys.getByRole('combobox').waitFor();
    await keys.keyboard.type('settings');
    await keys.getByRole('option', { name: 'Settings' }).waitFor();
    await keys.keyboard.press('Enter');
    await expect.poll(() => keys.url()).toMatch(/settings/);
    await keys.keyboard.press('g');
    await keys.keyboard.press('i');
    await expect.poll(() => keys.url()).toMatch(/inbox/);
    await keys.context().close();
  });

  test('scrolls a thread of 10,000 messages with fewer than 200 rows in the document', async () => {
    const id = Number(/\/inbox\/(\d+)/.exec((await row(page, ada.name).getAttribute('href')) ?? '')?.[1]);
    const newest = await swb.product.api.listConversationMessages({ params: { id }, query: { limit: 100 } });
    const template = newest.data.find(({ subtype }) => subtype === 'text');
    let pages = 0;
    await page.route(`**/api/v1/conversations/${id}/messages?*`, (route) => {
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
    await openThread(page, ada.name);
    await messageOf(page, 'Message 10000 ').waitFor();
    const list = page.getByRole('log', { name: 'Conversations' });
    await list.focus();
    let most = 0;
    for (let step = 0; step < 400 && (await page.getByText('This is where the conversation begins.').count()) === 0; step++) {
      await page.keyboard.press('Home');
      most = Math.max(most, await page.locator('.message').count());
      await page.waitForTimeout(30);
    }
    await messageOf(page, 'Message 1 ').first().waitFor();
    expect(pages).toBeGreaterThanOrEqual(10);
    expect(most).toBeGreaterThan(3);
    expect(most).toBeLessThan(200);
    await page.unroute(`**/api/v1/conversations/${id}/messages?*`);
    await page.reload();
  }, 120_000);

  test('locks the composer a day later, and the template picker sends', async () => {
    await page.goto(`${swb.product.baseUrl}/console/inbox`);
    await openThread(page, ada.name);
    await page.locator('.thread-header').click();
    await page.keyboard.press('p');
    await page.getByRole('button', { name: '25 hours later' }).click();
    await page.getByText('The 24-hour window is closed').waitFor();
    expect(await composer(page).count()).toBe(0);
    await page.getByRole('button', { name: 'Choose a template' }).click();
    await page.getByRole('button', { name: /order_update/ }).click();
    await page.getByRole('textbox', { name: 'Value of {{1}}' }).fill('Ada');
    await page.getByRole('textbox', { name: 'Value of {{2}}' }).fill('A-1001');
    expect(await page.getByRole('figure').textContent()).toContain('Hi Ada, your order A-1001 has shipped.');
    await page.getByRole('button', { name: 'Send template' }).dblclick();
    await messageOf(page, 'order_update').getByLabel('Read', { exact: true }).waitFor();
    expect((await accepted(ada.phone)).filter(({ type }) => type === 'template')).toHaveLength(1);
  });

  test('is written to and answered from the phone beside it', async () => {
    await page.getByRole('textbox', { name: 'Write as the customer' }).fill('From the phone');
    await page.keyboard.press('Enter');
    await messageOf(page, 'From the phone').waitFor();
    await composer(page).fill('From the inbox');
    await composer(page).press('Enter');
    await page.locator('.phone-message').filter({ hasText: 'From the inbox' }).waitFor();
    await page.getByRole('button', { name: 'Send something else' }).click();
    await page.getByRole('menuitem', { name: 'Location' }).click();
    await messageOf(page, 'Brandenburger Tor').waitFor();
  });
});

describe('the console', () => {
  test('has no token in storage, document or address', async () => {
    const places = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.documentElement.outerHTML, location.href, document.cookie])',
    );
    expect(places).not.toMatch(/swb_[A-Za-z0-9]{10}|ses_[A-Za-z0-9]{10}/);
    expect(await page.evaluate('document.cookie')).toBe('');
  });

  test('asks nothing of another host, and the browser complains of nothing', () => {
    expect(swb.foreign).toEqual([]);
    expect(swb.complaints).toEqual([]);
  });
});
