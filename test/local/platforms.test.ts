import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { emulatorPlatforms, emulatorProgram } from '../../lib/local/emulator-program.ts';

const root = join(import.meta.dirname, '../..');
const manifest = z.object({ optionalDependencies: z.record(z.string(), z.string()), scripts: z.record(z.string(), z.string()) });
const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({
      version: z.string().optional(),
      os: z.array(z.string()).optional(),
      cpu: z.array(z.string()).optional(),
      optional: z.boolean().optional(),
    }),
  ),
});
const json = (name: string): unknown => JSON.parse(readFileSync(join(root, name), 'utf8'));

describe('the DynamoDB emulator', () => {
  const { optionalDependencies } = manifest.parse(json('package.json'));
  const { packages } = lockFile.parse(json('package-lock.json'));

  test.each(emulatorPlatforms)('%s: npm ci installs the package there, and skips it elsewhere', (platform) => {
    const [os, cpu] = platform.split('-');
    const name = `@dynoxide/${platform}`;
    expect(packages[`node_modules/${name}`]).toMatchObject({ version: optionalDependencies[name], os: [os], cpu: [cpu], optional: true });
  });

  test('is declared in one version for all platforms', () => {
    const declared = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('@dynoxide/'));
    expect(declared.map(([name]) => name)).toEqual(emulatorPlatforms.map((platform) => `@dynoxide/${platform}`));
    expect(new Set(declared.map(([, version]) => version)).size).toBe(1);
  });

  test('where it is missing, the message says what to do', () => {
    expect(() => emulatorProgram('linux-riscv64', '')).toThrow(/There is no DynamoDB emulator for linux-riscv64.* DYNOXIDE_BIN/);
    const other = emulatorPlatforms.find((platform) => platform !== `${process.platform}-${process.arch}`);
    expect(() => emulatorProgram(other, '')).toThrow(/@dynoxide\/\S+\) is not installed\. Run "npm ci" on this platform/);
    expect(() => emulatorProgram(other, '/no/such/program')).toThrow('DYNOXIDE_BIN names /no/such/program, which does not exist.');
    expect(emulatorProgram(other, process.execPath)).toBe(process.execPath);
  });
});

test('a script is one command, and one that runs until it is ended replaces its shell: a signal that ends the shell would leave it running', () => {
  const { scripts } = manifest.parse(json('package.json'));
  const own = Object.entries(scripts).filter(([, command]) => /\b(bin|bench)\/[\w-]+\.ts/.test(command));
  expect(own.length).toBeGreaterThan(10);
  const isOneCommand = (command: string): boolean =>
    /^(exec )?node -r \.\/bin\/require-node\.cjs (bin|bench)\/[\w-]+\.ts( --[\w=.-]+)*$/.test(command);
  expect(own.filter(([, command]) => !isOneCommand(command))).toEqual([]);
  const runsOn = own.filter(([, command]) => command.startsWith('exec ')).map(([name]) => name);
  expect(runsOn).toEqual(['dev', 'receiver', 'dev:console']);
});
