import { existsSync } from 'node:fs';
import { runSamples } from '../test/samples/run.ts';

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

const { results, waiting } = await runSamples(folder);
const failed = results.filter(({ problem }) => problem !== undefined);
for (const { file, problem } of results) console.log(problem === undefined ? `ok      ${file}` : `FAILED  ${file}: ${problem}`);
for (const line of waiting) console.log(line);
console.log(`${results.length - failed.length} passed, ${failed.length} failed`);
process.exit(failed.length > 0 ? 1 : 0);
