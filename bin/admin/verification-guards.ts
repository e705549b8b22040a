import { Command, Option } from 'commander';
import { whitelistKinds } from '../../functions/verification/domain/eligibility-rules.ts';
import { listVerificationBlocks, deleteVerificationBlock } from '../../functions/verification/service/admin/blocks.ts';
import {
  createVerificationTemplate,
  deleteVerificationTemplate,
  listVerificationTemplates,
} from '../../functions/verification/service/admin/templates.ts';
import {
  createVerificationWhitelist,
  deleteVerificationWhitelist,
  listVerificationWhitelists,
} from '../../functions/verification/service/admin/whitelists.ts';
import { examples, ofCompany } from './argument.ts';
import { Failure, must } from './failure.ts';
import { printList, printRecord } from './output.ts';

/** Blocked identifiers, IP addresses and networks. */
export const blocks = (): Command => {
  const noun = new Command('blocks').description('identifiers and IP addresses that verification blocks, with the reasons');
  examples(noun, 'blocks list --company 1', 'blocks delete <id> --company 1');
  ofCompany(noun.command('list').description('list the current blocks'))
    .option('--profile <uuid>', 'of one profile')
    .action(async ({ company, profile }: { company: number; profile?: string }, command: Command) => {
      const columns = ['id', 'kind', 'subject', 'reason', 'blocked_at', 'blocked_until'];
      const found: Record<string, unknown>[] = [];
      let cursor: string | undefined;
      do {
        const page = await must(listVerificationBlocks(company, { profile_id: profile, limit: 100, cursor }));
        found.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      printList(command, found, columns, 'Nothing is blocked.');
    });
  ofCompany(noun.command('delete').description('remove a block and reset its counters'))
    .argument('<block>', 'its id')
    .action(async (id: string, { company }: { company: number }, command: Command) =>
      printRecord(command, deleted(id, await deleteVerificationBlock(company, id), 'block')),
    );
  return noun;
};

/** The allowlist of a verification profile. */
export const whitelists = (): Command => {
  const noun = new Command('whitelists').description('the allowlist of a verification profile');
  examples(
    ofCompany(noun.command('create').description('add an entry to the allowlist'))
      .requiredOption('--profile <uuid>', 'the profile')
      .addOption(new Option('--kind <kind>', 'what it is').choices(whitelistKinds).makeOptionMandatory())
      .requiredOption('--value <value>', 'an IP address or network, a domain, a country, a phone or an email address')
      .option('--until <time>', 'end of validity, ISO 8601'),
    'whitelists create --company 1 --profile <uuid> --kind ip --value 203.0.113.0/24',
  ).action(
    async (
      options: { company: number; profile: string; kind: (typeof whitelistKinds)[number]; value: string; until?: string },
      command: Command,
    ) => {
      const { company, profile, kind, value, until } = options;
      printRecord(command, await must(createVerificationWhitelist(company, { profile_id: profile, kind, value, expires_at: until })));
    },
  );
  ofCompany(noun.command('list').description('list the entries'))
    .option('--profile <uuid>', 'of one profile')
    .action(async ({ company, profile }: { company: number; profile?: string }, command: Command) => {
      const columns = ['id', 'profile_id', 'kind', 'value', 'expires_at'];
      printList(command, await listVerificationWhitelists(company, profile), columns, 'There are no entries.');
    });
  ofCompany(noun.command('delete').description('remove an entry from the allowlist'))
    .argument('<entry>', 'its id')
    .action(async (id: string, { company }: { company: number }, command: Command) =>
      printRecord(command, deleted(id, await deleteVerificationWhitelist(company, id), 'entry')),
    );
  return noun;
};

/** Message templates of verification codes. */
export const codeTemplates = (): Command => {
  const noun = new Command('code-templates').description('message templates of verification codes, by channel and purpose');
  examples(
    ofCompany(noun.command('create').description('create a message template for a channel and purpose'))
      .requiredOption('--profile <uuid>', 'the profile')
      .addOption(new Option('--channel <channel>', 'the channel').choices(['whatsapp', 'email']).makeOptionMandatory())
      .option('--purpose <purpose>', 'one purpose; default: all purposes without their own template')
      .option('--language <code>', 'language of the provider template (en)')
      .option('--provider-template <name>', 'WhatsApp: an approved authentication template')
      .option('--subject <text>', 'email: its subject')
      .option('--body <text>', 'email: its text, with {{code}}, {{link}}, {{minutes}}, {{name}}'),
    'code-templates create --company 1 --profile <uuid> --channel whatsapp --provider-template login_code --language en_US',
  ).action(async (options: CodeTemplateOptions, command: Command) => {
    const { company, profile, providerTemplate, ...rest } = options;
    printRecord(
      command,
      await must(createVerificationTemplate(company, { ...rest, profile_id: profile, provider_template: providerTemplate })),
    );
  });
  ofCompany(noun.command('list').description('list the message templates'))
    .option('--profile <uuid>', 'of one profile')
    .action(async ({ company, profile }: { company: number; profile?: string }, command: Command) => {
      const columns = ['id', 'profile_id', 'channel', 'purpose', 'language', 'provider_template', 'subject'];
      printList(command, await listVerificationTemplates(company, profile), columns, 'There are no message templates.');
    });
  ofCompany(noun.command('delete').description('delete a message template'))
    .argument('<template>', 'its id, a UUID')
    .action(async (id: string, { company }: { company: number }, command: Command) =>
      printRecord(command, deleted(id, await deleteVerificationTemplate(company, id), 'template')),
    );
  return noun;
};

interface CodeTemplateOptions {
  company: number;
  profile: string;
  channel: 'whatsapp' | 'email';
  purpose?: string;
  language?: string;
  providerTemplate?: string;
  subject?: string;
  body?: string;
}

function deleted(id: string, isDone: boolean, what: string): { id: string; deleted: boolean } {
  if (!isDone) throw new Failure(`There is no ${what} ${id}.`);
  return { id, deleted: true };
}
