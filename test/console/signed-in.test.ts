import { left, storage } from './fake-browser.ts';
import { beforeEach, describe, expect, test, vi } from 'vitest';

type SignedIn = typeof import('../../console/data/signed-in.ts');

/** A page that was loaded: what it keeps in memory is its own, what the browser stores is for all. */
const loadPage = async (): Promise<SignedIn> => {
  vi.resetModules();
  return import('../../console/data/signed-in.ts');
};
const isOver = (page: SignedIn): Promise<boolean> =>
  Promise.race([page.checkUser().then(() => false), new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 20))]);

let page: SignedIn;
beforeEach(async () => {
  page = await loadPage();
});

describe('what is stored for a user of a company', () => {
  test('stands under the name of both, and is there when they come back to the page', async () => {
    page.storedFor(1, 5).set('draft.7', 'Half a thought');
    expect(storage.getItem('switchboard.1.5.draft.7')).toBe('Half a thought');
    expect((await loadPage()).storedFor(1, 5).get('draft.7')).toBe('Half a thought');
  });

  test.each([
    ['another company', 2, 5],
    ['another user of the company', 1, 6],
    ['a user whose number begins with theirs', 1, 55],
    ['a company whose number begins with theirs', 11, 5],
  ])('is neither seen nor stored any more once %s is signed in', async (_, companyId, userId) => {
    page.storedFor(1, 5).set('draft.7', 'Half a thought');
    const stored = (await loadPage()).storedFor(companyId, userId);
    expect(stored.get('draft.7')).toBe('');
    expect(JSON.stringify(storage)).not.toContain('thought');
  });

  test('goes with signing out, and so does what earlier versions stored; what was chosen for the browser stays', async () => {
    page.ofBrowser.set('theme', 'dark');
    page.storedFor(1, 5).set('note.7', 'A regular');
    storage.setItem('switchboard.draft.7', 'Of before');
    storage.setItem('another.program', 'its own');
    await page.forgetSession();
    expect(Object.fromEntries(Object.entries(storage))).toEqual({ 'switchboard.theme': 'dark', 'another.program': 'its own' });
    expect(page.signedInNow()).toBe('');
  });

  test('waits for the same user, with the place where they were, when the session ends by itself', async () => {
    page.storedFor(1, 5).set('draft.7', 'Half a thought');
    page.interruptSession('/inbox/7');
    expect(page.signedInNow()).toBe('');
    const stored = (await loadPage()).storedFor(1, 5);
    expect([stored.get('draft.7'), stored.get('place')]).toEqual(['Half a thought', '/inbox/7']);
    page.interruptSession('/inbox/8');
    expect((await loadPage()).storedFor(2, 9).get('place')).toBe('');
    expect(JSON.stringify(storage)).not.toMatch(/thought|inbox/);
  });

  test('tells those who show it that it changed, as long as they do', () => {
    const stored = page.storedFor(1, 5);
    const observer = vi.fn<() => void>();
    const stop = stored.subscribe(observer);
    stored.set('draft.7', 'One');
    stored.changed();
    stop();
    stored.set('draft.7', 'Two');
    expect(observer).toHaveBeenCalledTimes(2);
  });
});

describe('a page that was loaded for a user', () => {
  test('speaks for them while they are signed in, in another tab too', async () => {
    page.storedFor(1, 5);
    (await loadPage()).storedFor(1, 5);
    expect(await isOver(page)).toBe(false);
    expect(left).toEqual([]);
  });

  test.each([
    ['somebody else has signed in in another tab', async (other: SignedIn) => void other.storedFor(2, 9)],
    ['they have signed out in another tab', async (other: SignedIn) => other.forgetSession()],
    ['another tab has signed in and does not know yet as whom', async (other: SignedIn) => other.signingIn(async () => undefined)()],
  ])('ends before it speaks again once %s', async (_, change) => {
    page.storedFor(1, 5);
    await change(await loadPage());
    expect(await isOver(page)).toBe(true);
    expect(left).toEqual(['/console/']);
  });

  test('speaks neither before nor after a sign-in in another tab that is under way, and goes on where that is refused', async () => {
    page.storedFor(1, 5);
    const other = await loadPage();
    for (const isRefused of [true, false]) {
      let finish: (error?: Error) => void = () => undefined;
      const call = new Promise<void>((resolve, reject) => {
        finish = (error) => (error ? reject(error) : resolve());
      });
      const signIn = other.signingIn(() => call)();
      const check = isOver(page);
      expect(await check).toBe(true);
      expect(left).toEqual([]);
      finish(isRefused ? new Error('The code is wrong.') : undefined);
      await signIn.catch(() => undefined);
      await expect.poll(() => isOver(page)).toBe(!isRefused);
    }
    expect(left.length).toBeGreaterThan(0);
  });

  test('is not ended by an answer that signs nobody in', async () => {
    page.storedFor(1, 5);
    const other = await loadPage();
    await other.signingIn(
      async () => ({ companies: [1, 2] }),
      () => false,
    )();
    expect(await isOver(page)).toBe(false);
  });
});

test('the sign-in page itself may call while it signs in', async () => {
  let wasOver: boolean | undefined;
  await page.signingIn(async () => {
    wasOver = await isOver(page);
  })();
  expect(wasOver).toBe(false);
});
