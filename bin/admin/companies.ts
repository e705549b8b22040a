import { Command, Option } from 'commander';
import type { CompanyRecord } from '../../functions/account/contract/record.ts';
import { createCompany, listCompanies } from '../../functions/account/service/companies.ts';
import { resumeCompany, suspendCompany } from '../../functions/administration/service/suspension.ts';
import { accountOf, overHttp } from './account-access.ts';
import { asCount, asCountOrNone, asId, asSwitch, examples, noneAsNull } from './argument.ts';
import { must, requireChange, UsageError } from './failure.ts';
import { printList, printRecord, wantsJson } from './output.ts';

/** Companies: the tenants. */
export const companies = (): Command => {
  const noun = new Command('companies').description('the companies that use this deployment');
  examples(noun, 'companies create --name "Cedar Books" --timezone Europe/Berlin', 'companies list', 'companies suspend 3');

  examples(
    withFields(noun.command('create').description('create a company').requiredOption('--name <name>', 'its name')),
    'companies create --name "Cedar Books"',
    'companies create --name "Cedar Books" --timezone Europe/Berlin --plan small --max-users 5 --max-contacts 10000',
  ).action(async (options: Fields & { name: string }, command: Command) => {
    printRecord(
      command,
      await must(createCompany({ name: options.name, ...fieldsOf(options), ...(isPlanGiven(options) ? { plan: planOf(options) } : {}) })),
    );
  });

  noun
    .command('list')
    .description('all companies')
    .action(async (_, command: Command) => {
      const columns = ['id', 'name', 'status', 'timezone', 'plan', 'users_count', 'numbers_count', 'created_at'];
      const records = await listCompanies();
      printList(
        command,
        wantsJson(command) ? records : records.map((each) => ({ ...each, plan: each.plan.name })),
        columns,
        'There are no companies yet.',
      );
    });

  overHttp(noun.command('show').description('one company with its plan and settings'))
    .argument('[company]', 'its id; not with --token', asId)
    .action(async (id: number | undefined, _, command: Command) =>
      printRecord(command, await must(accountOf(command, id).getCompany(), id)),
    );

  examples(
    withFields(
      overHttp(noun.command('update').description('update a company'))
        .argument('[company]', 'its id; not with --token', asId)
        .option('--name <name>', 'its name'),
    ),
    'companies update 3 --window-policy enforce',
    'companies update 3 --plan large --max-users none',
  ).action(async (id: number | undefined, options: Fields & { name?: string }, command: Command) => {
    const account = accountOf(command, id);
    if (isPlanGiven(options) && id === undefined) throw new UsageError('A plan is the operator’s: it is changed on the table alone.');
    const plan = isPlanGiven(options) ? planOf(options, await must(account.getCompany(), id)) : undefined;
    const changes = { ...(options.name === undefined ? {} : { name: options.name }), ...fieldsOf(options), ...(plan ? { plan } : {}) };
    printRecord(command, await must(account.updateCompany(requireChange(changes)), id));
  });

  noun
    .command('suspend')
    .description('stop a company: calls are rejected, nothing is sent or delivered')
    .argument('<company>', 'its id', asId)
    .action(async (id: number, _, command: Command) => printRecord(command, await must(suspendCompany(id), id)));

  noun
    .command('resume')
    .description('let a suspended company continue, with what waited meanwhile')
    .argument('<company>', 'its id', asId)
    .action(async (id: number, _, command: Command) => printRecord(command, await must(resumeCompany(id), id)));

  return noun;
};

interface Fields {
  timezone?: string;
  plan?: string;
  maxContacts?: number | 'none';
  maxUsers?: number | 'none';
  maxNumbers?: number | 'none';
  maxPipelines?: number | 'none';
  windowPolicy?: 'provider' | 'enforce';
  strictFields?: boolean;
  strictInput?: boolean;
  subscribedByDefault?: boolean;
  queryTokens?: boolean;
  defaultCountry?: string;
  retentionDays?: number | 'none';
  reminderMinutes?: number;
  reminderTemplate?: number | 'none';
}

