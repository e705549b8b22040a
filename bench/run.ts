import { arch, cpus, platform } from 'node:os';
import { type Baseline, complaint, readBaseline, writeBaseline } from './baseline.ts';
import { type Measured, writeCostPage, writePerformancePage } from './pages.ts';
import type { Figure, Scenario } from './scenario.ts';
import { loadScenarios } from './scenarios.ts';

/**
 * `npm run bench` measures everything; `-- NAME...` only those; `-- --update` makes today's deterministic figures the baseline; `-- --pages`
 * writes docs/performance.md (when everything was measured) and docs/cost.md.
 */
const args = process.argv.slice(2);
const wanted = args.filter((arg) => !arg.startsWith('--'));
const all = await loadScenarios();
const unknown = wanted.filter((name) => !all.some((scenario) => scenario.name === name));
if (unknown.length > 0) {
  console.error(`There is no scenario ${unknown.join(', ')}; there are ${all.map(({ name }) => name).join(', ')}.`);
  process.exit(1);
}

const before = readBaseline();
const after: Baseline = { ...before };
let complaints = 0;
const measured: Measured[] = [];
for (const scenario of all.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const figures = await scenario.measure();
  measured.push({ scenario, figures });
  if (scenario.deterministic) after[scenario.name] = Object.fromEntries(figures.map(({ name, value }) => [name, value]));
  print(scenario, figures, args.includes('--update') ? after : before);
}
if (args.includes('--update')) writeBaseline(after);
if (args.includes('--pages')) {
  if (wanted.length === 0) writePerformancePage(measured, args.includes('--update') ? after : before);
  writeCostPage();
}
console.log(complaints === 0 ? 'All within budget and baseline.' : `${complaints} figures are not as they should be.`);
process.exit(complaints === 0 ? 0 : 1);

function print(scenario: Scenario, figures: readonly Figure[], baseline: Baseline): void {
  const machine = scenario.deterministic
    ? ''
    : ` [${cpus().length} x ${cpus()[0]?.model.trim()}, ${platform()} ${arch()}, Node ${process.version}]`;
  console.log(`\n${scenario.name}: ${scenario.what}${machine}`);
  for (const figure of figures) {
    const why = complaint(scenario, figure, baseline);
    if (why) complaints++;
    const budget =
      figure.atMost !== undefined ? `<= ${shown(figure.atMost)}` : figure.atLeast !== undefined ? `>= ${shown(figure.atLeast)}` : '';
    console.log(
      `  ${figure.name.padEnd(48)} ${shown(figure.value).padStart(10)} ${figure.unit.padEnd(10)} ${budget.padEnd(12)} ${why ? `NOT OK: ${why}` : 'ok'}`,
    );
  }
}

function shown(value: number): string {
  return Number.isInteger(value) ? value.toLocaleString('en') : String(Math.round(value * 100) / 100);
}
