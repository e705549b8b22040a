import { Command, Option } from 'commander';
import { isProblem, type Problem } from '../../shared/contract/problems.ts';
import { defined } from '../../shared/runtime/defined.ts';
import type { AccountAccess } from './account.ts';
import { accountOf, ofAccount } from './account-access.ts';
import { asCount, asId, examples } from './argument.ts';
import { aws } from './aws-command.ts';
import { inspectAccount } from './doctor/account.ts';
import { Failure, UsageError, must, requireChange } from './failure.ts';
import { findingLines } from './findings.ts';
import { printList, printRecord, printSecrets, wantsJson } from './output.ts';
import { readSecrets } from './secret-input.ts';
import { stackOutput } from './target.ts';

/** Business numbers at the provider. */
export const numbers = (): Command => {
  const noun = new Command('numbers').description('the business numbers of a company at the provider');
  examples(
    noun,
    'numbers add --company 1 --phone 15550100001 --phone-number-id 1055 --waba-id 2066',
    'numbers connect 1 --company 1',
    'numbers rotate-secret 1 --company 1',
  );
  for (const define of [defineAdd, defineList, defineUpdate, defineRotateSecret, defineConnect, defineCheck, defineDeactivate])
    define(noun);
  return noun;
};

function defineAdd(noun: Command): void {
  examples(
    withSettings(
      ofAccount(noun.command('add').description('connect a number; prompts for its access token and app secret'))
        .requiredOption('--phone <phone>', 'the number, with country code')
        .requiredOption('--phone-number-id <id>', "the provider's id of the number")
        .requiredOption('--waba-id <id>', "the provider's id of the business account"),
    )
      .option('--access-token-file <path>', 'the access token from a file (- for standard input)')
      .option('--app-secret-file <path>', 'the app secret from a file (- for standard input)')
      .option('--verify-token-file <path>', 'the verify token from a file; default: generated'),
    'numbers add --company 1 --phone "+1 555 010 0001" --phone-number-id 1055 --waba-id 2066',
    'numbers add --company 1 --phone 15550100001 --phone-number-id 1055 --waba-id 2066 --access-token-file ./token --app-secret-file ./secret',
  ).action(async (options: AddOptions, command: Command) => {
    const [accessToken, appSecret] = await readSecrets(
      { what: 'access token', file: options.accessTokenFile },
      { what: 'app secret', file: options.appSecretFile, optional: true },
    );
    const [given] = options.verifyTokenFile === undefined ? [] : await readSecrets({ what: 'verify token', file: options.verifyTokenFile });
    const input = defined({
      phone: options.phone,
      phone_number_id: options.phoneNumberId,
      waba_id: options.wabaId,
      access_token: accessToken,
      app_secret: appSecret,
      verify_token: given,
      base_url: options.baseUrl,
      ...settingsOf(options),
    });
    const { number, verify_token } = await must(accountOf(command, options.company).addNumber(input), options.company);
    if (given === undefined) printSecrets(command, number, { verify_token });
    else printRecord(command, number);
  });
}

function defineList(noun: Command): void {
  ofAccount(noun.command('list').description('all numbers of a company')).action(
    async ({ company }: { company?: number }, command: Command) => {
      const columns = ['id', 'phone', 'phone_number_id', 'waba_id', 'status', 'is_default', 'version', 'rate', 'quality', 'has_app_secret'];
      printList(command, await must(accountOf(command, company).listNumbers(), company), columns, 'The company has no number.');
    },
  );
}

function defineUpdate(noun: Command): void {
  examples(
    withSettings(ofAccount(noun.command('update').description('update a number')).argument('<number>', 'its id', asId))
      .option('--phone <phone>', 'the number, with country code')
      .option('--waba-id <id>', "the provider's id of the business account")
      .option('--no-base-url', "use the deployment's provider again")
      .option('--default', 'sends that name no number leave from it')
      .addOption(new Option('--status <status>', 'whether it may send').choices(['active', 'inactive'])),
    'numbers update 1 --company 1 --rate 250',
    'numbers update 1 --company 1 --status active',
    'numbers update 2 --company 1 --default',
  ).action(async (id: number, options: UpdateOptions, command: Command) => {
    const changes = defined({
      ...settingsOf(options),
      phone: options.phone,
      waba_id: options.wabaId,
      status: options.status,
      is_default: options.default,
      base_url: options.baseUrl === false ? null : options.baseUrl,
    });
    printRecord(command, await ofNumbers(command, options, (account) => account.updateNumber(id, requireChange(changes))));
  });
}

function defineRotateSecret(noun: Command): void {
  examples(
    ofAccount(noun.command('rotate-secret').description('replace the access token, the app secret or the verify token of a number'))
      .argument('<number>', 'its id', asId)
      .option('--access-token-file <path>', 'the new access token from a file (- for standard input)')
      .option('--app-secret-file <path>', 'the new app secret from a file (- for standard input)')
      .option('--verify-token-file <path>', 'the new verify token from a file (- for standard input)')
      .option('--remove-app-secret', 'accept webhooks by their token alone'),
    'numbers rotate-secret 1 --company 1',
    'numbers rotate-secret 1 --company 1 --app-secret-file ./secret',
  ).action(async (id: number, options: RotateOptions, command: Command) => {
    const rotated = ofNumbers(command, options, async (account) => account.rotateNumberSecrets(id, await newSecrets(options)));
    printRecord(command, await rotated);
  });
}

