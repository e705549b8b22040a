import './closed-output.ts';
import './help.ts';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generateDisposable } from '../lib/generate/disposable.ts';
import { generateAccess } from '../lib/generate/access.ts';
import { generateBruno } from '../lib/generate/bruno.ts';
import { generateCodeSamples } from '../lib/generate/code-samples.ts';
import { generateCallingCodes } from '../lib/generate/calling-codes.ts';
import { generateClient } from '../lib/generate/client.ts';
import { generatePhpClient } from '../lib/generate/client-php.ts';
import { generatePythonClient } from '../lib/generate/client-python.ts';
import { generateOpenApi } from '../lib/generate/openapi.ts';
import { generateKinds } from '../lib/generate/kinds.ts';
import { generatePostman } from '../lib/generate/postman.ts';
import { generateRegistries } from '../lib/generate/registry.ts';
import { incompatibilities, storedShapes, type StoredShapes, writtenShapes } from '../lib/generate/stored-shapes.ts';
import { generateTable } from '../lib/generate/table.ts';
import { roleScopes } from '../functions/account/domain/credential.ts';
import { app } from '../functions/app.ts';
import { registry } from '../shared/table/entity.ts';

/**
 * `npm run generate` writes every file that is made from the definition; with `--check` it only says which are out of date. It stops where stored
 * data could not be read any more; `--accept-shapes` is for what no deployment has stored: docs/decisions/stored-data.md.
 */
const root = join(import.meta.dirname, '..');
const shapesFile = 'test/golden/stored-shapes.generated.json';
const table = await generateTable();
const shapes = storedShapes(registry, app);
const formerShapes = existsSync(join(root, shapesFile)) ? readFileSync(join(root, shapesFile), 'utf8') : '{}';
const unreadable = process.argv.includes('--accept-shapes') ? [] : incompatibilities(JSON.parse(formerShapes) as StoredShapes, shapes);
if (unreadable.length > 0) {
  for (const sentence of unreadable) console.error(sentence);
  console.error('Data that is stored would not be read any more: docs/decisions/stored-data.md.');
  process.exit(1);
}
const files = [
  generateDisposable(),
  generateCallingCodes(),
  ...generateRegistries(app),
  generateKinds(registry),
  generateOpenApi(app),
  generateCodeSamples(app),
  generateAccess(app, roleScopes),
  generateClient(app),
  ...generatePythonClient(app),
  ...generatePhpClient(app),
  generatePostman(app),
  generateBruno(app),
  table,
  { path: shapesFile, content: writtenShapes(shapes) },
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
