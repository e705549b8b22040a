import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { failuresTitle, summary } from '../support/failures.ts';

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

test('.ci/run repeats the failures of all its steps at its end, whatever was printed after them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-ci-'));
  try {
    mkdirSync(join(folder, 'bin'));
    mkdirSync(join(folder, 'project/.ci'), { recursive: true });
    mkdirSync(join(folder, 'shared/samples'), { recursive: true });
    cpSync(join(import.meta.dirname, '../../.ci/run'), join(folder, 'project/.ci/run'));
    const failing = summary(5, 1, [{ name: 'x.test.ts > holds', error: 'expected 1 to be 2' }]);
    writeFileSync(join(folder, 'tests'), failing);
    // a stand-in for npm: the tests fail, the browser step breaks without counting, the samples print pages and pass
    const npm = `#!/bin/sh\ncase "$*" in test) cat ${folder}/tests; exit 1;; *browser*) echo no browser here; exit 2;; *samples*) seq 9000; echo '3 passed, 0 failed';; esac\n`;
    writeFileSync(join(folder, 'bin/npm'), npm);
    chmodSync(join(folder, 'bin/npm'), 0o755);
    const env = { PATH: `${folder}/bin:${process.env['PATH']}`, CHROMIUM: '/bin/sh' };
    const { status, stdout } = spawnSync('bash', [join(folder, 'project/.ci/run')], { env, encoding: 'utf8' });
    const end = stdout.slice(stdout.lastIndexOf(failuresTitle));
    expect(end).toBe(
      `${failuresTitle}\n-- npm test\nFAILED x.test.ts > holds\n    expected 1 to be 2\n-- browser_tests\nno browser here\n8 passed, 2 failed\n`,
    );
    expect(status).toBe(1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
