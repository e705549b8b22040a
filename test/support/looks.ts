import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** How every screen is looked at: wide and narrow, light and dark, in a language that is written from the right too. */
export const views = [
  { width: 1400, colorScheme: 'light', locale: 'en-GB' },
  { width: 1400, colorScheme: 'dark', locale: 'de-DE' },
  { width: 360, colorScheme: 'light', locale: 'de-DE' },
  { width: 360, colorScheme: 'dark', locale: 'ar-EG' },
] as const;

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  impact: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/** Serious and critical violations of WCAG 2.2 A and AA, by axe-core; of a long page, within these parts alone. */
export const violations = async (page: Page, parts: readonly string[] = []): Promise<string[]> => {
  // by the inspector's own way: the page's policy lets no other script in; once for a document, which many screens are shown in
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe);
  const found = (await page.evaluate(
    `axe.run(${parts.length > 0 ? JSON.stringify({ include: parts.map((part) => [part]) }) : 'document'}, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], resultTypes: ['violations'] })`,
  )) as { violations: Violation[] };
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary}`)
          .join(' | ')
          .slice(0, 600)}`,
    );
};

/** Whether the page is wider than its window or a table than its place, columns of two letters, and buttons and names whose text runs out of them without being cut on purpose. */
const overflows = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const found = document.documentElement.scrollWidth > innerWidth ? ['the page is ' + document.documentElement.scrollWidth + ' wide'] : [];
    for (const table of document.querySelectorAll('.data-table')) {
      if (table.scrollWidth > table.clientWidth + 1) found.push('a table is ' + table.scrollWidth + ' wide in ' + table.clientWidth);
      for (const head of table.querySelectorAll('[role=columnheader]'))
        if (head.textContent !== '' && head.clientWidth > 0 && head.clientWidth < 56) found.push('a narrow column: ' + head.textContent + ' ' + head.clientWidth);
    }
    for (const element of document.querySelectorAll('button, a, h1, h2, .badge, label')) {
      const { overflowX } = getComputedStyle(element);
      // a count stands over the edge of its icon
      if (element.matches('.rail > a')) continue;
      if (element.clientWidth > 0 && overflowX === 'visible' && element.scrollWidth > element.clientWidth + 1)
        found.push((element.textContent || element.ariaLabel || '').trim().slice(0, 60) + ' ' + element.className);
      const box = element.getBoundingClientRect();
      if (box.width > 0 && (box.right < 0 || box.left > innerWidth)) continue;
      if (box.width > 0 && (box.left < -1 || box.right > innerWidth + 1) && !element.closest('.views, .tabs, .subnav, .table-wrap, .board'))
        found.push('outside: ' + (element.textContent || '').trim().slice(0, 60) + ' ' + element.className);
    }
    return found;
  })()`);

/**
 * Texts and controls that something else lies over: what is at three places of their line, where the page shows them, is neither them nor around them.
 * What lies over a page on purpose, such as a dialog, covers it.
 */
const overlaps = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const over = '.scrim, .dialog, .popover, .toasts, .contact-card, .phone, .inspector, .subnav, .rail, .head, .save-line, .reverse-list-frame > .button';
    const clipOf = (element) => {
      let clip = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
      for (let each = element; each; each = each.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(each);
        if (overflowX === 'visible' && overflowY === 'visible') continue;
        const { left, top, right, bottom } = each.getBoundingClientRect();
        clip = { left: Math.max(clip.left, left), top: Math.max(clip.top, top), right: Math.min(clip.right, right), bottom: Math.min(clip.bottom, bottom) };
      }
      return clip;
    };
    const found = new Set();
    const look = (element, boxes, name) => {
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return;
      const clip = clipOf(element);
      for (const box of boxes) {
        const [left, right] = [Math.max(box.left, clip.left), Math.min(box.right, clip.right)];
        const [top, bottom] = [Math.max(box.top, clip.top), Math.min(box.bottom, clip.bottom)];
        // cut off on purpose, or for screen readers alone
        if (right - left < 4 || bottom - top < box.height * 0.9 || box.width < 2 || box.height < 2) continue;
        for (const x of [left + 1.5, (left + right) / 2, right - 1.5]) {
          const hit = document.elementFromPoint(x, (top + bottom) / 2);
          if (!hit || element.contains(hit) || hit.contains(element) || (hit.closest(over) && !hit.closest(over).contains(element))) continue;
          found.add(name.trim().slice(0, 40) + ' lies under ' + (hit.textContent || hit.tagName).trim().slice(0, 40) + ' ' + hit.className);
        }
      }
    };
    for (const element of document.querySelectorAll('button, input, select, textarea')) look(element, [element.getBoundingClientRect()], element.ariaLabel || element.textContent || element.name);
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (text.data.trim() === '' || text.parentElement.closest('script, style, option, svg, .hidden-text')) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      look(text.parentElement, range.getClientRects(), text.data);
    }
    return [...found];
  })()`);

/** Tokens in what a script of the page could read: storage, document, address, cookies. */
const tokens = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[
    ['storage', JSON.stringify([{ ...localStorage }, { ...sessionStorage }])],
    ['document', document.documentElement.outerHTML + [...document.querySelectorAll('input, textarea')].map(({ value }) => value).join()],
    ['address', location.href],
    ['cookie', document.cookie],
  ].flatMap(([place, text]) => (/(swb|ses|whsec)_[A-Za-z0-9]{10}/.exec(text) ?? []).slice(0, 1).map((token) => place + ' has ' + token.slice(0, 6) + '...'))`);

/** What would move or fade although the user prefers less motion, as every browser of these tests does: half faded in, a text cannot be read. */
const motions = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll('*')].flatMap((element) => {
    const { animationName, transitionDuration } = getComputedStyle(element);
    return animationName === 'none' && /^[0s, ]*$/.test(transitionDuration) ? [] : ['moves: ' + element.tagName + ' ' + element.className];
  })`);

/** What is wrong with the screen that is shown: for users of keyboards and screen readers, where something overlaps, leaves the page or moves, and a token in it. */
export const findings = async (page: Page, { showsSecret = false }: { showsSecret?: boolean } = {}): Promise<string[]> => [
  ...(await violations(page)),
  ...(await overflows(page)),
  ...(await overlaps(page)),
  ...(await motions(page)),
  ...(showsSecret ? [] : await tokens(page)),
];
