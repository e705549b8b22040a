import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseSettings } from '../../lib/aws/settings.ts';

test.each([
  ['1000', 'alarmEmail: is "a@b.de", and would become unset.'],
  ['10', 'Lambda runs 10 functions at once in this account'],
])('the CDK app compares with what is deployed, and with a quota of %s, before it builds anything', (quota, expected) => {
  const bin = mkdtempSync(join(tmpdir(), 'switchboard-aws-'));
  const stored = JSON.stringify(parseSettings({ alarmEmail: 'a@b.de', emailFrom: 'hello@acme.de' }));
  writeFileSync(join(bin, 'aws'), `#!/bin/sh\ncase $1 in lambda) echo ${quota} ;; *) echo '${stored}' ;; esac\n`, { mode: 0o755 });
  const ran = spawnSync(process.execPath, ['bin/app.ts'], {
    cwd: join(import.meta.dirname, '../..'),
    encoding: 'utf8',
    env: {
      PATH: `${bin}:/usr/bin:/bin`,
      CDK_DEFAULT_ACCOUNT: '123456789012',
      CDK_OUTDIR: join(bin, 'out'),
      CDK_CONTEXT_JSON: JSON.stringify({ emailFrom: 'hello@acme.de' }),
    } as unknown as NodeJS.ProcessEnv,
  });
  rmSync(bin, { recursive: true });
  expect(ran).toMatchObject({ status: 1, stderr: expect.stringContaining(expected) });
});
