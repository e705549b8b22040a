import './closed-output.ts';
import './help.ts';
import { existsSync } from 'node:fs';
import { type Level, runSamples } from '../test/samples/run.ts';
import { summary } from '../test/support/failures.ts';

/** `npm run test:samples -- FOLDER`: recorded payloads of the outside world through the product. */
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

const results = await runSamples(folder);
const failed = results.filter(({ problem }) => problem !== undefined);
for (const { file, level, reason, problem } of results)
  console.log(
    problem === undefined ? `${level?.padEnd(9)} ${file}${reason === undefined ? '' : `: ${reason}`}` : `FAILED    ${file}: ${problem}`,
  );
const count = (...of: readonly Level[]): number => results.filter(({ level }) => level !== undefined && of.includes(level)).length;
console.log(
  `What it does is asserted: ${count('effect', 'simulator')}, of which ${count('simulator')} only against the simulator. ` +
    `Ignored on purpose, with the reason: ${count('ignored')}. Only answered: ${count('answered')}.`,
);
const failures = failed.map(({ file, problem = '' }) => ({ name: `sample ${file}`, error: problem }));
process.stdout.write(summary(count('effect', 'ignored', 'simulator'), failed.length, failures));
process.exit(failed.length > 0 ? 1 : 0);
