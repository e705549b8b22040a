import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Failure, UsageError } from './failure.ts';

/**
 * Secrets are read from a file, a hidden prompt or a line of standard input; never from an argument, which would be visible in the shell's
 * history and the list of processes.
 */
export interface SecretInput {
  /** "access token". */
  what: string;
  /** Value of --<what>-file; `-` is standard input. */
  file: string | undefined;
  optional?: boolean;
}

/** Reads secrets in the given order; each without a file gets one line of standard input. */
export const readSecrets = async <const Q extends readonly SecretInput[]>(
  ...inputs: Q
): Promise<{ [K in keyof Q]: Q[K] extends { optional: true } ? string | undefined : string }> => {
  const secrets: (string | undefined)[] = [];
  for (const input of inputs) secrets.push(checked(input, await readSecret(input)));
  return secrets as { [K in keyof Q]: Q[K] extends { optional: true } ? string | undefined : string };
};

async function readSecret({ what, file, optional }: SecretInput): Promise<string | undefined> {
  if (file !== undefined && file !== '-') return readSecretFile(file);
  if (file === undefined && process.stdin.isTTY) return prompt(`${what}${optional ? ' (Enter for none)' : ''}: `);
  return nextLine();
}

function checked({ what, optional }: SecretInput, answer: string | undefined): string | undefined {
  const secret = answer?.trim();
  if (secret) return secret;
  if (optional) return undefined;
  throw new UsageError(`The ${what} is missing: write it to standard input, or use a file with --${what.replaceAll(' ', '-')}-file.`);
}

function readSecretFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new Failure(`${file} cannot be read.`);
  }
}

async function prompt(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  reader.on('SIGINT', () => process.exit(130));
  const answer = await reader.question('');
  reader.close();
  process.stderr.write('\n');
  return answer;
}

let lines: string[] | undefined;

function nextLine(): string | undefined {
  lines ??= readFileSync(0, 'utf8').split(/\r?\n/);
  return lines.shift();
}
