import './closed-output.ts';
import './help.ts';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataCentresFrom } from '../lib/generate/data-centres.ts';
import { verificationFiles } from '../functions/verification/contract/files.ts';

/**
 * `npm run data-centres` renews the networks of data centres from the newest `@ip-location-db/asn`. No part of `npm run generate`: the
 * package is 64 MB, which a build should not have to fetch.
 */
const folder = mkdtempSync(join(tmpdir(), 'switchboard-asn-'));
try {
  const options = ['--no-package-lock', '--no-audit', '--no-fund', '--silent'];
  execFileSync('npm', ['install', '--prefix', folder, ...options, '@ip-location-db/asn'], { stdio: 'inherit' });
  const file = verificationFiles['data-centres.bin'];
  const content = dataCentresFrom(join(folder, 'node_modules/@ip-location-db/asn'));
  writeFileSync(join(import.meta.dirname, '..', file), content);
  console.log(`Wrote ${file}, ${content.length.toLocaleString('en')} bytes.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
