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

/** Whom the guards of verification hold off. */
export const blocks = (): Command => {
  const noun = new Command('blocks').description('whom the guards of verification hold off, and why');
  examples(noun, 'blocks list --company 1', 'blocks delete <id> --company 1');
  ofCompany(noun.command('list').description('what is blocked now'))
    .option('--profile <uuid>', 'of one profile')
    .action(async ({ company, profile }: { company: number; profile?: string }, command: Command) => {
      const columns = ['id', 'kind', 'subject', 'reason', 'blocked_at', 'blocked_until'];
      const found: Record<string, unknown>[] = [];
      let cursor: string | undefined;
      do {
        const page = await must(listVerificationBlocks(company, { profile_id: profile, limit: 100, cursor }));
        found.push(...page.blocks);
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      printList(command, found, columns, 'Nothing is blocked.');
    });
  ofCompany(noun.command('delete').description('end a block; counting begins anew'))
    .argument('<block>', 'its id')
    .action(async (id: string, { company }: { company: number }, command: Command) =>
      printRecord(command, deleted(id, await deleteVerificationBlock(company, id), 'block')),
    );
  return noun;
};

/** What the rules of a profile let through. */
export const whitelists = (): Command => {
  const noun = new Command('whitelists').description('what the rules of a verification profile let through');
  examples(
    ofCompany(noun.command('create').description('let something through'))
      .requiredOption('--profile <uuid>', 'the profile')
      .addOption(new Option('--kind <kind>', 'what it is').choices(whitelistKinds).makeOptionMandatory())
      .requiredOption('--value <value>', 'an address or network, a domain, a country, a phone or email')
      .option('--until <time>', 'until when, ISO 8601'),
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
  ofCompany(noun.command('list').description('all entries'))
    .option('--profile <uuid>', 'of one profile')
    .action(async ({ company, profile }: { company: number; profile?: string }, command: Command) => {
      const columns = ['id', 'profile_id', 'kind', 'value', 'expires_at'];
      printList(command, await listVerificationWhitelists(company, profile), columns, 'There are no entries.');
    });
  ofCompany(noun.command('delete').description('let it through no longer'))
    .argument('<entry>', 'its id')
    .action(async (id: string, { company }: { company: number }, command: Command) =>
      printRecord(command, deleted(id, await deleteVerificationWhitelist(company, id), 'entry')),
    );
  return noun;
};

/** How codes are worded. */
export const codeTemplates = (): Command => {
  const noun = new Command('code-templates').description('how codes are worded, by channel and purpose');
  examples(
    ofCompany(noun.command('create').description('words for the codes of a channel and purpose'))
      .requiredOption('--profile <uuid>', 'the profile')
      .addOption(new Option('--channel <channel>', 'where they go').choices(['whatsapp', 'email']).makeOptionMandatory())
      .option('--purpose <purpose>', 'of one purpose; of all that have none of their own when left out')
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
  ofCompany(noun.command('list').description('all templates of codes'))
    .option('--profile <uuid>', 'of one profile')
    .action(async ({ company, profile }: { company: number; profile?: string }, command: Command) => {
      const columns = ['id', 'profile_id', 'channel', 'purpose', 'language', 'provider_template', 'subject'];
      printList(command, await listVerificationTemplates(company, profile), columns, 'There are no templates of codes.');
    });
  ofCompany(noun.command('delete').description('take a template away'))
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
