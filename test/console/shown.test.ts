import './fake-browser.ts';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';

const { Shown } = await import('../../console/components/shown.tsx');
const { problemsText } = await import('../../console/text/problems.ts');
const { shellText } = await import('../../console/text/shell.ts');
// as a page does before its first drawing
await Promise.all([problemsText.load('en'), shellText.load('en')]);

const drawn = (data: string | undefined, error: Error | null): string =>
  renderToStaticMarkup(
    createElement(Shown<string>, { query: { data, error, refetch: () => undefined }, children: (text) => createElement('p', null, text) }),
  );

test('what was read stays where reading it again fails, below one line that says so', () => {
  const page = drawn('Alder GmbH', new TypeError('Failed to fetch'));
  expect(page).toContain('<p>Alder GmbH</p>');
  expect(page).toContain('stale-bar');
  expect(page).not.toContain('role="alert"');
});

test('a refusal stands in the place of what was never read, with a way to try again', () => {
  const page = drawn(undefined, new TypeError('Failed to fetch'));
  expect(page).toContain('role="alert"');
  expect(page).toContain('Try again');
});

test('until something is known it is being read, and then it is shown alone', () => {
  expect(drawn(undefined, null)).toContain('aria-label="Loading"');
  expect(drawn('Alder GmbH', null)).toBe('<p>Alder GmbH</p>');
});
