import './closed-output.ts';
import './help.ts';
import { existsSync } from 'node:fs';
import { type Level, runSamples, type SampleResult } from '../test/samples/run.ts';
import { type Failure, mayRunAgain, summary } from '../test/support/failures.ts';

/**
 * `npm run test:samples -- FOLDER`: recorded payloads of the outside world through the product. With `SECOND_RUN` set, a few that failed go once
 * more through another one, as the tests of bin/test.ts do.
 */
const [folder] = process.argv.slice(2);
if (folder === undefined || !existsSync(folder)) {
  console.error(
    folder === undefined
      ? 'Say where the samples are: npm run test:samples -- FOLDER, with FOLDER/provider/*.json and FOLDER/shop/*.json.'
      : `There is no folder ${folder}.`,
  );
  console.log('0 passed, 1 failed');
  process.exit(1);
}

const first = await runSamples(folder);
const failed = first.filter(({ problem }) => problem !== undefined);
const second = mayRunAgain(failed.length) ? await runSamples(folder, (file) => failed.some((each) => each.file === file)) : failed;
const isUnsteady = second.every(({ problem }) => problem === undefined);
const results = isUnsteady ? first.map((result) => second.find(({ file }) => file === result.file) ?? result) : first;
for (const { file, level, reason, problem } of results)
  console.log(
    problem === undefined ? `${level?.padEnd(9)} ${file}${reason === undefined ? '' : `: ${reason}`}` : `FAILED    ${file}: ${problem}`,
  );
const count = (...of: readonly Level[]): number => results.filter(({ level }) => level !== undefined && of.includes(level)).length;
console.log(
  `What it does is asserted: ${count('effect', 'simulator')}, of which ${count('simulator')} only against the simulator. ` +
    `Ignored on purpose, with the reason: ${count('ignored')}. Only answered: ${count('answered')}.`,
);
const failures = failuresOf(results);
const unsteady = failures.length === 0 ? failuresOf(first) : [];
process.stdout.write(summary(count('effect', 'ignored', 'simulator'), failures.length, failures, unsteady));
process.exit(failures.length > 0 ? 1 : 0);

function failuresOf(of: readonly SampleResult[]): Failure[] {
  return of.flatMap(({ file, problem }) => (problem === undefined ? [] : [{ name: `sample ${file}`, error: problem }]));
}
