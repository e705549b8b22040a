import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Debian's packages that bring what a test of another language needs. */
const packages: Readonly<Record<string, string>> = {
  python3: 'python3',
  php: 'php-cli, php-curl and php-phpstan-phpdoc-parser',
  mypy: 'mypy',
};

export interface Program {
  command: 'python3' | 'php' | 'mypy';
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** Starts a program of another language at the root of the repository. What it prints goes to `print`. */
export const startProgram = ({ command, args, env = {} }: Program, print: (text: string) => void): ChildProcess => {
  const child = spawn(command, args, {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', PYTHONDONTWRITEBYTECODE: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => print(data.toString()));
  child.once('error', (error) => print(String(error)));
  return child;
};

/** What a program prints; an error with all of it where the program fails, or with the package that brings it where it is missing. */
export const runProgram = async (program: Program): Promise<string> => {
  let output = '';
  const child = startProgram(program, (text) => (output += text));
  const [code] = (await once(child, 'close').catch((error: unknown) => {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? new Error(`There is no ${program.command} here: install Debian's ${packages[program.command]}, or the like.`)
      : error;
  })) as [number | null];
  if (code !== 0) throw new Error(`${program.command} ${program.args.join(' ')} ended with ${code}.\n${output}`);
  return output;
};

/** The blocks of a language in a page of the repository, in their order. */
export const codeBlocks = (page: string, language: string): string[] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, block = '']) => block);
