import { Argument, Command, Option } from 'commander';
import { createUser, deactivateUser, listUsers, setRole } from '../../functions/account/service/users.ts';
import { type Role, roles } from '../../shared/contract/route.ts';
import { asId, examples, ofCompany } from './argument.ts';
import { must } from './failure.ts';
import { printList, printRecord } from './output.ts';

/** The people of a company. */
export const users = (): Command => {
  const noun = new Command('users').description('the people of a company');
  examples(noun, 'users create --company 1 --name "Kim Lee" --email kim@cedar.example --role admin', 'users set-role 2 viewer --company 1');

  examples(
    ofCompany(noun.command('create').description('make a person'))
      .requiredOption('--name <name>', 'the name')
      .requiredOption('--email <address>', 'the address, one person in a company')
      .addOption(new Option('--role <role>', 'what the person may do').choices(roles).makeOptionMandatory()),
    'users create --company 1 --name "Kim Lee" --email kim@cedar.example --role member',
  ).action(async ({ company, ...input }: { company: number; name: string; email: string; role: Role }, command: Command) => {
    printRecord(command, await must(createUser(company, input), company));
  });

  ofCompany(noun.command('list').description('all people of a company')).action(
    async ({ company }: { company: number }, command: Command) => {
      const columns = ['id', 'name', 'email', 'role', 'status', 'created_at'];
      printList(command, await must(listUsers(company), company), columns, `Company ${company} has no people yet.`);
    },
  );

  examples(
    ofCompany(noun.command('set-role').description("change a person's role, and at once what all tokens of the person may do"))
      .argument('<user>', 'the id', asId)
      .addArgument(new Argument('<role>', 'the new role').choices(roles)),
    'users set-role 2 viewer --company 1',
  ).action(async (user: number, role: Role, { company }: { company: number }, command: Command) => {
    printRecord(command, await must(setRole(company, user, role), company, () => listUsers(company)));
  });

  ofCompany(noun.command('deactivate').description('end a person’s access: every token of the person is revoked'))
    .argument('<user>', 'the id', asId)
    .action(async (user: number, { company }: { company: number }, command: Command) => {
      printRecord(command, await must(deactivateUser(company, user), company, () => listUsers(company)));
    });

  return noun;
};
