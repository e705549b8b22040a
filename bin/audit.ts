import './closed-output.ts';
import './help.ts';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';

/**
 * `npm run audit`: known weaknesses of the packages that are installed: those that are deployed, and the tools that build, test and run the
 * product. Fails on any from moderate up. A registry that does not answer is printed; after fourteen days without an answer that fails too.
 */
const root = join(import.meta.dirname, '..');
const lastAnswerFile = join(root, 'node_modules', '.cache', 'last-audit');
const patienceDays = 14;
const severities = ['critical', 'high', 'moderate', 'low', 'info'] as const;
const answer = z.object({
  vulnerabilities: z.record(z.string(), z.object({ severity: z.enum(severities), range: z.string() })),
});

const { deployed, tools } = installedPackages();
const read = { deployed: audited(['--omit=dev']), all: audited([]) };
if (!read.deployed || !read.all) {
  const days = daysWithoutAnswer();
  console.log(
    `Not audited: the registry gives no answer. ${deployed} packages are deployed and ${tools} are tools, at the versions of package-lock.json.`,
  );
  if (days > patienceDays) console.log(`It has given none for ${Math.floor(days)} days: audit where a registry answers.`);
  process.exitCode = days > patienceDays ? 1 : 0;
} else {
  mkdirSync(dirname(lastAnswerFile), { recursive: true });
  writeFileSync(lastAnswerFile, new Date().toISOString());
  for (const [name, { severity, range }] of Object.entries(read.all))
    console.log(`${severity.padEnd(10)}${name in read.deployed ? 'deployed' : 'tool    '} ${name} ${range}`);
  const bad = Object.values(read.all).filter(({ severity }) => severities.indexOf(severity) <= severities.indexOf('moderate')).length;
  console.log(
    `${deployed} deployed packages and ${tools} tools audited: ${Object.keys(read.all).length} known weaknesses, ${bad} of them moderate or worse.`,
  );
  process.exitCode = bad > 0 ? 1 : 0;
}

function audited(options: readonly string[]): z.output<typeof answer>['vulnerabilities'] | undefined {
  const { stdout } = spawnSync('npm', ['audit', ...options, '--json'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    timeout: 60_000,
  });
  return answer.safeParse(jsonOf(stdout)).data?.vulnerabilities;
}

/** Days since the last answer; the first call without one begins to count. */
function daysWithoutAnswer(): number {
  mkdirSync(dirname(lastAnswerFile), { recursive: true });
  if (!existsSync(lastAnswerFile)) writeFileSync(lastAnswerFile, new Date().toISOString());
  return (Date.now() - Date.parse(readFileSync(lastAnswerFile, 'utf8'))) / 86_400_000;
}

function installedPackages(): { deployed: number; tools: number } {
  const lock = z.object({
    packages: z.record(
      z.string(),
      z.object({ dev: z.boolean().optional(), optional: z.boolean().optional(), devOptional: z.boolean().optional() }),
    ),
  });
  const { packages } = lock.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')));
  const installed = Object.entries(packages).filter(([path]) => path.startsWith('node_modules/'));
  const deployedOnes = installed.filter(([, { dev, optional, devOptional }]) => !dev && !optional && !devOptional);
  return { deployed: deployedOnes.length, tools: installed.length - deployedOnes.length };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
