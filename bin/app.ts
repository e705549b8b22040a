import { execFileSync } from 'node:child_process';
import type { Node } from 'constructs';
import { declarationsOf } from '../lib/aws/declared.ts';
import {
  assertDeployable,
  assertQuota,
  assertSite,
  type Concurrency,
  parseStoredSettings,
  refusedChanges,
} from '../lib/aws/deployed-settings.ts';
import { reservedTogether } from '../lib/aws/edges.ts';
import { reservedOutput, settingsParameter } from '../lib/aws/naming.ts';
import type { Settings } from '../lib/aws/settings.ts';
import { buildApp } from '../lib/aws/synth.ts';
import { app as contexts } from '../functions/app.ts';

// The CDK app that `npx cdk` runs (cdk.json); it names the output folder.
const outDir = process.env['CDK_OUTDIR'] ?? 'cdk.out';
try {
  const cdk = await buildApp(contexts, {
    outDir,
    validate: true,
    check: process.env['CDK_DEFAULT_ACCOUNT'] ? checkAccount : assertDeployable,
  });
  cdk.synth();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

/** With credentials of an account: it runs as many functions at once as is set, and nothing that is set there is dropped or changed unless it is named. */
function checkAccount(settings: Settings, node: Node): void {
  assertDeployable(settings);
  assertAccount();
  assertQuota(settings, readConcurrency(), {
    now: readReserved(settings.stackName),
    next: reservedTogether(declarationsOf(contexts, settings.workers).functions, settings),
  });
  const stored = readDeployed(settings.stackName);
  const accepted = String(node.tryGetContext('accept') ?? '').split(',');
  if (stored === undefined) return settings.site ? assertSite(readDistributions(), accepted) : undefined;
  const { settings: deployed, leftOut } = parseStoredSettings(stored);
  if (leftOut.length > 0)
    process.stderr.write(`Not compared, as this release does not know what ${settings.stackName} has there: ${leftOut.join(', ')}.\n`);
  const refused = refusedChanges(deployed, settings, accepted);
  if (refused.length > 0)
    throw new Error(
      `This would change settings of ${settings.stackName} as it is deployed:\n${refused.map((each) => `  ${each}`).join('\n')}\n` +
        'Name the stage (-c stage=<name>), or, if a change is meant, name the settings: -c accept=<name>,<name>.',
    );
}

/** The CDK's command line hands on account and region, and not its profile: what is read here could be about another account. */
function assertAccount(): void {
  const account = aws('sts', 'get-caller-identity', '--query', 'Account');
  if (account === process.env['CDK_DEFAULT_ACCOUNT']) return;
  throw new Error(
    `The CDK deploys to the account ${process.env['CDK_DEFAULT_ACCOUNT']}, and the aws command reads ${account}: name the profile in ` +
      'AWS_PROFILE, which both take, or deploy with npm run deploy -- --profile <name>.',
  );
}

/** What the last deploy stored; undefined before the first. */
function readDeployed(stackName: string): string | undefined {
  try {
    return aws('ssm', 'get-parameter', '--name', settingsParameter(stackName), '--query', 'Parameter.Value');
  } catch (error) {
    const detail = detailOf(error);
    if (detail.includes('ParameterNotFound')) return undefined;
    throw new Error(`The settings of the deployed stack could not be read with the aws command: ${detail}`, { cause: error });
  }
}

/** What the stack has reserved now: 0 before the first deploy. */
function readReserved(stackName: string): number {
  try {
    const query = `Stacks[0].Outputs[?OutputKey=='${reservedOutput}'].OutputValue`;
    return Number(aws('cloudformation', 'describe-stacks', '--stack-name', stackName, '--query', query));
  } catch (error) {
    const detail = detailOf(error);
    if (detail.includes('does not exist')) return 0;
    throw new Error(`The deployed stack could not be read with the aws command: ${detail}`, { cause: error });
  }
}

/** How many functions the account runs at once; undefined, with a line on stderr, where that may not be read: doctor looks at it again. */
function readConcurrency(): Concurrency | undefined {
  try {
    const limits = aws('lambda', 'get-account-settings', '--query', 'AccountLimit.[ConcurrentExecutions,UnreservedConcurrentExecutions]');
    const [quota = NaN, unreserved = NaN] = limits.split(/\s+/).map(Number);
    return { quota, unreserved };
  } catch (error) {
    process.stderr.write(`Lambda's quota is not checked: ${detailOf(error)}\n`);
    return undefined;
  }
}

/** How many distributions the account has; undefined, with a line on stderr, where that may not be read. */
function readDistributions(): number | undefined {
  try {
    return Number(aws('cloudfront', 'list-distributions', '--max-items', '1', '--query', 'length(DistributionList.Items || `[]`)'));
  } catch (error) {
    process.stderr.write(`CloudFront is not checked: ${detailOf(error)}\n`);
    return undefined;
  }
}

function aws(...args: readonly string[]): string {
  const region = process.env['CDK_DEFAULT_REGION'];
  const form = ['--output', 'text', ...(region ? ['--region', region] : [])];
  return execFileSync('aws', [...args, ...form], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

function detailOf(error: unknown): string {
  return error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
}
