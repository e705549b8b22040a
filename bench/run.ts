import '../bin/closed-output.ts';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Baseline, complaint, readBaseline, writeBaseline } from './baseline.ts';
import { writePages } from './pages.ts';
import { storeResult, machine } from './results.ts';
import { type Figure, isMissed, type Scenario, shown, target } from './scenario.ts';
import { loadScenarios } from './scenarios.ts';

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    update: { type: 'boolean', default: false },
    pages: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const all = await loadScenarios();
if (values.help) {
  console.log(`Measures scenarios and compares their figures with the budgets and with bench/baseline.json.

  npm run bench -- [--update] [--pages] [NAME...]

  NAME      only these scenarios; all unless given
  --update  makes today's deterministic figures the baseline
  --pages   stores the figures as the last results; this and --update write docs/performance.md and docs/cost.md anew

Exits with 1 if a figure misses its budget or is worse than the baseline, not for goals that are known to be missed.

Scenarios (* deterministic: request units, not times; test/bench holds these in npm run test:product):
${all.map(({ name, description: what, deterministic }) => `  ${deterministic ? '*' : ' '} ${name.padEnd(24)} ${what}`).join('\n')}`);
  process.exit(0);
}
const unknown = wanted.filter((name) => !all.some((scenario) => scenario.name === name));
if (unknown.length > 0) {
  console.error(`There is no scenario ${unknown.join(', ')}; there are ${all.map(({ name }) => name).join(', ')}.`);
  process.exit(1);
}

const before = readBaseline();
const after: Baseline = { ...before };
let complaints = 0;
let missedGoals = 0;
for (const scenario of all.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const figures = await measured(scenario.name);
  if (!figures) {
    complaints++;
    console.log(`\n${scenario.name}: NOT OK: the scenario failed.`);
    continue;
  }
  if (values.pages) storeResult(scenario.name, figures);
  if (scenario.deterministic) after[scenario.name] = Object.fromEntries(figures.map(({ name, value }) => [name, value]));
  print(scenario, figures, values.update ? after : before);
}
if (values.update) writeBaseline(after);
if (values.update || values.pages) await writePages();
const goals = missedGoals === 0 ? '' : ` ${missedGoals} goals are not reached yet: docs/performance.md.`;
console.log(`${complaints === 0 ? 'All within budget and baseline.' : `${complaints} figures are not as they should be.`}${goals}`);
process.exit(complaints === 0 ? 0 : 1);

/**
 * The scenario's figures, measured in a process of its own: SDK clients keep the endpoint of their first call, which is gone when the
 * scenario that started it ends. `undefined` if the scenario fails.
 */
async function measured(name: string): Promise<readonly Figure[] | undefined> {
  const child = fork(join(import.meta.dirname, 'measure.ts'), [name]);
  let figures: readonly Figure[] | undefined;
  child.on('message', (message) => (figures = message as readonly Figure[]));
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0 ? figures : undefined;
}

function print(scenario: Scenario, figures: readonly Figure[], baseline: Baseline): void {
  console.log(`\n${scenario.name}: ${scenario.description}${scenario.deterministic ? '' : ` [${machine}]`}`);
  for (const figure of figures) {
    const why = complaint(scenario, figure, baseline);
    if (why) complaints++;
    else if (isMissed(figure)) missedGoals++;
    const verdict = why ? `NOT OK: ${why}` : isMissed(figure) ? 'missed, as known' : 'ok';
    console.log(
      `  ${figure.name.padEnd(48)} ${shown(figure.value).padStart(10)} ${figure.unit.padEnd(10)} ${target(figure).padEnd(12)} ${verdict}`,
    );
  }
}
