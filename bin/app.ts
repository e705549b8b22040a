import { execFileSync } from 'node:child_process';
import type { Node } from 'constructs';
import { assertDeployable, assertQuota, refusedChanges } from '../lib/aws/deployed-settings.ts';
import { settingsParameter } from '../lib/aws/naming.ts';
import { parseSettings, type Settings } from '../lib/aws/settings.ts';
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
  assertQuota(settings, readQuota());
  const stored = readDeployed(settings.stackName);
  if (stored === undefined) return;
  const accepted = String(node.tryGetContext('accept') ?? '').split(',');
  const refused = refusedChanges(parseSettings(JSON.parse(stored) as Record<string, unknown>), settings, accepted);
  if (refused.length > 0)
    throw new Error(
      `This would change settings of ${settings.stackName} as it is deployed:\n${refused.map((each) => `  ${each}`).join('\n')}\n` +
        'Name the stage (-c stage=<name>), or, if a change is meant, name the settings: -c accept=<name>,<name>.',
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

/** How many functions the account runs at once; undefined, with a line on stderr, where that may not be read: doctor looks at it again. */
function readQuota(): number | undefined {
  try {
    return Number(aws('lambda', 'get-account-settings', '--query', 'AccountLimit.ConcurrentExecutions'));
  } catch (error) {
    process.stderr.write(`Lambda's quota is not checked: ${detailOf(error)}\n`);
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
