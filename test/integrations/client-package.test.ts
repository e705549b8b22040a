import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installTools } from '../support/foreign-tools.ts';

/** The TypeScript client as others get it: packed, and read by every way in which Node and TypeScript find a module and its types. */
const root = join(import.meta.dirname, '../..');
const runTool = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'switchboard-client-'));
const versions = { '@arethetypeswrong/cli': '0.18.5', publint: '0.3.25' };
let packed = '';
let command = (name: string): string => name;
beforeAll(async () => {
  ({ command } = await installTools('package', versions));
  await runTool('npm', ['pack', '--pack-destination', folder, '--loglevel=error'], { cwd: join(root, 'client') });
  packed = join(folder, 'switchboard-client-1.0.0.tgz');
}, 900_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const outputOf = async (program: string, args: readonly string[], cwd = folder): Promise<string> => {
  const { stdout, stderr } = await runTool(program, args, { cwd, maxBuffer: 1e8 }).catch(
    (error: unknown) => error as { stdout: string; stderr: string },
  );
  return `${stdout}${stderr}`;
};

test('its types are right for CommonJS and for modules, in each way of looking for them', async () => {
  const output = await outputOf(process.execPath, [command('attw'), packed, '--format', 'ascii', '--no-emoji']);
  expect(output).toContain('No problems found');
});

test('its package.json names only what is there, in the form that it has', async () => {
  const output = await outputOf(process.execPath, [command('publint'), packed, '--strict']);
  expect(output).toContain('All good');
});

test('it is loaded by require and by import', async () => {
  const place = join(folder, 'node_modules/switchboard-client');
  mkdirSync(place, { recursive: true });
  await runTool('tar', ['xzf', packed, '-C', place, '--strip-components=1']);
  writeFileSync(join(folder, 'one.cjs'), "const { switchboard } = require('switchboard-client'); console.log(typeof switchboard);");
  writeFileSync(join(folder, 'other.mjs'), "import { switchboard } from 'switchboard-client'; console.log(typeof switchboard);");
  expect(await outputOf(process.execPath, ['one.cjs'])).toBe('function\n');
  expect(await outputOf(process.execPath, ['other.mjs'])).toBe('function\n');
});
