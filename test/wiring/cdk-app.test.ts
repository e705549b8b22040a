import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** What the aws command answers, by its service. */
const answers = {
  sts: '123456789012',
  lambda: '1000 1000',
  cloudformation: '',
  ssm: '{"alarmEmail":"a@b.de","emailFrom":"hello@acme.de","ringTone":"loud"}',
};

/** Runs the CDK app as the CDK's command line does, beside an aws command with these answers. */
function runApp(changed: Partial<typeof answers>) {
  const bin = mkdtempSync(join(tmpdir(), 'switchboard-aws-'));
  const cases = Object.entries({ ...answers, ...changed }).map(([service, answer]) => `${service}) echo '${answer}' ;;`);
  writeFileSync(join(bin, 'aws'), `#!/bin/sh\ncase $1 in ${cases.join(' ')} esac\n`, { mode: 0o755 });
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
  return ran;
}

test.each([
  ['settings that are deployed', {}, 'alarmEmail: is "a@b.de", and would become unset.'],
  ['settings of another release', {}, 'Not compared, as this release does not know what switchboard has there: ringTone.'],
  ['the quota', { lambda: '10 10' }, 'Lambda runs 10 functions at once in this account'],
  ['what others have reserved', { lambda: '1000 300' }, 'of the 1000 of this account 300 are left'],
  ['what the stack itself has reserved', { lambda: '1000 300', cloudformation: '700' }, 'alarmEmail: is "a@b.de"'],
  ['the account that the profile means', { sts: '210987654321' }, 'the aws command reads 210987654321: name the profile in AWS_PROFILE'],
])('the CDK app compares %s before it builds anything', (_, changed, expected) => {
  expect(runApp(changed)).toMatchObject({ status: 1, stderr: expect.stringContaining(expected) });
});
