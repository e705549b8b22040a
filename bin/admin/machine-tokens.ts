import { randomBytes } from 'node:crypto';
import { Command, Option } from 'commander';
import { type Receiver, receivers } from '../../functions/account/contract/receiver.ts';
import type { MachineKind } from '../../functions/account/service/machine-tokens.ts';
import { accountOf, ofAccount } from './account-access.ts';
import { asCount, asId, examples } from './argument.ts';
import { UsageError, must } from './failure.ts';
import { printList, printRecord, printSecrets } from './output.ts';
import { readSecrets } from './secret-input.ts';

/** Machine tokens. Each webhook URL ends in a webhook token; the custom webhook uses the ERP token. */
export const webhookTokens = (): Command => {
  const noun = new Command('webhook-tokens').description('the tokens at the end of webhook URLs, one receiver each');
  examples(
    noun,
    'webhook-tokens create --company 1 --receiver messaging',
    'webhook-tokens create --company 1 --receiver webshop --make-shared-secret',
  );
  const creation = ofAccount(noun.command('create').description('create a webhook token; it is shown once')).addOption(
    new Option('--receiver <name>', 'what it receives').choices(receivers).makeOptionMandatory(),
  );
  examples(
    withCreateOptions(creation),
    'webhook-tokens create --company 1 --receiver messaging',
    'webhook-tokens create --company 1 --receiver storeplatform --shared-secret-file ./secret.txt',
  ).action(async (options: CreateOptions & { receiver: Receiver }, command: Command) => {
    await create(command, { kind: 'webhook_token', receiver: options.receiver }, options);
  });
  return addCommonCommands(noun, 'webhook_token', ['id', 'receiver', 'name', 'last4', 'status', 'has_shared_secret', 'last_used_at']);
};

export const erpTokens = (): Command => {
  const noun = new Command('erp-tokens').description('the tokens of ERP systems, which the custom webhook also uses');
  examples(noun, 'erp-tokens create --company 1 --name "warehouse"', 'erp-tokens rotate 3 --company 1');
  examples(
    withCreateOptions(ofAccount(noun.command('create').description('create an ERP token; it is shown once'))),
    'erp-tokens create --company 1 --name "warehouse"',
  ).action(async (options: CreateOptions, command: Command) => {
    await create(command, { kind: 'erp_token' }, options);
  });
  return addCommonCommands(noun, 'erp_token', ['id', 'name', 'last4', 'status', 'has_shared_secret', 'last_used_at']);
};

async function create(command: Command, given: { kind: MachineKind; receiver?: Receiver }, options: CreateOptions): Promise<void> {
  const { input, shown } = await readSharedSecret(options);
  const { secret, url, ...token } = await must(
    accountOf(command, options.company).createMachineToken({ ...given, ...input }),
    options.company,
  );
  printSecrets(command, withoutSecrets(token), { secret, url, ...shown });
}

/** The API shows a secret that it generated too; here the command generates it. */
function withoutSecrets(token: Record<string, unknown>): Record<string, unknown> {
  const { shared_secret: _, ...record } = token;
  return record;
}

interface CreateOptions {
  company?: number;
  name?: string;
  sharedSecretFile?: string;
  makeSharedSecret?: boolean;
}

function withCreateOptions(command: Command): Command {
  return command
    .option('--name <name>', 'what it is for')
    .option('--shared-secret-file <path>', 'file with the secret with which the sender signs (- for standard input)')
    .option('--make-shared-secret', 'generate such a secret; it is shown once');
}

async function readSharedSecret(
  options: Pick<CreateOptions, 'name' | 'sharedSecretFile' | 'makeSharedSecret'>,
  { isRequired = false }: { isRequired?: boolean } = {},
): Promise<{ input: { name?: string; shared_secret?: string }; shown: Record<string, string> }> {
  if (options.makeSharedSecret && options.sharedSecretFile !== undefined)
    throw new UsageError('Give --make-shared-secret or --shared-secret-file, not both.');
  const made = options.makeSharedSecret ? randomBytes(24).toString('hex') : undefined;
  const isRead = options.sharedSecretFile !== undefined || (isRequired && made === undefined);
  const [read] = !isRead ? [] : await readSecrets({ what: 'shared secret', file: options.sharedSecretFile });
  const secret = made ?? read;
  return {
    input: { ...(options.name === undefined ? {} : { name: options.name }), ...(secret === undefined ? {} : { shared_secret: secret }) },
    shown: made === undefined ? {} : { shared_secret: made },
  };
}

function addCommonCommands(noun: Command, kind: MachineKind, columns: readonly string[]): Command {
  ofAccount(noun.command('list').description('list them, including revoked ones')).action(
    async ({ company }: { company?: number }, command: Command) => {
      printList(command, await must(accountOf(command, company).listMachineTokens(kind), company), columns, 'There are none.');
    },
  );
  examples(
    ofAccount(noun.command('rotate').description('replace the secret of one; the former secret stays valid for a while'))
      .argument('<token>', 'its id', asId)
      .option('--overlap-hours <n>', 'how long the former secret stays valid, 0 to 168 (24)', asCount),
    `${noun.name()} rotate 3 --company 1`,
  ).action(async (id: number, { company, overlapHours }: { company?: number; overlapHours?: number }, command: Command) => {
    const account = accountOf(command, company);
    const existing = () => account.listMachineTokens(kind);
    const { secret, url, ...token } = await must(account.rotateMachineToken(kind, id, overlapHours), company, existing);
    printSecrets(command, withoutSecrets(token), { secret, url });
  });
  examples(
    ofAccount(noun.command('set-secret').description('set, replace or remove the secret with which the sender signs; the URL stays'))
      .argument('<token>', 'its id', asId)
      .option('--shared-secret-file <path>', 'file with the secret (- for standard input); without it, a prompt')
      .option('--make-shared-secret', 'generate it; it is shown once')
      .option('--remove', 'accept unsigned posts'),
    `${noun.name()} set-secret 3 --company 1 --make-shared-secret`,
    `${noun.name()} set-secret 3 --company 1 --shared-secret-file ./secret.txt`,
  ).action(async (id: number, { company, remove, ...options }: CreateOptions & { remove?: boolean }, command: Command) => {
    if (remove && (options.makeSharedSecret || options.sharedSecretFile !== undefined))
      throw new UsageError('Give --remove or a secret, not both.');
    const { input, shown } = remove ? { input: {}, shown: {} } : await readSharedSecret(options, { isRequired: true });
    const account = accountOf(command, company);
    const existing = () => account.listMachineTokens(kind);
    const token = await must(account.setSharedSecret(kind, id, input.shared_secret), company, existing);
    if (shown['shared_secret'] === undefined) printRecord(command, token);
    else printSecrets(command, token, shown);
  });
  ofAccount(noun.command('revoke').description('end one from the next call on'))
    .argument('<token>', 'its id', asId)
    .action(async (id: number, { company }: { company?: number }, command: Command) => {
      const account = accountOf(command, company);
      const existing = () => account.listMachineTokens(kind);
      printRecord(command, await must(account.revokeMachineToken(kind, id), company, existing));
    });
  return noun;
}
