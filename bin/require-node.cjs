// First in every script: the product is TypeScript run by the Node of the deployed runtime, which arrives as the dev dependency "node".
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(
    `Switchboard's scripts run on Node 24, and this is Node ${process.versions.node}. ` +
      'Start them with "npm run ..." after "npm ci" (without --ignore-scripts), which brings Node 24 along.\n',
  );
  process.exit(1);
}
