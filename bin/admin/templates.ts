import { Command } from 'commander';
import { templateView } from '../../functions/templates/domain/view.ts';
import { syncAccount } from '../../functions/templates/service/sync-account.ts';
import { listTemplates } from '../../functions/templates/service/templates.ts';
import { examples, ofCompany } from './argument.ts';
import { must } from './failure.ts';
import { printList, printRecord } from './output.ts';

/** The message templates of a company. */
export const templates = (): Command => {
  const noun = new Command('templates').description('the message templates of a company');
  examples(noun, 'templates sync --company 1', 'templates list --company 1 --status all');

  examples(
    ofCompany(noun.command('list').description('list the templates of a company; default: approved ones')).option(
      '--status <status>',
      'another status, or all',
      'approved',
    ),
    'templates list --company 1',
    'templates list --company 1 --status rejected --json',
  ).action(async ({ company, status }: { company: number; status: string }, command: Command) => {
    const columns = ['id', 'name', 'language', 'status', 'category', 'quality_score', 'rejected_reason', 'updated_at'];
    const all = await everyTemplate(company, status);
    printList(command, all.map(templateView), columns, 'There are no such templates; "templates sync" copies them from the provider.');
  });

  examples(
    ofCompany(noun.command('sync').description('copy the templates of the business account from the provider')),
    'templates sync --company 1',
  ).action(async ({ company }: { company: number }, command: Command) => {
    const { synced, created, updated, removed } = await must(syncAccount(company), company);
    printRecord(command, { synced_count: synced, created_count: created, updated_count: updated, removed_count: removed });
  });

  return noun;
};

async function everyTemplate(companyId: number, status: string) {
  const found = [];
  for (let cursor: string | undefined; ; ) {
    const page = await must(listTemplates(companyId, { status, page: 1, limit: 100, cursor }), companyId);
    found.push(...page.items);
    if (page.nextCursor === undefined) return found;
    cursor = page.nextCursor;
  }
}
