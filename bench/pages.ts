import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { app } from '../functions/app.ts';
import { templateOf } from '../test/wiring/template.ts';
import { readBaseline } from './baseline.ts';
import { costPage, standing } from './cost.ts';
import { performancePage } from './performance.ts';
import { readResults } from './results.ts';
import { loadScenarios } from './scenarios.ts';

const docs = join(import.meta.dirname, '..', 'docs');

/** docs/cost.md, as today's figures and stack give it. */
export const costContent = (): string => costPage(readBaseline(), standing(templateOf(app)), readResults());

/** docs/performance.md, from the kept results and the baseline. */
export const performanceContent = async (): Promise<string> => performancePage(await loadScenarios(), readResults(), readBaseline());

export const writePages = async (): Promise<void> => {
  writeFileSync(join(docs, 'cost.md'), costContent());
  writeFileSync(join(docs, 'performance.md'), await performanceContent());
};