function withFields(command: Command): Command {
  return command
    .option('--timezone <zone>', 'its IANA time zone (UTC)')
    .option('--plan <name>', "its plan's name")
    .option('--max-contacts <n>', 'a limit of its plan, or none', asCountOrNone)
    .option('--max-users <n>', 'a limit of its plan, or none', asCountOrNone)
    .option('--max-numbers <n>', 'a limit of its plan, or none', asCountOrNone)
    .option('--max-pipelines <n>', 'a limit of its plan, or none', asCountOrNone)
    .addOption(
      new Option('--window-policy <policy>', 'whether the provider or Switchboard rejects messages outside the window').choices([
        'provider',
        'enforce',
      ]),
    )
    .option('--query-tokens <on|off>', 'whether calls may carry their token in the query (on)', asSwitch)
    .option('--strict-fields <on|off>', 'whether an unknown contact field is an error', asSwitch)
    .option('--strict-input <on|off>', 'whether an unknown field in the body of a call is an error', asSwitch)
    .option('--subscribed-by-default <on|off>', 'whether new contacts are subscribed where nothing says otherwise (on)', asSwitch)
    .option('--reminder-minutes <n>', 'minutes before the due time of a task at which its assignee is reminded (10)', asCount)
    .option('--reminder-template <id>', 'the template of reminders outside the service window, or none', asCountOrNone)
    .option('--retention-days <n>', 'days after which messages are deleted, 30 to 3650, or none (730)', asCountOrNone)
    .option('--default-country <code>', 'by which national phone numbers are read: DE, or none');
}

function fieldsOf(options: Fields) {
  const settings = {
    ...(options.windowPolicy === undefined ? {} : { window_policy: options.windowPolicy }),
    ...(options.queryTokens === undefined ? {} : { query_tokens: options.queryTokens }),
    ...(options.strictFields === undefined ? {} : { strict_fields: options.strictFields }),
    ...(options.strictInput === undefined ? {} : { strict_input: options.strictInput }),
    ...(options.subscribedByDefault === undefined ? {} : { subscribed_by_default: options.subscribedByDefault }),
    ...(options.reminderMinutes === undefined ? {} : { task_reminder_minutes: options.reminderMinutes }),
    ...(options.reminderTemplate === undefined ? {} : { task_reminder_template_id: noneAsNull(options.reminderTemplate) }),
    ...(options.retentionDays === undefined ? {} : { retention_days: noneAsNull(options.retentionDays) }),
    ...(options.defaultCountry === undefined ? {} : { default_country: noneAsNull(options.defaultCountry) }),
  };
  return {
    ...(options.timezone === undefined ? {} : { timezone: options.timezone }),
    ...(Object.keys(settings).length > 0 ? { settings } : {}),
  };
}

function isPlanGiven({ plan, maxContacts, maxUsers, maxNumbers, maxPipelines }: Fields): boolean {
  return [plan, maxContacts, maxUsers, maxNumbers, maxPipelines].some((given) => given !== undefined);
}

/** Options that are not given leave the plan unchanged, or unlimited in a new plan. */
function planOf(options: Fields, company?: CompanyRecord): CompanyRecord['plan'] {
  const { limits } = company?.plan ?? { limits: undefined };
  const limit = (given: number | 'none' | undefined, current: number | null | undefined): number | null =>
    given === undefined ? (current ?? null) : noneAsNull(given);
  return {
    name: options.plan ?? company?.plan.name ?? 'custom',
    limits: {
      contacts: limit(options.maxContacts, limits?.contacts),
      users: limit(options.maxUsers, limits?.users),
      numbers: limit(options.maxNumbers, limits?.numbers),
      pipelines: limit(options.maxPipelines, limits?.pipelines),
    },
  };
}
