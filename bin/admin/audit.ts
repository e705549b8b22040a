import { Command } from 'commander';
import { accountOf, ofAccount } from './account-access.ts';
import { asCount, examples } from './argument.ts';
import { must } from './failure.ts';
import { printList } from './output.ts';

/** Who changed what in a company's account. */
export const audit = (): Command => {
  const noun = ofAccount(
    new Command('audit').description('list who changed credentials, users, numbers, profiles and endpoints of a company'),
  )
    .option('--limit <number>', 'how many, newest first', asCount, 50)
    .action(async ({ company, limit }: { company?: number; limit: number }, command: Command) => {
      const entries = await must(accountOf(command, company).listAuditEntries(limit), company);
      const rows = entries.map(({ at, action, target, by, changes }) => ({
        at,
        action,
        id: target.id,
        via: by.via,
        by: by.operator ?? (by.user_id === null ? null : `user ${by.user_id}`),
        credential: by.credential_id,
        changes: Object.entries(changes)
          .map(([field, { from, to }]) => `${field}: ${String(from)} -> ${String(to)}`)
          .join('; '),
      }));
      printList(command, rows, ['at', 'action', 'id', 'via', 'by', 'credential', 'changes'], 'The company has no audit entries yet.');
    });
  examples(noun, 'audit --company 1', 'audit --company 1 --limit 200 --json');
  return noun;
};
