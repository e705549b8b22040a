import { buildApp } from '../lib/aws/synth.ts';
import { app as contexts } from '../functions/app.ts';

// The CDK app that `npx cdk` runs (cdk.json); it names the output folder.
const cdk = await buildApp(contexts, { outDir: process.env['CDK_OUTDIR'] ?? 'cdk.out', validate: true });
cdk.synth();
