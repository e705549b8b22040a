import { Command, Option } from 'commander';
import { deactivateKey, issueKey, listKeys, rotateKey } from '../../functions/account/service/verification-profiles.ts';
import {
  createVerificationProfile as createProfile,
  getVerificationProfile as readVerificationProfile,
  listVerificationProfiles as listProfiles,
  revokeTrust,
  updateVerificationProfile as updateProfile,
} from '../../functions/verification/service/admin/profiles.ts';
import { asCount, asJsonObject, examples, ofCompany } from './argument.ts';
import { Failure, must, requireChange } from './failure.ts';
import { printList, printRecord, printSecrets } from './output.ts';

/** Verification profiles: the settings for creating and checking codes. */
export const profiles = (): Command => {
  const noun = new Command('profiles').description('verification profiles: settings for creating and checking codes');
  examples(noun, 'profiles create --company 1 --name "Login"', 'profiles list --company 1');

  examples(
    ofCompany(noun.command('create').description('create a profile; the first one of a company is its default'))
      .requiredOption('--name <name>', 'what it is for')
      .option('--settings <json>', 'its settings; omitted ones get their defaults', asJsonObject),
    `profiles create --company 1 --name "Login" --settings '{"otp":{"length":8}}'`,
  ).action(async ({ company, name, settings }: { company: number; name: string; settings?: Record<string, unknown> }, command: Command) => {
    printRecord(command, await must(createProfile(company, { name, ...(settings ? { settings_json: settings } : {}) }), company));
  });

  ofCompany(noun.command('list').description('all profiles of a company')).action(
    async ({ company }: { company: number }, command: Command) => {
      const columns = ['id', 'name', 'status', 'is_default', 'created_at'];
      printList(command, await must(listProfiles(company), company), columns, `Company ${company} has no verification profile.`);
    },
  );

  ofCompany(noun.command('show').description('one profile with its settings'))
    .argument('<profile>', 'its id, a UUID')
    .action(async (id: string, { company }: { company: number }, command: Command) => {
      printRecord(command, await must(readVerificationProfile(company, id), company, () => listProfiles(company)));
    });

  examples(
    ofCompany(noun.command('update').description('change a profile; settings are merged key by key, null takes one away'))
      .argument('<profile>', 'its id, a UUID')
      .option('--name <name>', 'what it is for')
      .addOption(new Option('--status <status>', 'switch it on or off').choices(['active', 'inactive']))
      .option('--settings <json>', 'the settings to change', asJsonObject),
    `profiles update <uuid> --company 1 --settings '{"require_signature":true}'`,
  ).action(async (id: string, options: ProfileOptions, command: Command) => {
    const changes = {
      ...(options.status === undefined ? {} : { status: options.status }),
      ...(options.name === undefined ? {} : { name: options.name }),
      ...(options.settings ? { settings_json: options.settings } : {}),
    };
    printRecord(
      command,
      await must(updateProfile(options.company, id, requireChange(changes)), options.company, () => listProfiles(options.company)),
    );
  });

  examples(
    ofCompany(noun.command('revoke-trust').description('revoke trust keys of one identifier or of the whole profile'))
      .argument('<profile>', 'its id, a UUID')
      .option('--identifier <identifier>', 'a phone or an email address; default: all'),
    'profiles revoke-trust <uuid> --company 1 --identifier +4915112345678',
  ).action(async (id: string, { company, identifier }: { company: number; identifier?: string }, command: Command) => {
    await must(revokeTrust(company, id, identifier), company, () => listProfiles(company));
    printRecord(command, { id, revoked: true });
  });

  return noun;
};

interface ProfileOptions {
  company: number;
  name?: string;
  status?: 'active' | 'inactive';
  settings?: Record<string, unknown>;
}

/** The keys for calls of the verification API. */
export const keys = (): Command => {
  const noun = new Command('keys').description('the key pairs of verification profiles: a public and a secret key');
  examples(noun, 'keys create --company 1 --name "web"', 'keys list --company 1', 'keys rotate <uuid> --company 1');

  examples(
    ofCompany(noun.command('create').description('create a key pair; its secret key is shown once'))
      .option('--profile <uuid>', "the profile; default: the company's default profile")
      .option('--name <name>', 'what it is for')
      .addOption(new Option('--mode <mode>', 'live, or test for test identifiers').choices(['live', 'test']).default('live')),
    'keys create --company 1 --name "web"',
    'keys create --company 1 --profile <uuid> --mode test',
  ).action(async (options: { company: number; profile?: string; name?: string; mode: 'live' | 'test' }, command: Command) => {
    const { company, mode, name } = options;
    const profile = options.profile ?? (await defaultProfile(company));
    const issued = await must(issueKey(company, profile, { mode, ...(name === undefined ? {} : { name }) }), company, () =>
      listProfiles(company),
    );
    printSecrets(command, issued.key, { secret_key: issued.secret_key });
  });

  ofCompany(noun.command('list').description('the keys of a company'))
    .option('--profile <uuid>', 'of one profile')
    .action(async ({ company, profile }: { company: number; profile?: string }, command: Command) => {
      const columns = ['id', 'name', 'public_key', 'secret_last4', 'mode', 'status', 'last_used_at'];
      printList(command, await must(listKeys(company, profile), company), columns, 'There are no keys.');
    });

  examples(
    ofCompany(noun.command('rotate').description('replace a key pair; the former pair stays valid for a while'))
      .argument('<key>', 'its id, a UUID')
      .option('--overlap-hours <n>', 'how long the former pair stays valid, 0 to 168 (24)', asCount),
    'keys rotate <uuid> --company 1',
  ).action(async (id: string, { company, overlapHours }: { company: number; overlapHours?: number }, command: Command) => {
    const { key, secret_key } = await must(rotateKey(company, id, overlapHours), company, () => listKeys(company));
    printSecrets(command, key, { secret_key });
  });

  ofCompany(noun.command('deactivate').description('end both keys of a pair from the next call on'))
    .argument('<key>', 'its id, a UUID')
    .action(async (id: string, { company }: { company: number }, command: Command) => {
      printRecord(command, await must(deactivateKey(company, id), company, () => listKeys(company)));
    });

  return noun;
};

async function defaultProfile(companyId: number): Promise<string> {
  const found = (await must(listProfiles(companyId), companyId)).find((profile) => profile.is_default);
  if (!found) throw new Failure(`Company ${companyId} has no verification profile; create one with "profiles create".`);
  return found.id;
}
