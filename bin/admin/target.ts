import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import * as z from 'zod';
import { replaceDate } from '../../lib/local/moved-date.mjs';
import { restoredTableVariable, tableVariable, variableOf } from '../../shared/contract/resource.ts';
import { cursorKey, erasureKey, sealingKey } from '../../shared/contract/secret.ts';
import { app } from '../../functions/app.ts';
import { declarationsOf } from '../../lib/aws/declared.ts';
import { idOf, receiverOutput } from '../../lib/aws/naming.ts';
import { aws } from './aws-command.ts';
import { Failure, UsageError } from './failure.ts';

/** Options that select the product: the local one, found through the file of its runner, or a deployed stack. */
export const addTarget = (program: Command): Command =>
  program
    .option('--url <address>', 'the address of the API, for commands of an account: with --token, no other target is needed')
    .option('--token <token>', 'a personal access token, with --url; default: SWITCHBOARD_TOKEN')
    .option('--data <dir>', 'the data folder of the local product', '.local')
    .option('--stack <name>', 'a deployed stack, whose outputs name the table and the sealing secret (needs the aws command)')
    .option('--table <name>', 'a deployed table, in place of --stack')
    .option('--sealing-secret <id>', 'name or ARN of the sealing secret, with --table')
    .option('--region <region>', 'the AWS region of --stack or --table')
    .option('--aws-profile <name>', 'the AWS profile of --stack or --table');

interface TargetOptions {
  data: string;
  stack?: string;
  table?: string;
  sealingSecret?: string;
  region?: string;
  awsProfile?: string;
}

/** Writes the settings of the target to the environment of this process, where the product's code reads them. */
export const connect = (options: TargetOptions): void => {
  if (options.stack && options.table) throw new UsageError('Give --stack or --table, not both.');
  outputs = new Map();
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
  if (options.awsProfile) process.env['AWS_PROFILE'] = options.awsProfile;
  if (options.stack) outputs = readOutputs(options.stack, options);
  const table = options.stack ? outputs.get('TableName') : options.table;
  if (!table) throw new Failure(`The stack ${options.stack} has no output TableName; is it a stack of this product?`);
  process.env[tableVariable] = table;
  const publicUrl = outputs.get('ApiUrl');
  if (publicUrl) process.env['PUBLIC_BASE_URL'] = publicUrl;
  // with --table alone none is known: commands that need one report the missing variable
  for (const key of [sealingKey, cursorKey, erasureKey]) {
    const secret = outputs.get(idOf(key.name, 'secret', 'arn'));
    if (secret) process.env[variableOf(key)] = secret;
  }
  for (const bucket of declarationsOf(app).buckets) {
    const name = outputs.get(idOf(bucket.name, 'bucket', 'name'));
    if (name) process.env[variableOf(bucket)] = name;
  }
  const providerVersion = outputs.get('ProviderVersion');
  if (providerVersion) process.env['PROVIDER_VERSION'] = providerVersion;
  const copy = outputs.get('RestoredCopy');
  if (copy) process.env[restoredTableVariable] = copy;
  if (options.sealingSecret) process.env[variableOf(sealingKey)] = options.sealingSecret;
}

const stackOutputs = z.object({
  Stacks: z.array(z.object({ Outputs: z.array(z.object({ OutputKey: z.string(), OutputValue: z.string() })).default([]) })),
});

/** The outputs of the deployed stack; none on the laptop, and none with --table. */
let outputs: ReadonlyMap<string, string> = new Map();

export const stackOutput = (name: string): string | undefined => outputs.get(name);

/** A whole address of a receiver, given the function that serves it; only its path where the deployment's addresses are not known. */
export const receiverUrl = (functionName: string, path: string): string => {
  const base = outputs.get(receiverOutput(functionName)) ?? process.env['PUBLIC_BASE_URL'];
  return base === undefined ? path : `${base.replace(/\/+$/, '')}${path}`;
};

function readOutputs(stack: string, { region, awsProfile }: TargetOptions): Map<string, string> {
  const args = ['cloudformation', 'describe-stacks', '--stack-name', stack];
  const answer = aws(
    [...args, ...(region ? ['--region', region] : []), ...(awsProfile ? ['--profile', awsProfile] : [])],
    `The stack ${stack}`,
  );
  const listed = stackOutputs.parse(answer).Stacks.flatMap(({ Outputs }) => Outputs);
  return new Map(listed.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
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
