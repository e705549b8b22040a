import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/**
 * `npm run audit`: known weaknesses of the packages that are deployed. Fails on any from moderate up. A registry that does not answer
 * such questions, or no network, is printed and is no failure: the packages are pinned by package-lock.json either way.
 */
const root = join(import.meta.dirname, '..');
const severities = ['critical', 'high', 'moderate', 'low', 'info'] as const;
const answer = z.object({
  vulnerabilities: z.record(z.string(), z.object({ severity: z.enum(severities), range: z.string() })),
});

const packages = deployedPackages();
const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 2 ** 26,
  timeout: 60_000,
});
const read = answer.safeParse(jsonOf(stdout));
if (!read.success) {
  console.log(`Not audited: the registry gives no answer. ${packages} packages are deployed, at the versions of package-lock.json.`);
} else {
  const found = Object.entries(read.data.vulnerabilities);
  for (const [name, { severity, range }] of found) console.log(`${severity.padEnd(10)}${name} ${range}`);
  const bad = found.filter(([, { severity }]) => severities.indexOf(severity) <= severities.indexOf('moderate')).length;
  console.log(`${packages} deployed packages audited: ${found.length} known weaknesses, ${bad} of them moderate or worse.`);
  process.exitCode = bad > 0 ? 1 : 0;
}

function deployedPackages(): number {
  const lock = z.object({
    packages: z.record(
      z.string(),
      z.object({ dev: z.boolean().optional(), optional: z.boolean().optional(), devOptional: z.boolean().optional() }),
    ),
  });
  const { packages: all } = lock.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')));
  return Object.entries(all).filter(
    ([path, { dev, optional, devOptional }]) => path.startsWith('node_modules/') && !dev && !optional && !devOptional,
  ).length;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
