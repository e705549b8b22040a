import { basename } from 'node:path';

/**
 * `--help` of the commands that take hardly any options. Imported second by each, so that the question is answered before anything is
 * loaded, started or written.
 */
const texts: Readonly<Record<string, string>> = {
  audit: `Asks the registry for known weaknesses of the packages that are installed. Fails on any from moderate up.

  npm run audit
`,
  'build-console': `Builds the pages under /console into console/dist. npm run dev does it by itself.

  npm run build:console
`,
  'data-centres': `Downloads the newest networks of data centres (64 MB) and writes functions/verification/data-centres.bin anew.

  npm run data-centres
`,
  deploy: `Builds the pages, deploys the stack with the CDK, and uploads the pages. Options of cdk deploy are passed on.

  npm run deploy -- -c stage=NAME [--profile NAME] [options of cdk deploy]

  -c stage=NAME   the settings in stages/NAME.json
`,
  'dev-console': `Serves the pages under /console with hot reload, against a product that runs.

  npm run dev:console

  PRODUCT_URL   where the product is (http://127.0.0.1:3000)
`,
  generate: `Writes every file that is made from the definition.

  npm run generate -- [--check] [--accept-shapes]

  --check          writes nothing; fails where a file is out of date
  --accept-shapes  for a change of stored data that no deployment has stored: docs/decisions/stored-data.md
`,
  nag: `Checks the stack against the AWS Solutions rules. Fails on a finding without an argument in lib/aws/nag.ts.

  npm run nag
`,
  picture: `Takes the README's picture of the inbox anew, in Chromium. Fonts for emoji and Arabic make it whole (Debian: fonts-noto-core,
fonts-noto-color-emoji).

  npm run picture

  CHROMIUM   the browser (/usr/bin/chromium)
`,
  samples: `Posts recorded payloads of the provider and of shop platforms to the product, and checks what they do.

  npm run test:samples -- FOLDER

  FOLDER   has provider/*.json and shop/*.json
`,
  'test-landing': `What must hold before a change lands: npm test, and then side by side npm run check, the tests of the running product, those of the pages in a
browser, and the recorded payloads in ../shared/samples where there are any. Its last line is the sum, "N passed, N failed".

  npm run test:landing
`,
  synth: `Writes the CloudFormation template and the bundles.

  npm run synth -- [FOLDER]

  FOLDER   where to (cdk.out)
`,
};

const text = texts[basename(process.argv[1] ?? '', '.ts')];
if (text !== undefined && process.argv.includes('--help')) {
  process.stdout.write(text);
  process.exit();
}
