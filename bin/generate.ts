import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generateDisposable } from '../lib/generate/disposable.ts';
import { generateAccess } from '../lib/generate/access.ts';
import { generateCodeSamples } from '../lib/generate/code-samples.ts';
import { generateClient } from '../lib/generate/client.ts';
import { generateOpenApi } from '../lib/generate/openapi.ts';
import { generateRegistries } from '../lib/generate/registry.ts';
import { generateTable } from '../lib/generate/table.ts';
import { roleScopes } from '../functions/account/domain.ts';
import { app } from '../functions/app.ts';

/**
 * `npm run generate` writes every file that is made from the definition; with `--check` it only says which are out of date.
 */
const root = join(import.meta.dirname, '..');
const files = [
  generateDisposable(),
  ...generateRegistries(app),
  generateOpenApi(app),
  generateCodeSamples(app),
  generateAccess(app, roleScopes),
  generateClient(app),
  await generateTable(),
];
const stale = files.filter(({ path, content }) => !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== content);

if (process.argv.includes('--check')) {
  for (const { path } of stale) console.error(`${path} is out of date: run "npm run generate" and commit it.`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const { path, content } of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    console.log(`Wrote ${path}.`);
  }
}
