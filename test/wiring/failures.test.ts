import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compareRuns, failuresTitle, fileOf, summary, unsteadyTitle } from '../support/failures.ts';
import { stepResult, sumOfSteps } from '../support/steps.ts';

test('a run ends with the name and the first lines of each failure, and then the sum', () => {
  const many = Array.from({ length: 30 }, (_, index) => ({
    name: `a.test.ts > test ${index}`,
    error: `wrong ${index}\n${'line\n'.repeat(50)}`,
  }));
  const lines = summary(7, 30, many).split('\n');
  expect(lines.slice(-2)).toEqual(['7 passed, 30 failed', '']);
  for (const { name } of many) expect(lines).toContain(`FAILED ${name}`);
  expect(lines[lines.indexOf('FAILED a.test.ts > test 0') + 1]).toBe('    wrong 0');
  expect(lines.length).toBeLessThan(220);
  expect(summary(7, 0, [])).toBe('7 passed, 0 failed\n');
});

const holds = { name: 'x.test.ts > holds', error: 'expected 1 to be 2' };

test('a landing ends with the failures of all its commands, whatever was printed after them, and the sum', () => {
  const end = sumOfSteps([
    stepResult('npm test', `${summary(5, 1, [holds])}\nnpm says more\n`, 1),
    stepResult('npm run test:browser', 'no browser here', 2),
    stepResult('npm run check', '', 0),
    stepResult('npm run test:samples', `${'page\n'.repeat(9_000)}3 passed, 0 failed\n`, 0),
  ]);
  expect(end).toBe(
    `${failuresTitle}\n-- npm test\nFAILED x.test.ts > holds\n    expected 1 to be 2\n-- npm run test:browser\nno browser here\n8 passed, 2 failed\n`,
  );
});

test('a landing names at its end what failed and then passed alone, and passes', () => {
  const steps = [stepResult('npm test', summary(6, 0, [], [holds]), 0), stepResult('npm run test:product', summary(4, 0, []), 0)];
  expect(sumOfSteps(steps)).toBe(`${unsteadyTitle}\nUNSTEADY x.test.ts > holds\n    expected 1 to be 2\n10 passed, 0 failed\n`);
});

test('a command that ends with an error counts as one failure, though each of its tests passed', () => {
  expect(stepResult('npm test', summary(6, 0, []), 1)).toMatchObject({ passed: 6, failed: 1 });
  expect(stepResult('npm test', 'killed', null)).toMatchObject({ passed: 0, failed: 1 });
});

test('.ci/run installs, and calls commands of package.json alone', () => {
  const run = readFileSync(join(import.meta.dirname, '../../.ci/run'), 'utf8');
  const commands = [...run.matchAll(/^(?!#).*?\bnpm ([^&|\n]*)/gm)].map(([, command]) => command?.trim());
  expect(commands).toEqual(['ci --no-audit --no-fund', 'run --silent test:landing']);
});

test('of two runs a test has failed that failed in both, and one that failed once is unsteady, in whichever run', () => {
  const [other, file] = [
    { ...holds, name: 'test/x.test.ts > other' },
    { ...holds, name: 'test/x.test.ts' },
  ];
  expect(compareRuns([holds], [])).toEqual({ failed: [], unsteady: [holds] });
  expect(compareRuns([holds], [{ ...holds, error: 'again' }])).toEqual({ failed: [{ ...holds, error: 'again' }], unsteady: [] });
  expect(compareRuns([holds], [other])).toEqual({ failed: [], unsteady: [holds, other] });
  // a file that could not run again, and a run that was not counted
  expect(compareRuns([other], [file]).failed).toEqual([file]);
  expect(compareRuns([holds], [{ name: 'vitest', error: 'No test ran.' }]).failed).toHaveLength(1);
  expect([other, file, { name: 'outside of any test', error: '' }].map(fileOf)).toEqual(['test/x.test.ts', 'test/x.test.ts', undefined]);
});