function defineConnect(noun: Command): void {
  examples(
    ofAccount(
      noun
        .command('connect')
        .description('have the provider send its webhooks here: registers, subscribes, tests, and fetches the templates'),
    )
      .argument('<number>', 'its id', asId)
      .option('--pin <digits>', 'registers the phone: six digits, of its two-step verification if it has one'),
    'numbers connect 1 --company 1',
    'numbers connect 1 --company 1 --pin 482916',
  ).action(async (id: number, options: { company?: number; pin?: string }, command: Command) => {
    const connected = await ofNumbers(command, options, (account) => account.connectNumber(id, options.pin));
    const { isConnected, webhookTokenId, formerTokenIds, templateCount, findings } = connected;
    if (!isConnected) throw new Failure(findings.map(({ message, remedy }) => `${message}\n-> ${remedy}`).join('\n'));
    const record = {
      number: id,
      webhook_token: webhookTokenId ?? null,
      former_webhook_tokens: formerTokenIds,
      templates: templateCount ?? null,
    };
    if (wantsJson(command)) process.stdout.write(`${JSON.stringify({ ...record, findings }, null, 2)}\n`);
    else process.stdout.write(findingLines(findings));
    if (!wantsJson(command) && formerTokenIds.length > 0)
      process.stdout.write(`  In eight days: webhook-tokens revoke ${formerTokenIds.join(', then ')} (the former URL of this number)\n`);
    const { stack } = command.optsWithGlobals<{ stack?: string }>();
    const account = stack ? inspectAccount(stack, stackOutput('AlarmTopic'), aws).filter(({ level }) => level !== 'ok') : [];
    if (account.length > 0 && !wantsJson(command))
      process.stdout.write(`Before the first message, in the account:\n${findingLines(account)}`);
    if (findings.some(({ level }) => level === 'wrong')) throw new Failure('The number is not connected whole.');
  });
}

function defineCheck(noun: Command): void {
  examples(
    ofAccount(
      noun.command('check').description('check the setup of a number at the provider and its webhook URL; changes nothing'),
    ).argument('<number>', 'its id', asId),
    'numbers check 1 --company 1',
  ).action(async (id: number, options: { company?: number }, command: Command) => {
    const findings = await ofNumbers(command, options, (account) => account.checkNumber(id));
    process.stdout.write(wantsJson(command) ? `${JSON.stringify(findings, null, 2)}\n` : findingLines(findings));
    if (findings.some(({ level }) => level === 'wrong')) throw new Failure('The number is not ready.');
  });
}

function defineDeactivate(noun: Command): void {
  ofAccount(noun.command('deactivate').description('stop sending from a number; its webhooks are still processed'))
    .argument('<number>', 'its id', asId)
    .action(async (id: number, options: { company?: number }, command: Command) => {
      printRecord(command, await ofNumbers(command, options, (account) => account.updateNumber(id, { status: 'inactive' })));
    });
}

interface Settings {
  company?: number;
  providerVersion?: string;
  rate?: number;
}
interface AddOptions extends Settings {
  phone: string;
  phoneNumberId: string;
  wabaId: string;
  baseUrl?: string;
  accessTokenFile?: string;
  appSecretFile?: string;
  verifyTokenFile?: string;
}
interface UpdateOptions extends Settings {
  phone?: string;
  wabaId?: string;
  baseUrl?: string | false;
  status?: 'active' | 'inactive';
  default?: true;
}
interface RotateOptions {
  company?: number;
  accessTokenFile?: string;
  appSecretFile?: string;
  verifyTokenFile?: string;
  removeAppSecret?: boolean;
}

function withSettings(command: Command): Command {
  return command
    .option('--provider-version <version>', "the provider's API version; default: the deployment's (v19.0)")
    .option('--rate <n>', 'messages a second (80)', asCount)
    .option('--base-url <url>', "base URL of another provider than the deployment's");
}

function settingsOf({ providerVersion, rate }: Settings) {
  return { version: providerVersion, rate };
}

/** Without any option only the access token is read, because it is the secret that expires. */
async function newSecrets(options: RotateOptions): Promise<{ access_token?: string; app_secret?: string | null; verify_token?: string }> {
  const { accessTokenFile, appSecretFile, verifyTokenFile, removeAppSecret } = options;
  if (removeAppSecret && appSecretFile !== undefined) throw new UsageError('Give --remove-app-secret or --app-secret-file, not both.');
  const isDefault = accessTokenFile === undefined && appSecretFile === undefined && verifyTokenFile === undefined && !removeAppSecret;
  const read = async (what: string, file: string | undefined): Promise<string> => (await readSecrets({ what, file }))[0];
  return {
    ...(accessTokenFile !== undefined || isDefault ? { access_token: await read('access token', accessTokenFile) } : {}),
    ...(appSecretFile === undefined ? {} : { app_secret: await read('app secret', appSecretFile) }),
    ...(removeAppSecret ? { app_secret: null } : {}),
    ...(verifyTokenFile === undefined ? {} : { verify_token: await read('verify token', verifyTokenFile) }),
  };
}

/** What is done to a number of the company; where there is none of this id, those that there are. */
async function ofNumbers<T extends object>(
  command: Command,
  { company }: { company?: number },
  call: (account: AccountAccess) => Promise<T>,
): Promise<Exclude<T, Problem>> {
  const account = accountOf(command, company);
  return must(call(account), company, async () => {
    const listed = await account.listNumbers();
    return isProblem(listed) ? [] : listed.map(({ id, phone }) => ({ id, name: phone }));
  });
}
