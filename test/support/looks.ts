import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  impact: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/** Serious and critical violations of WCAG 2.2 A and AA, by axe-core. */
export const violations = async (page: Page): Promise<string[]> => {
  // by the inspector's own way: the page's policy lets no other script in
  const found = (await page.evaluate(
    `${axe}; axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], resultTypes: ['violations'] })`,
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

/** Whether the page is wider than its window, and buttons and names whose text runs out of them without being cut on purpose. */
export const overflows = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const found = document.documentElement.scrollWidth > innerWidth ? ['the page is ' + document.documentElement.scrollWidth + ' wide'] : [];
    for (const element of document.querySelectorAll('button, a, h1, h2, .badge, label')) {
      const { overflowX } = getComputedStyle(element);
      // a count stands over the edge of its icon
      if (element.matches('.rail > a')) continue;
      if (element.clientWidth > 0 && overflowX === 'visible' && element.scrollWidth > element.clientWidth + 1)
        found.push((element.textContent || element.ariaLabel || '').trim().slice(0, 60) + ' ' + element.className);
      const box = element.getBoundingClientRect();
      if (box.width > 0 && (box.right < 0 || box.left > innerWidth)) continue;
      if (box.width > 0 && (box.left < -1 || box.right > innerWidth + 1) && !element.closest('.views, .tabs, .subnav, .table-wrap'))
        found.push('outside: ' + (element.textContent || '').trim().slice(0, 60) + ' ' + element.className);
    }
    return found;
  })()`);
