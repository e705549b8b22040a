import type { Baseline } from './baseline.ts';
import type { Results } from './results.ts';
import { type Figure, isMissed, type Scenario, shown, target } from './scenario.ts';

/** docs/performance.md: every target of the product with what was measured, and the figures that have none. A missed target is named. */
export const performancePage = (scenarios: readonly Scenario[], results: Results, baseline: Baseline): string => {
  const rows = scenarios.flatMap((scenario) => rowsOf(scenario, results, baseline));
  const withTarget = rows.filter(({ figure }) => target(figure) !== '');
  const missed = withTarget.filter(({ figure }) => isMissed(figure));
  const unmeasured = scenarios.filter(({ name }) => !(name in results)).map(({ name }) => name);
  return `# What was measured

**${withTarget.length} targets, ${withTarget.length - missed.length} kept, ${missed.length} missed.**${unmeasured.length > 0 ? ` Not measured yet: ${unmeasured.join(', ')}.` : ''}
${missed.length > 0 ? `\n${table(missed)}\n` : ''}
Written by \`npm run bench -- --pages\` from bench/baseline.json (what is deterministic) and bench/results.json (the last kept result of every
other scenario). \`npm run bench -- NAME --pages\` measures one and writes this page anew: the first column is the name. Larger sizes are measured by
\`CAMPAIGN_SIZES=20000 npm run bench -- campaign\`, \`RECIPIENTS=20000 npm run bench -- campaign-peer\` and
\`CONTACTS=1000000 npm run bench -- contacts-large\`, a smaller one by \`LISTS_SIZE=20000 npm run bench -- lists-large\`; with \`LISTS_DATA=FOLDER\`
that one keeps in the folder what it filled, and begins with a copy of it the next time.

## Method

The product's own handlers, through the real AWS SDK, on the embedded DynamoDB and SQS emulators. Units (WRU, RRU), calls, rounds and bytes
are deterministic: the emulator counts them as DynamoDB does, indexes included, and \`npm run test:product\` fails when one is over its target or worse
than the baseline. Times and rates are of the machine below, where emulators, simulator and product share the cores: they compare with each
other, not with AWS. A ratio (x) is of two things measured side by side in one run; a peer is the real program, installed from its registry
(bench/peers). Every scenario is a file of bench/scenarios. Where a load is named, other programs wanted the cores: then counts say more than CPU,
and CPU, which such a load about doubles, says more than times.

${machines(scenarios, results)}

## Targets

${table(withTarget)}

## Figures without a target

${table(rows.filter(({ figure }) => target(figure) === ''))}

## Scenarios

${scenarios.map(({ name, description: what }) => `- **${name}**: ${what}.`).join('\n')}
`;
};

interface Row {
  scenario: Scenario;
  figure: Figure;
  day: string;
}

/** The baseline has the value of what is deterministic: the tests hold it, whenever it was measured. */
function rowsOf(scenario: Scenario, results: Results, baseline: Baseline): Row[] {
  const stored = results[scenario.name];
  const gated = scenario.deterministic ? baseline[scenario.name] : undefined;
  return (stored?.figures ?? []).map((figure) => ({
    scenario,
    figure: { ...figure, value: gated?.[figure.name] ?? figure.value },
    day: gated ? 'gated' : (stored?.day ?? ''),
  }));
}

function machines(scenarios: readonly Scenario[], results: Results): string {
  const timed = scenarios.filter(({ name, deterministic }) => !deterministic && name in results).map(({ name }) => name);
  const all = [...new Set(timed.map((name) => results[name]?.machine ?? ''))];
  return all
    .map(
      (each) =>
        `${each}: ${timed
          .filter((name) => results[name]?.machine === each)
          .map((name) => withLoad(name, results[name]?.load ?? 0))
          .join(', ')}.`,
    )
    .join('\n\n');
}

/** A scenario keeps both cores busy by itself: only what is beyond that is named. */
const withLoad = (name: string, load: number): string => (load > 4 ? `${name} (load ${load})` : name);

const table = (rows: readonly Row[]): string => `| scenario | figure | measured | target | | day |
|---|---|---:|---:|---|---|
${rows.map(({ scenario, figure, day }) => `| ${scenario.name} | ${figure.name} | ${shown(figure.value)} ${figure.unit} | ${target(figure)} | ${verdict(figure)} | ${day} |`).join('\n')}`;

const verdict = (figure: Figure): string => (target(figure) === '' ? '' : isMissed(figure) ? '**missed**' : 'kept');
