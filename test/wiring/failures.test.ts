import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { failuresTitle, summary, unsteadyTitle } from '../support/failures.ts';

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

/** `.ci/run` with a stand-in for npm: the given tests, walks and screens, samples that print pages and pass. */
const runCi = ({ tests, walks, screens = passing }: Record<'tests' | 'walks', Printed> & { screens?: Printed }) => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-ci-'));
  try {
    mkdirSync(join(folder, 'bin'));
    mkdirSync(join(folder, 'project/.ci'), { recursive: true });
    mkdirSync(join(folder, 'shared/samples'), { recursive: true });
    cpSync(join(import.meta.dirname, '../../.ci/run'), join(folder, 'project/.ci/run'));
    writeFileSync(join(folder, 'tests'), tests.output);
    const printing = ({ output, code }: Printed): string => `echo '${output}'; exit ${code}`;
    const npm = `#!/bin/sh
case "$*" in
test) cat ${folder}/tests; exit ${tests.code};;
*walks*) ${printing(walks)};;
*screens*) ${printing(screens)};;
*samples*) seq 9000; echo '3 passed, 0 failed';;
esac
`;
    writeFileSync(join(folder, 'bin/npm'), npm);
    chmodSync(join(folder, 'bin/npm'), 0o755);
    const env = { PATH: `${folder}/bin:${process.env['PATH']}`, CHROMIUM: '/bin/sh' };
    return spawnSync('bash', [join(folder, 'project/.ci/run')], { env, encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
interface Printed {
  output: string;
  code: number;
}
const passing: Printed = { output: '1 passed, 0 failed', code: 0 };
const holds = { name: 'x.test.ts > holds', error: 'expected 1 to be 2' };

test('.ci/run repeats the failures of all its steps at its end, whatever was printed after them', () => {
  const { status, stdout } = runCi({
    tests: { output: summary(5, 1, [holds]), code: 1 },
    walks: { output: 'no browser here', code: 2 },
    screens: { output: 'a page is too wide', code: 3 },
  });
  const end = stdout.slice(stdout.lastIndexOf(failuresTitle));
  expect(end).toBe(
    `${failuresTitle}\n-- npm test\nFAILED x.test.ts > holds\n    expected 1 to be 2\n-- npm run --silent test:browser -- test/browser/walks\nno browser here\n-- npm run --silent test:browser -- test/browser/screens\na page is too wide\n8 passed, 3 failed\n`,
  );
  expect(status).toBe(1);
});

test('.ci/run names at its end what failed and then passed alone, and passes', () => {
  const { status, stdout } = runCi({ tests: { output: summary(6, 0, [], [holds]), code: 0 }, walks: passing });
  const end = stdout.slice(stdout.lastIndexOf(unsteadyTitle));
  expect(end).toBe(`${unsteadyTitle}\nUNSTEADY x.test.ts > holds\n    expected 1 to be 2\n11 passed, 0 failed\n`);
  expect(status).toBe(0);
});
