import './closed-output.ts';
import './help.ts';
import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { checkWithNag } from '../lib/aws/nag.ts';
import { readSettings } from '../lib/aws/settings.ts';
import { buildStack } from '../lib/aws/stack.ts';
import { app as contexts } from '../functions/app.ts';

// The stack against cdk-nag's AWS Solutions pack; exits 1 on a finding that lib/aws/nag.ts does not argue for.
const cdk = new App({ outdir: '.cache/nag', analyticsReporting: false, treeMetadata: false });
buildStack(cdk, readSettings(cdk.node), contexts, () => Code.fromInline('exports.handler = () => {};'));
const argued = checkWithNag(cdk);
cdk.synth();
for (const [reason, findings] of Map.groupBy(
  argued.filter(({ places }) => places > 0),
  (each) => each.reason,
)) {
  const places = findings.reduce((sum, each) => sum + each.places, 0);
  process.stdout.write(`${findings[0]?.id}${findings.length > 1 ? ` and ${findings.length - 1} like it` : ''} (${places})\n  ${reason}\n`);
}
process.stdout.write('No finding without an argument.\n');
