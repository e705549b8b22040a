import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import * as z from 'zod';
import { replaceDate } from '../../lib/local/moved-date.mjs';
import { tableVariable, variableOf } from '../../shared/contract/resource.ts';
import { sealingKey } from '../../shared/contract/secret.ts';
import { Failure, UsageError } from './failure.ts';

/** Options that select the product: the local one, found through the file of its runner, or a deployed stack. */
export const addTarget = (program: Command): Command =>
  program
    .option('--data <dir>', 'the data folder of the local product', '.local')
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

/** Writes the settings of the target to the environment of this process, where the product's code reads them. */
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
      `No product runs from ${folder}. Start the local one with "npm run dev", give its folder with --data, or select a deployed one with --stack or --table.`,
    );
  const runtime = runtimeFile.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!runtime.success) throw new Failure(`${file} is not a runtime file of the local product.`);
  if (!isRunning(runtime.data.pid)) throw new Failure(`The product of ${folder} is not running. Start it with "npm run dev".`);
  Object.assign(process.env, runtime.data.env);
  const clock = clockFile.safeParse(readJson(join(folder, 'clock.json')));
  const offset = clock.success ? clock.data.offset_ms : 0;
  if (offset > 0) replaceDate(() => offset);
}

/** The shifted clock of the local product: without it, new tokens could be expired there. */
const clockFile = z.object({ offset_ms: z.number() });

function connectDeployed(options: TargetOptions): void {
  if (options.region) process.env['AWS_REGION'] = options.region;
  if (options.profile) process.env['AWS_PROFILE'] = options.profile;
  const named = options.stack ? outputsOf(options.stack, options) : { table: options.table, secret: undefined };
  process.env[tableVariable] = named.table;
  const secret = options.sealingSecret ?? named.secret;
  // commands that seal nothing need no secret; the others report the missing variable
  if (secret) process.env[variableOf(sealingKey)] = secret;
}

const stackOutputs = z.object({
  Stacks: z.array(z.object({ Outputs: z.array(z.object({ OutputKey: z.string(), OutputValue: z.string() })).default([]) })),
});

/** The outputs of the stack, from the aws command: one call is not worth another SDK client. */
function outputsOf(stack: string, { region, profile }: TargetOptions): { table: string; secret: string | undefined } {
  const args = ['cloudformation', 'describe-stacks', '--stack-name', stack, '--output', 'json'];
  const more = [...(region ? ['--region', region] : []), ...(profile ? ['--profile', profile] : [])];
  let answer: string;
  try {
    answer = execFileSync('aws', [...args, ...more], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const detail = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new Failure(
      detail
        ? `The stack ${stack} could not be read: ${detail}`
        : '--stack needs the aws command, which is not installed; use --table and --sealing-secret instead.',
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
