import { Command } from 'commander';
import { type Scope, scopes } from '../../shared/contract/route.ts';
import { accountOf, ofAccount } from './account-access.ts';
import { asCount, asId, asList, examples } from './argument.ts';
import { UsageError, must } from './failure.ts';
import { printList, printRecord, printSecrets, wantsJson } from './output.ts';

/** Personal access tokens. */
export const tokens = (): Command => {
  const noun = new Command('tokens').description('personal access tokens for the API');
  examples(noun, 'tokens create --company 1 --user 1 --name "till sync"', 'tokens rotate 4 --company 1 --overlap-hours 48');

  examples(
    ofAccount(noun.command('create').description('create a token for a user; its secret is shown once'))
      .requiredOption('--user <id>', 'id of the user', asId)
      .option('--name <name>', 'what it is for')
      .option('--days <n>', 'lifetime, 1 to 365 days (365)', asCount)
      .option('--never-expires', 'valid until it is revoked')
      .option('--scopes <list>', 'comma-separated scopes; default: all scopes of the role', asList)
      .option('--networks <list>', 'comma-separated addresses and networks that may use it; default: all', asList),
    'tokens create --company 1 --user 1 --name "till sync" --days 90',
    'tokens create --company 1 --user 1 --scopes contacts:read,contacts:write --json',
  ).action(async (options: CreateOptions, command: Command) => {
    if (options.neverExpires && options.days !== undefined) throw new UsageError('Give --days or --never-expires, not both.');
    const account = accountOf(command, options.company);
    const { secret, ...token } = await must(
      account.createToken({
        user_id: options.user,
        ...(options.name === undefined ? {} : { name: options.name }),
        ...(options.days === undefined ? {} : { life_days: options.days }),
        ...(options.neverExpires ? { life_days: null } : {}),
        ...(options.scopes === undefined ? {} : { scopes: options.scopes.map(asScope) }),
        ...(options.networks === undefined ? {} : { networks: options.networks }),
      }),
      options.company,
      account.listUsers,
    );
    printSecrets(command, token, { secret });
  });

  ofAccount(noun.command('list').description('list the tokens of a company, including expired and revoked ones'))
    .option('--user <id>', 'of one user', asId)
    .action(async ({ company, user }: { company?: number; user?: number }, command: Command) => {
      const columns = [
        'id',
        'user_id',
        'name',
        'last4',
        'status',
        'scopes',
        'networks',
        'expires_at',
        'previous_expires_at',
        'last_used_at',
      ];
      const listed = await must(accountOf(command, company).listTokens(user), company);
      const shown = listed.map((token) => ({ ...token, scopes: token.scopes.length > 4 ? `${token.scopes.length} scopes` : token.scopes }));
      printList(command, wantsJson(command) ? listed : shown, columns, 'There are no tokens.');
    });

  examples(
    ofAccount(noun.command('rotate').description('replace the secret of a token; the former secret stays valid for a while'))
      .argument('<token>', 'its id', asId)
      .option('--overlap-hours <n>', 'how long the former secret stays valid, 0 to 168 (24)', asCount),
    'tokens rotate 4 --company 1',
    'tokens rotate 4 --company 1 --overlap-hours 0',
  ).action(async (id: number, { company, overlapHours }: { company?: number; overlapHours?: number }, command: Command) => {
    const account = accountOf(command, company);
    const { secret, ...token } = await must(account.rotateToken(id, overlapHours), company, () => account.listTokens());
    printSecrets(command, token, { secret });
  });

  ofAccount(noun.command('revoke').description('end a token from the next call on'))
    .argument('<token>', 'its id', asId)
    .action(async (id: number, { company }: { company?: number }, command: Command) => {
      const account = accountOf(command, company);
      printRecord(command, await must(account.revokeToken(id), company, () => account.listTokens()));
    });

  return noun;
};

interface CreateOptions {
  company?: number;
  user: number;
  name?: string;
  days?: number;
  neverExpires?: boolean;
  scopes?: string[];
  networks?: string[];
}

function asScope(given: string): Scope {
  const scope = scopes.find((each) => each === given);
  if (!scope) throw new UsageError(`There is no scope "${given}"; there are ${scopes.join(', ')}.`);
  return scope;
}
