import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkGroups } from '../../conformance/check.ts';
import { allChecks, checkDeployment, type ConformanceOptions, type ConformanceReport } from '../../conformance/runner.ts';
import { type FakeDeployment, fakeToken, startFakeDeployment } from '../support/conformance-fake.ts';

/** The conformance runner finds each breach of the API's rules; that the product has none: test/flows/laptop/conformance.ts. */
const root = join(import.meta.dirname, '../..');
let fake: FakeDeployment;
beforeEach(async () => {
  fake = await startFakeDeployment();
});
afterEach(() => fake[Symbol.asyncDispose]());

const optionsOf = (given: Partial<ConformanceOptions> = {}): ConformanceOptions => ({
  base: fake.url,
  token: fakeToken,
  receiverPort: 0,
  reachLimit: true,
  sendTo: '+4915123456789',
  groups: checkGroups,
  timeoutMs: 5_000,
  ...given,
});

const idsOf = ({ checks }: ConformanceReport, outcome: string): string[] =>
  checks.filter((each) => each.outcome === outcome).map(({ id }) => id);

describe('the conformance runner', () => {
  it('passes a deployment that conforms, and leaves nothing behind', async () => {
    const report = await checkDeployment(optionsOf());
    expect(report.checks.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
    expect(report).toMatchObject({ company: 'Fake', passed: allChecks.length, failed: 0, notChecked: 0 });
    expect(fake.leftovers()).toBe(0);
  });

  it.each(allChecks.map(({ id }) => id))('notices a deployment that fails %s', async (id) => {
    fake.faults.add(id);
    // what cannot be checked of a deployment whose profile cannot be read is no report at all
    const report = await checkDeployment(optionsOf({ timeoutMs: 2_000 }));
    expect(idsOf(report, 'failed')).toContain(id);
    expect(report.checks.find((each) => each.id === id)?.reason).toMatch(/\w/);
  });

  it('names contacts that it could not remove', async () => {
    fake.faults.add('removal');
    const report = await checkDeployment(optionsOf({ groups: ['idempotency'] }));
    expect(idsOf(report, 'failed')).toEqual(['removal']);
    expect(report.checks.at(-1)?.reason).toContain('could not be deleted');
  });

  it('sends nothing unless a phone is named, and says what it did not check', async () => {
    const report = await checkDeployment(optionsOf({ sendTo: undefined, reachLimit: false }));
    expect(idsOf(report, 'not checked')).toEqual(['limit-reached', 'scheduled-at-with-zone', 'near-miss', 'message-once']);
    expect([report.failed, fake.sentTexts()]).toEqual([0, 0]);
  });

  it('says that webhooks were not checked where a deployment elsewhere cannot reach it', async () => {
    const { port } = new URL(fake.url);
    const elsewhere = checkDeployment(optionsOf({ base: `http://127.0.0.2:${port}`, groups: ['webhooks'] }));
    // 127.0.0.2 is this computer too, and no address that the runner knows as its own; the fake answers at 127.0.0.1 alone
    await expect(elsewhere).rejects.toThrow('does not answer');
    const proxy = createServer((request, response) => {
      const sent = { method: request.method ?? 'GET', headers: { authorization: request.headers.authorization ?? '' } };
      void fetch(`${fake.url}${request.url}`, sent).then(async (answer) => response.writeHead(answer.status).end(await answer.text()));
    }).listen(0, '127.0.0.2');
    await once(proxy, 'listening');
    const address = proxy.address();
    const base = `http://127.0.0.2:${typeof address === 'object' ? address?.port : 0}`;
    const report = await checkDeployment(optionsOf({ base, groups: ['webhooks'] }));
    proxy.close();
    expect(report.checks.map(({ outcome, reason }) => [outcome, reason?.includes('--receiver')])).toEqual([
      ['not checked', true],
      ['not checked', true],
    ]);
  });
});

describe('the command switchboard-conformance', () => {
  const run = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const child = spawn(process.execPath, ['conformance/main.ts', ...args], {
      cwd: root,
      env: { PATH: process.env['PATH'] ?? '', ...env },
    });
    const output = { out: '', err: '' };
    child.stdout.on('data', (data: Buffer) => (output.out += data.toString()));
    child.stderr.on('data', (data: Buffer) => (output.err += data.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, ...output };
  };

  it('ends with 0 where all holds, and reports as text or JSON', async () => {
    const args = ['--base', fake.url, '--only', 'envelopes', '--only', 'errors'];
    const text = await run([...args, '--token', fakeToken]);
    expect([text.code, text.err]).toEqual([0, '']);
    expect(text.out).toMatch(/^ok {3}envelopes: a record is/);
    expect(text.out).toContain('11 passed, 0 failed, 0 not checked');
    const json = await run([...args, '--json'], { SWITCHBOARD_TOKEN: fakeToken });
    expect(JSON.parse(json.out)).toMatchObject({
      passed: 11,
      failed: 0,
      checks: expect.arrayContaining([expect.objectContaining({ id: 'head' })]),
    });
  });

  it('ends with 1 where something does not hold, and says what was expected', async () => {
    fake.faults.add('unknown-record');
    const { code, out } = await run(['--base', fake.url, '--token', fakeToken, '--only', 'errors']);
    expect(code).toBe(1);
    expect(out).toMatch(/FAIL errors: a record that is not there is 404 not_found\n +expected that the status is 404; found 200/);
  });

  it.each([
    ['no address', [], '--base is missing'],
    ['an address that is none', ['--base', 'example'], 'no http or https address'],
    ['no token', ['--base', 'http://127.0.0.1:9'], 'SWITCHBOARD_TOKEN'],
    ['an unknown option', ['--bass', 'x'], '--bass'],
    ['an unknown group', ['--base', 'http://127.0.0.1:9', '--token', 'x', '--only', 'speed'], 'the groups are envelopes'],
    ['a deployment that does not answer', ['--base', 'http://127.0.0.1:9', '--token', 'x'], 'does not answer'],
  ])('ends with 2 for %s', async (_, args, words) => {
    const { code, out, err } = await run(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(words);
  });

  it('ends with 2 for a token that is refused, and explains itself with --help', async () => {
    const refused = await run(['--base', fake.url, '--token', 'swb_other']);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('refuses the token')]);
    const help = await run(['--help']);
    expect(help.code).toBe(0);
    for (const option of ['--base', '--token', '--receiver', '--send-to', '--json', 'Exit code']) expect(help.out).toContain(option);
  });

  it('builds as a package whose command runs as plain JavaScript', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-conformance-'));
    try {
      cpSync(join(root, 'conformance/package.json'), join(folder, 'package.json'));
      const tsc = join(root, 'node_modules/typescript/bin/tsc');
      await promisify(execFile)(process.execPath, [tsc, '-p', join(root, 'conformance'), '--outDir', join(folder, 'dist')]);
      const args = ['--base', fake.url, '--token', fakeToken, '--only', 'envelopes'];
      const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'dist/main.js'), ...args]);
      expect(stdout).toContain('3 passed, 0 failed');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
