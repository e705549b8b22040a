import { Command, Option } from 'commander';
import {
  addProviderApp,
  listSharedApps,
  releaseAccount,
  removeProviderApp,
  removeProviderAppSignup,
  rotateProviderAppSecret,
  type SharedApp,
  setProviderAppSignup,
} from '../../functions/account/service/provider-apps.ts';
import { receiverPath } from '../../functions/account/contract/receiver.ts';
import { isoTime } from '../../shared/runtime/clock.ts';
import { examples } from './argument.ts';
import { must } from './failure.ts';
import { printList, printRecord } from './output.ts';
import { readSecrets } from './secret-input.ts';
import { receiverUrl } from './target.ts';

/** Apps of the provider that several companies share: one URL receives the webhooks of all their numbers. */
export const apps = (): Command => {
  const noun = new Command('apps').description('the apps of the provider that several companies share, with one receiver each');
  examples(noun, 'apps add 1045678901234567 --name "Our app" --app-secret-file ./secret.txt', 'apps list');
  examples(
    noun
      .command('add')
      .description('share an app; then "numbers connect" of each company routes its number from the app’s receiver')
      .argument('<app>', 'its id at the provider')
      .requiredOption('--name <name>', 'what you call it')
      .option('--app-secret-file <path>', 'its secret from a file (- for standard input)'),
    'apps add 1045678901234567 --name "Our app" --app-secret-file ./secret.txt',
  ).action(async (app_id: string, { name, appSecretFile }: { name: string; appSecretFile?: string }, command: Command) => {
    const [app_secret] = await readSecrets({ what: 'app secret', file: appSecretFile });
    printRecord(command, await shown(await must(addProviderApp({ app_id, app_secret, name }))));
  });
  noun
    .command('list')
    .description('all shared apps, with the webhook URL of each')
    .action(async (_, command: Command) =>
      printList(
        command,
        await Promise.all((await listSharedApps()).map(shown)),
        ['app_id', 'name', 'created_at', 'webhook_url', 'configuration_id'],
        'No app is shared: each company uses an app of its own.',
      ),
    );
  examples(
    noun
      .command('signup')
      .description('let companies connect their numbers by the provider’s dialog, with this app (docs/operate.md)')
      .argument('<app>', 'its id at the provider')
      .addOption(new Option('--configuration <id>', 'of the configuration of "Login for Business" at the provider').conflicts('off'))
      .option('--hosted-url <url>', 'the link of the hosted signup, for browsers in which no window opens')
      .option('--off', 'no longer; numbers that are connected stay'),
    'apps signup 1045678901234567 --configuration 1234567890123456',
    'apps signup 1045678901234567 --off',
  ).action(async (app_id: string, { configuration, hostedUrl: hosted_url, off }: SignupOptions, command: Command) => {
    if (off !== true && configuration === undefined) command.error('error: give --configuration <id>, or --off');
    const changed =
      configuration === undefined
        ? removeProviderAppSignup(app_id)
        : setProviderAppSignup({ app_id, configuration_id: configuration, ...(hosted_url === undefined ? {} : { hosted_url }) });
    printRecord(command, await shown(await must(changed)));
  });
  examples(
    noun
      .command('rotate-secret')
      .description('replace the secret of an app, after it was reset at the provider')
      .argument('<app>', 'its id at the provider')
      .option('--app-secret-file <path>', 'the new secret from a file (- for standard input)'),
    'apps rotate-secret 1045678901234567 --app-secret-file ./secret.txt',
  ).action(async (app_id: string, { appSecretFile }: { appSecretFile?: string }, command: Command) => {
    const [app_secret] = await readSecrets({ what: 'app secret', file: appSecretFile });
    printRecord(command, await shown(await must(rotateProviderAppSecret({ app_id, app_secret }))));
  });
  examples(
    noun
      .command('release')
      .description('take an account of an app from the company that holds it, so that another company can connect it')
      .argument('<app>', 'its id at the provider')
      .argument('<account>', 'the id of the business account (WABA) at the provider'),
    'apps release 1045678901234567 109876543210',
  ).action(async (app_id: string, account_id: string, _, command: Command) => {
    const { companyId, released } = await must(releaseAccount(app_id, account_id));
    printRecord(command, { app_id, account_id, company_id: companyId, released: released.join(', ') });
  });
  noun
    .command('remove')
    .description('share an app no more: its receiver is unknown from then on; connect its numbers elsewhere before')
    .argument('<app>', 'its id at the provider')
    .action(async (app_id: string, _, command: Command) => {
      await removeProviderApp(app_id);
      printRecord(command, { app_id, is_shared: false });
    });
  return noun;
};

interface SignupOptions {
  configuration?: string;
  hostedUrl?: string;
  off?: boolean;
}

const shown = async ({ id, name, createdAt, signup, receiver }: SharedApp) => ({
  app_id: id,
  name,
  created_at: isoTime(createdAt),
  webhook_url: receiverUrl('messaging-webhook', receiverPath('messaging', (await receiver()).token)),
  configuration_id: signup?.configurationId ?? '',
  hosted_url: signup?.hostedUrl ?? '',
});
