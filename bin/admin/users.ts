import { Argument, Command, Option } from 'commander';
import { createUser, deactivateUser, listUsers, setRole } from '../../functions/account/service/users.ts';
import { type Role, roles } from '../../shared/contract/route.ts';
import { asId, examples, ofCompany } from './argument.ts';
import { must } from './failure.ts';
import { printList, printRecord } from './output.ts';

/** The users of a company. */
export const users = (): Command => {
  const noun = new Command('users').description('the users of a company');
  examples(noun, 'users create --company 1 --name "Kim Lee" --email kim@cedar.example --role admin', 'users set-role 2 viewer --company 1');

  examples(
    ofCompany(noun.command('create').description('create a user'))
      .requiredOption('--name <name>', 'the name')
      .requiredOption('--email <address>', 'the email address, unique in the company')
      .addOption(new Option('--role <role>', 'what the user may do').choices(roles).makeOptionMandatory()),
    'users create --company 1 --name "Kim Lee" --email kim@cedar.example --role member',
  ).action(async ({ company, ...input }: { company: number; name: string; email: string; role: Role }, command: Command) => {
    printRecord(command, await must(createUser(company, input), company));
  });

  ofCompany(noun.command('list').description('list the users of a company')).action(
    async ({ company }: { company: number }, command: Command) => {
      const columns = ['id', 'name', 'email', 'role', 'status', 'created_at'];
      printList(command, await must(listUsers(company), company), columns, `Company ${company} has no users yet.`);
    },
  );

  examples(
    ofCompany(noun.command('set-role').description("change the role of a user and of all the user's tokens at once"))
      .argument('<user>', 'the id', asId)
      .addArgument(new Argument('<role>', 'the new role').choices(roles)),
    'users set-role 2 viewer --company 1',
  ).action(async (user: number, role: Role, { company }: { company: number }, command: Command) => {
    printRecord(command, await must(setRole(company, user, role), company, () => listUsers(company)));
  });

  ofCompany(noun.command('deactivate').description("end the access of a user: all the user's tokens are revoked"))
    .argument('<user>', 'the id', asId)
    .action(async (user: number, { company }: { company: number }, command: Command) => {
      printRecord(command, await must(deactivateUser(company, user), company, () => listUsers(company)));
    });

  return noun;
};
