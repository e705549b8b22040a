import './closed-output.ts';
import { userInfo } from 'node:os';
import { Command, CommanderError } from 'commander';
import { setProcessActor } from '../shared/runtime/actor.ts';
import { logToStandardError } from '../shared/runtime/log.ts';
import { examples } from './admin/argument.ts';
import { isOverHttp } from './admin/account-access.ts';
import { Failure, UsageError } from './admin/failure.ts';
import { nouns } from './admin/nouns.ts';
import { addTarget, connect } from './admin/target.ts';

/**
 * The command line of the operator: `npm run admin -- <noun> <verb>`. It calls the product's services directly on its table; with --url and
 * --token, commands of an account call the API.
 * Exit codes: 0 success, 1 failure, 2 usage error.
 */
const program = addTarget(new Command('admin'))
  .description("The operator's command line: companies, users, tokens, numbers, contacts, templates, campaigns, verification.")
  .option('--json', 'print JSON, for machines')
  .hook('preAction', (_, command) => {
    setProcessActor({ via: 'command_line', operator: operatorName() });
    if (!isOverHttp(command)) connect(command.optsWithGlobals());
  });
examples(
  program,
  'companies create --name "Cedar Books"',
  'users create --company 1 --name "Kim Lee" --email kim@cedar.example --role owner',
  'tokens create --company 1 --user 1',
  'companies list --json',
  'companies list --stack switchboard --region eu-central-1',
);
for (const noun of nouns()) program.addCommand(noun);
const isJson = process.argv.includes('--json');
for (const command of allCommands(program)) {
  command.exitOverride().helpCommand(false);
  // with --json an error is one object on standard error, and nothing else
  if (isJson) command.configureOutput({ outputError: () => undefined });
  else command.showHelpAfterError('(see --help)');
}
logToStandardError();

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

/** The account on this computer; an operator who shares one sets SWITCHBOARD_OPERATOR. */
function operatorName(): string {
  return process.env['SWITCHBOARD_OPERATOR'] || userInfo().username;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) {
    // as text, commander printed it
    if (isJson && error.exitCode !== 0) printError(error.message.replace(/^error: /, ''), 'usage');
    return error.exitCode === 0 ? 0 : 2;
  }
  if (error instanceof UsageError) {
    printError(error.message, 'usage');
    return 2;
  }
  if (error instanceof Failure) printError(error.message, error.code, error.fields);
  else printError(explain(error), 'failed');
  return 1;
}

function printError(message: string, code: string, fields?: Readonly<Record<string, readonly string[]>>): void {
  const error = { code, message, ...(fields ? { errors: fields } : {}) };
  process.stderr.write(`${isJson ? JSON.stringify({ error }) : message}\n`);
}

/** Explains the most common failures to reach the table; prints the stack trace of all others. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (/ECONNREFUSED/.test(`${error.message} ${'code' in error ? String(error.code) : ''}`))
    return 'The product does not respond. Is it still running?';
  if (error.name === 'ResourceNotFoundException') return `There is no such table or secret: ${error.message}`;
  if (/Credentials|ExpiredToken|UnrecognizedClient|AccessDenied/.test(error.name)) return `AWS denied the request: ${error.message}`;
  if (/Region is missing/.test(error.message)) return 'No AWS region is known: name it with --region, or set AWS_REGION.';
  if (/environment variable .* is not set/.test(error.message)) return `${error.message} Name the sealing secret with --sealing-secret.`;
  return error.stack ?? error.message;
}

function allCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}
