import { afterEach } from 'vitest';
import { openPages } from './open-pages.ts';

/** What a page says to its user beside what it shows: toasts, alerts, and which dialog is open. */
const shownWords = `[...document.querySelectorAll('[role=status], [role=alert], [role=dialog] h2')].map((each) => each.innerText.trim().replaceAll(/\\s+/g, ' ')).filter(Boolean).join(' | ')`;

/** A test that fails names what its pages show: a failure on another machine is often seen once. */
afterEach(async ({ task }) => {
  const [error] = task.result?.errors ?? [];
  if (!error) return;
  for (const page of openPages) {
    const words = await page.evaluate<string>(shownWords).catch((problem: unknown) => `it does not answer: ${String(problem)}`);
    error.message += `\nThe page ${new URL(page.url(), 'http://none').pathname} says: ${words || 'nothing'}`;
  }
});
