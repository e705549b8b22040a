import type { Command } from 'commander';
import type { AccountAccess } from './account.ts';
import { asId } from './argument.ts';
import { accountOnTable } from './account-on-table.ts';
import { accountOverApi } from './account-over-api.ts';
import { UsageError } from './failure.ts';

/** Makes a command one that works over HTTP too: its company is the one of --token, or --company on the table. */
export const ofAccount = (command: Command): Command =>
  overHttp(command.option('--company <id>', 'id of the company; not with --token', asId));

/** Says that a command works over HTTP too. */
export const overHttp = (command: Command): Command => {
  httpCommands.add(command);
  return command;
};
const httpCommands = new WeakSet<Command>();

export interface HttpOptions {
  url?: string;
  token?: string;
}

/** Whether a command is called over HTTP; refuses options that do not go together. */
export const isOverHttp = (command: Command): boolean => {
  const { url, token = process.env['SWITCHBOARD_TOKEN'] } = command.optsWithGlobals<HttpOptions>();
  if (url === undefined) {
    if (command.optsWithGlobals<HttpOptions>().token !== undefined)
      throw new UsageError('Give --url with --token: the address of the API.');
    return false;
  }
  if (token === undefined) throw new UsageError('Give --token with --url, or set SWITCHBOARD_TOKEN.');
  if (!httpCommands.has(command))
    throw new UsageError('This command is the operator’s and works on the table: leave out --url and --token.');
  return true;
};

/** The account that a command is about. */
export const accountOf = (command: Command, companyId: number | undefined): AccountAccess => {
  if (!isOverHttp(command)) {
    if (companyId === undefined) throw new UsageError('Name the company with --company <id>, or call the API with --url and --token.');
    return accountOnTable(companyId);
  }
  if (companyId !== undefined) throw new UsageError('Leave out the company with --token: a token belongs to one.');
  const { url = '', token = process.env['SWITCHBOARD_TOKEN'] } = command.optsWithGlobals<HttpOptions>();
  return accountOverApi(url, token);
};
