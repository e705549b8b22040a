import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import * as z from 'zod';
import { replaceDate } from '../../lib/local/moved-date.mjs';
import { tableVariable, variableOf } from '../../shared/contract/resource.ts';
import { sealingKey } from '../../shared/contract/secret.ts';
import { Failure, UsageError } from './failure.ts';

/** Which product a command works on: the laptop's, by the file that its runner writes, or a deployed stack. */
export const addTarget = (program: Command): Command =>
  program
    .option('--data <dir>', "the data folder of the laptop's product", '.local')
    .option('--stack <name>', 'a deployed stack, whose outputs name the table and the sealing secret (needs the aws command)')
    .option('--table <name>', 'a deployed table, in place of --stack')
    .option('--sealing-secret <id>', 'name or ARN of the sealing secret, with --table')
    .option('--region <region>', 'the AWS region of --stack or --table')
    .option('--profile <name>', 'the AWS profile of --stack or --table');

interface TargetOptions {
  data: string;
  stack?: string;
  table?: string;
  sealingSecret?: string;
  region?: string;
  profile?: string;
}

/** Puts the target's settings where the product's own code reads them: in this process's environment. */
export const connect = (options: TargetOptions): void => {
  if (options.stack && options.table) throw new UsageError('Give --stack or --table, not both.');
  if (options.stack || options.table) connectDeployed(options);
  else connectLaptop(resolve(options.data));
};

const runtimeFile = z.object({ pid: z.int(), env: z.record(z.string(), z.string()) });

function connectLaptop(folder: string): void {
  const file = join(folder, 'runtime.json');
  if (!existsSync(file))
    throw new UsageError(
      `No product runs from ${folder}. Start the laptop's with "npm run dev", name its folder with --data, or name a deployed one with --stack or --table.`,
    );
  const runtime = runtimeFile.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!runtime.success) throw new Failure(`${file} is not what the runner writes.`);
  if (!isRunning(runtime.data.pid)) throw new Failure(`The product of ${folder} is not running. Start it with "npm run dev".`);
  Object.assign(process.env, runtime.data.env);
  const clock = clockFile.safeParse(readJson(join(folder, 'clock.json')));
  const offset = clock.success ? clock.data.offset_ms : 0;
  if (offset > 0) replaceDate(() => offset);
}

/** The laptop's moved time: a token made here must not be born expired there. */
const clockFile = z.object({ offset_ms: z.number() });

function connectDeployed(options: TargetOptions): void {
  if (options.region) process.env['AWS_REGION'] = options.region;
  if (options.profile) process.env['AWS_PROFILE'] = options.profile;
  const named = options.stack ? outputsOf(options.stack, options) : { table: options.table, secret: undefined };
  process.env[tableVariable] = named.table;
  const secret = options.sealingSecret ?? named.secret;
  // commands that seal nothing do without; the others say which variable is missing
  if (secret) process.env[variableOf(sealingKey)] = secret;
}

const stackOutputs = z.object({
  Stacks: z.array(z.object({ Outputs: z.array(z.object({ OutputKey: z.string(), OutputValue: z.string() })).default([]) })),
});

/** The stack's outputs through the aws command, which whoever deploys has: one call is not worth another SDK client. */
function outputsOf(stack: string, { region, profile }: TargetOptions): { table: string; secret: string | undefined } {
  const args = ['cloudformation', 'describe-stacks', '--stack-name', stack, '--output', 'json'];
  const more = [...(region ? ['--region', region] : []), ...(profile ? ['--profile', profile] : [])];
  let answer: string;
  try {
    answer = execFileSync('aws', [...args, ...more], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new Failure(
      said
        ? `The stack ${stack} could not be read: ${said}`
        : 'The aws command is needed for --stack and is not here; give --table and --sealing-secret instead.',
    );
  }
  const outputs = stackOutputs.parse(JSON.parse(answer)).Stacks.flatMap(({ Outputs }) => Outputs);
  const valueOf = (key: string): string | undefined => outputs.find(({ OutputKey }) => OutputKey === key)?.OutputValue;
  const table = valueOf('TableName');
  if (!table) throw new Failure(`The stack ${stack} has no output TableName; is it a stack of this product?`);
  return { table, secret: valueOf('SealingSecretArn') };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function readJson(file: string): unknown {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}
