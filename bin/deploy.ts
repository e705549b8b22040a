import './closed-output.ts';
import './help.ts';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod';
import { app as contexts } from '../functions/app.ts';
import { siteBucketOutput, siteBuildOutput } from '../lib/aws/naming.ts';
import { smoke } from '../lib/aws/smoke.ts';
import { uploadSite } from '../lib/aws/upload-site.ts';
import { ensureConsole } from '../lib/console/ensure.ts';
import type { SiteSpec } from '../shared/contract/site.ts';

// Builds the pages, deploys the stack with the CDK's own command (its options are passed on), and uploads the pages of each site that it made.
const root = join(import.meta.dirname, '..');
const options = process.argv.slice(2);
const { profile } = parseArgs({ args: options, strict: false, options: { profile: { type: 'string' } } }).values;
if (typeof profile === 'string') process.env['AWS_PROFILE'] = profile;

await ensureConsole(root);
const folder = mkdtempSync(join(tmpdir(), 'switchboard-deploy-'));
try {
  const outputsFile = join(folder, 'outputs.json');
  const cdk = join(dirname(createRequire(import.meta.url).resolve('aws-cdk/package.json')), 'bin', 'cdk');
  const child = spawn(process.execPath, [cdk, 'deploy', ...options, '--outputs-file', outputsFile], { cwd: root, stdio: 'inherit' });
  const code = await new Promise<number>((resolve, reject) => child.once('error', reject).once('exit', (ended) => resolve(ended ?? 1)));
  if (code !== 0) process.exitCode = code;
  else {
    const outputs = z.record(z.string(), z.record(z.string(), z.string())).parse(JSON.parse(readFileSync(outputsFile, 'utf8')));
    const sites = contexts.flatMap(({ sites: declared }) => declared ?? []);
    for (const made of Object.values(outputs)) {
      for (const site of sites) await uploadPages(site, made[siteBucketOutput(site.name)], made['SiteUrl']);
      if (made['ApiUrl'] !== undefined) await tryOut(made['ApiUrl'], made, sites);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function uploadPages(site: SiteSpec, bucket: string | undefined, address: string | undefined): Promise<void> {
  if (bucket === undefined) return;
  const s3 = new S3Client({ followRegionRedirects: true });
  const { uploaded, deleted } = await uploadSite(s3, bucket, { ...site, folder: join(root, site.folder) });
  process.stdout.write(`${site.name}: ${uploaded} files uploaded, ${deleted} old ones deleted. ${address ?? ''}${site.path}/\n`);
}

/** Calls what was deployed; the command fails where it does not answer as it should. */
async function tryOut(apiUrl: string, outputs: Readonly<Record<string, string>>, sites: readonly SiteSpec[]): Promise<void> {
  const failures = await smoke({
    apiUrl,
    siteUrl: outputs['SiteUrl'],
    sites: sites.map((site) => ({ site, build: outputs[siteBuildOutput(site.name)] })),
  });
  if (failures.length === 0)
    return void process.stdout.write('The deployed product answers. Next: npm run admin -- --stack <name> doctor\n');
  process.stderr.write(`${failures.join('\n')}\nThe stack is deployed; to go back, deploy the commit before (docs/operate.md, Upgrade).\n`);
  process.exitCode = 1;
}
