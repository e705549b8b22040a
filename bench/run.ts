import { type Baseline, complaint, readBaseline, writeBaseline } from './baseline.ts';
import { writePages } from './pages.ts';
import { keepResult, machine } from './results.ts';
import { type Figure, type Scenario, shown, target } from './scenario.ts';
import { loadScenarios } from './scenarios.ts';

/**
 * `npm run bench` measures everything; `-- NAME...` only those; `-- --update` makes today's deterministic figures the baseline; `-- --pages`
 * keeps what was measured as the last result of its scenario. Both write docs/performance.md and docs/cost.md anew.
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
for (const scenario of all.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const figures = await scenario.measure();
  if (args.includes('--pages')) keepResult(scenario.name, figures);
  if (scenario.deterministic) after[scenario.name] = Object.fromEntries(figures.map(({ name, value }) => [name, value]));
  print(scenario, figures, args.includes('--update') ? after : before);
}
if (args.includes('--update')) writeBaseline(after);
if (args.includes('--update') || args.includes('--pages')) await writePages();
console.log(complaints === 0 ? 'All within budget and baseline.' : `${complaints} figures are not as they should be.`);
process.exit(complaints === 0 ? 0 : 1);

function print(scenario: Scenario, figures: readonly Figure[], baseline: Baseline): void {
  console.log(`\n${scenario.name}: ${scenario.what}${scenario.deterministic ? '' : ` [${machine}]`}`);
  for (const figure of figures) {
    const why = complaint(scenario, figure, baseline);
    if (why) complaints++;
    console.log(
      `  ${figure.name.padEnd(48)} ${shown(figure.value).padStart(10)} ${figure.unit.padEnd(10)} ${target(figure).padEnd(12)} ${why ? `NOT OK: ${why}` : 'ok'}`,
    );
  }
}
