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

/** `.ci/run` with a stand-in for npm: the given tests, a browser step, samples that print pages and pass. */
const runCi = (tests: { output: string; code: number }, browser: { output: string; code: number }) => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-ci-'));
  try {
    mkdirSync(join(folder, 'bin'));
    mkdirSync(join(folder, 'project/.ci'), { recursive: true });
    mkdirSync(join(folder, 'shared/samples'), { recursive: true });
    cpSync(join(import.meta.dirname, '../../.ci/run'), join(folder, 'project/.ci/run'));
    writeFileSync(join(folder, 'tests'), tests.output);
    const npm = `#!/bin/sh\ncase "$*" in test) cat ${folder}/tests; exit ${tests.code};; *browser*) echo ${browser.output}; exit ${browser.code};; *samples*) seq 9000; echo '3 passed, 0 failed';; esac\n`;
    writeFileSync(join(folder, 'bin/npm'), npm);
    chmodSync(join(folder, 'bin/npm'), 0o755);
    const env = { PATH: `${folder}/bin:${process.env['PATH']}`, CHROMIUM: '/bin/sh' };
    return spawnSync('bash', [join(folder, 'project/.ci/run')], { env, encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
const holds = { name: 'x.test.ts > holds', error: 'expected 1 to be 2' };

test('.ci/run repeats the failures of all its steps at its end, whatever was printed after them', () => {
  const { status, stdout } = runCi({ output: summary(5, 1, [holds]), code: 1 }, { output: 'no browser here', code: 2 });
  const end = stdout.slice(stdout.lastIndexOf(failuresTitle));
  expect(end).toBe(
    `${failuresTitle}\n-- npm test\nFAILED x.test.ts > holds\n    expected 1 to be 2\n-- browser_tests\nno browser here\n8 passed, 2 failed\n`,
  );
  expect(status).toBe(1);
});

test('.ci/run names at its end what failed and then passed alone, and passes', () => {
  const { status, stdout } = runCi({ output: summary(6, 0, [], [holds]), code: 0 }, { output: '1 passed, 0 failed', code: 0 });
  const end = stdout.slice(stdout.lastIndexOf(unsteadyTitle));
  expect(end).toBe(`${unsteadyTitle}\nUNSTEADY x.test.ts > holds\n    expected 1 to be 2\n10 passed, 0 failed\n`);
  expect(status).toBe(0);
});
