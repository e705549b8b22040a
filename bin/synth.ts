import './closed-output.ts';
import './help.ts';
import { buildApp } from '../lib/aws/synth.ts';
import { app as contexts } from '../functions/app.ts';

// The template and the bundles without the CDK command line, for the laptop: `node bin/synth.ts [folder]`, cdk.out by default.
const outDir = process.argv[2] ?? process.env['CDK_OUTDIR'] ?? 'cdk.out';
const cdk = await buildApp(contexts, { outDir, validate: false });
cdk.synth();
