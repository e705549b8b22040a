import { Argument, Command, Option } from 'commander';
import type { UserChanges } from '../../functions/account/contract/user.ts';
import { type Role, roles } from '../../shared/contract/route.ts';
import { accountOf, ofAccount } from './account-access.ts';
import { asId, examples } from './argument.ts';
import { Failure, must } from './failure.ts';
import { printList, printRecord } from './output.ts';

/** The users of a company. */
export const users = (): Command => {
  const noun = new Command('users').description('the users of a company');
  examples(noun, 'users create --company 1 --name "Kim Lee" --email kim@cedar.example --role admin', 'users set-role 2 viewer --company 1');

  examples(
    ofAccount(noun.command('create').description('create a user'))
      .requiredOption('--name <name>', 'the name')
      .requiredOption('--email <address>', 'the email address, unique in the company')
      .addOption(new Option('--role <role>', 'what the user may do').choices(roles).makeOptionMandatory()),
    'users create --company 1 --name "Kim Lee" --email kim@cedar.example --role member',
  ).action(async ({ company, ...input }: { company?: number; name: string; email: string; role: Role }, command: Command) => {
    printRecord(command, await must(accountOf(command, company).createUser(input), company));
  });

  ofAccount(noun.command('list').description('list the users of a company')).action(
    async ({ company }: { company?: number }, command: Command) => {
      const columns = ['id', 'name', 'email', 'role', 'status', 'created_at'];
      printList(command, await must(accountOf(command, company).listUsers(), company), columns, 'The company has no users yet.');
    },
  );

  examples(
    evenLastOwner(noun.command('set-role').description("change the role of a user and of all the user's tokens at once"))
      .argument('<user>', 'the id', asId)
      .addArgument(new Argument('<role>', 'the new role').choices(roles)),
    'users set-role 2 viewer --company 1',
  ).action(async (user: number, role: Role, options: UpdateOptions, command: Command) => change(user, { role }, options, command));

  examples(
    ofAccount(noun.command('rename').description('change the name of a user'))
      .argument('<user>', 'the id', asId)
      .requiredOption('--name <name>', 'the new name'),
    'users rename 2 --company 1 --name "Kim Lee"',
  ).action(async (user: number, { name, ...options }: UpdateOptions & { name: string }, command: Command) =>
    change(user, { name }, options, command),
  );

  evenLastOwner(noun.command('deactivate').description("end the access of a user: all the user's tokens are revoked"))
    .argument('<user>', 'the id', asId)
    .action(async (user: number, options: UpdateOptions, command: Command) => change(user, { status: 'inactive' }, options, command));

  ofAccount(noun.command('activate').description('let a deactivated user have tokens again'))
    .argument('<user>', 'the id', asId)
    .action(async (user: number, options: UpdateOptions, command: Command) => change(user, { status: 'active' }, options, command));

  return noun;
};

interface UpdateOptions {
  company?: number;
  evenLastOwner?: true;
}

const evenLastOwner = (command: Command): Command =>
  ofAccount(command).option('--even-last-owner', 'also when the company is left without an owner');

async function change(user: number, changes: UserChanges, { company, evenLastOwner: may }: UpdateOptions, command: Command): Promise<void> {
  const account = accountOf(command, company);
  const changed = account.updateUser(user, changes, { mayLeaveNoOwner: may === true });
  const outcome = await changed;
  if ('problem' in outcome && outcome.problem === 'last_owner')
    throw new Failure('This is the last owner of the company. Make another user an owner first, or add --even-last-owner.', 'last_owner');
  printRecord(command, await must(changed, company, account.listUsers));
}
