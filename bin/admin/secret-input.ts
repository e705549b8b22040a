import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Failure, UsageError } from './failure.ts';

/**
 * Secrets come in by a file, a prompt that shows nothing, or a line of standard input; never as an argument, which would stay in the
 * shell's history and show in the list of processes.
 */
export interface SecretInput {
  /** "access token". */
  what: string;
  /** Where --<what>-file points; `-` is standard input. */
  file: string | undefined;
  optional?: boolean;
}

/** Asks in the order given; standard input gives one line to each that has no file. */
export const readSecrets = async <const Q extends readonly SecretInput[]>(
  ...questions: Q
): Promise<{ [K in keyof Q]: Q[K] extends { optional: true } ? string | undefined : string }> => {
  const answers: (string | undefined)[] = [];
  for (const question of questions) answers.push(checked(question, await readSecret(question)));
  return answers as { [K in keyof Q]: Q[K] extends { optional: true } ? string | undefined : string };
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
  throw new UsageError(`The ${what} is missing: give it on standard input, or in a file with --${what.replaceAll(' ', '-')}-file.`);
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
