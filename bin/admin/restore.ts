import { Command } from 'commander';
import * as z from 'zod';
import { listCompanies } from '../../functions/account/service/companies.ts';
import { app } from '../../functions/app.ts';
import { applyJournal, getOwnCopy, openCopy, openWithoutJournal } from '../../functions/change-stream/service/apply-journal.ts';
import { continueErasures, listUnfinishedErasures } from '../../functions/erasures/service/restore-erasures.ts';
import { isoTime, now } from '../../shared/runtime/clock.ts';
import { optionalSetting } from '../../shared/runtime/env.ts';
import { tableName } from '../../shared/table/client.ts';
import { closedMessage, ownCopy, type RestoredCopy } from '../../shared/table/restored-copy.ts';
import { asTime, examples } from './argument.ts';
import { aws } from './aws-command.ts';
import { Failure } from './failure.ts';
import { printRecord } from './output.ts';

/** Brings a restored table, which is closed, to where it may be used: docs/operate.md, "Restore from a point in time". */
export const restore = (): Command => {
  const noun = new Command('restore').description('a table that was restored to an earlier second: apply the journal, then open it');
  examples(noun, 'restore status --stack switchboard', 'restore apply --stack switchboard', 'restore open --stack switchboard');
  examples(noun.command('status').description('how far it is brought'), 'restore status --stack switchboard').action(
    async (_: object, command: Command) => {
      requireCopy();
      const copy = await getOwnCopy();
      printRecord(command, { ...recordOf(copy), erasures_running: await countUnfinished() });
    },
  );
  examples(
    noun
      .command('apply')
      .description(
        'bring back what the table must not have forgotten: sends, stops, erasures, revocations. Repeat it if it was interrupted',
      )
      .option('--since <time>', 'the restored second; default: as DynamoDB has it', asTime)
      .option('--source <table>', 'the table that was restored; default: as DynamoDB has it')
      .option('--until <time>', 'leave out what happened later', asTime),
    'restore apply --stack switchboard',
    'restore apply --stack switchboard --since 2026-11-21T12:00:00Z --source switchboard-Table-1',
  ).action(async (options: ApplyOptions, command: Command) => {
    requireCopy();
    const summary = options.since !== undefined && options.source !== undefined ? undefined : readSummary(command);
    const sinceMs = options.since ?? summary?.sinceMs;
    const source = options.source ?? summary?.source;
    if (sinceMs === undefined || source === undefined)
      throw new Failure('Name the restored second with --since and the table with --source.');
    takeCredentials(command);
    const copy = await applyAll({ source, sinceMs, untilMs: options.until ?? now() });
    printRecord(command, { ...recordOf(copy), erasures_running: await countUnfinished() });
  });
  examples(
    noun
      .command('open')
      .description('let everything leave again, once the journal is applied and its erasures are done')
      .option(
        '--without-journal',
        'the journal is lost: sends are repeated, and stops, erasures and revocations since the backup forgotten; of a replica, those of its last second',
      ),
    'restore open --stack switchboard',
  ).action(async ({ withoutJournal }: { withoutJournal?: true }, command: Command) => {
    requireCopy();
    printRecord(command, recordOf(withoutJournal ? await openWithoutJournal(now()) : await openAll()));
  });
  return noun;
};

interface ApplyOptions {
  since?: number;
  source?: string;
  until?: number;
}

/** The journal, then the erasures in it, which the product's own worker runs once the table is readable. */
export const applyAll = async (request: { source: string; sinceMs: number; untilMs: number }): Promise<RestoredCopy> => {
  const copy = await applyJournal(
    request,
    app.flatMap((context) => context.restores ?? []),
  );
  if (copy.state === 'readable') for (const { id } of await listCompanies()) await continueErasures(id);
  return copy;
};

export const openAll = async (): Promise<RestoredCopy> => {
  const copy = await getOwnCopy();
  if (copy?.state === 'open') return copy;
  if (copy?.state !== 'readable') throw new Failure('The journal is not applied yet: run restore apply first.');
  const left = await countUnfinished();
  if (left > 0)
    throw new Failure(`${left} ${left === 1 ? 'erasure is' : 'erasures are'} not done yet: let the worker erasures run, then repeat this.`);
  return openCopy(copy);
};

function requireCopy(): void {
  if (ownCopy() === undefined) throw new Failure('This deployment does not run on a restored table; see docs/operate.md, Restore.');
}

async function countUnfinished(): Promise<number> {
  const unfinished = await Promise.all((await listCompanies()).map(({ id }) => listUnfinishedErasures(id)));
  return unfinished.flat().length;
}

function recordOf(copy: RestoredCopy | undefined): Record<string, unknown> {
  const state = copy?.state ?? 'closed';
  return {
    copy: ownCopy() ?? null,
    state,
    means: state === 'open' ? 'It is open: everything leaves.' : closedMessage(state),
    journal_of: copy?.source ?? null,
    since: copy ? isoTime(copy.sinceMs) : null,
    applied_up_to: copy?.appliedUpTo ?? null,
    restored: copy?.restored ?? {},
  };
}

const restoreSummary = z.object({
  Table: z.object({ RestoreSummary: z.object({ SourceTableArn: z.string(), RestoreDateTime: z.coerce.date() }) }),
});

/** DynamoDB says of a restored table from which it comes, and of which second. */
function readSummary(command: Command): { source: string; sinceMs: number } | undefined {
  const described = restoreSummary.safeParse(
    aws(['dynamodb', 'describe-table', '--table-name', tableName(), ...targetOf(command)], 'The table'),
  );
  if (!described.success) return undefined;
  const { SourceTableArn, RestoreDateTime } = described.data.Table.RestoreSummary;
  return { source: SourceTableArn.split('/')[1] ?? '', sinceMs: RestoreDateTime.getTime() };
}

const exported = z.object({ AccessKeyId: z.string(), SecretAccessKey: z.string(), SessionToken: z.string().optional() });

/** Objects are read by presigned addresses (shared/objects/bucket.ts), for which a profile's credentials must be in the environment. */
function takeCredentials(command: Command): void {
  if (optionalSetting('AWS_ACCESS_KEY_ID')) return;
  const credentials = exported.parse(aws(['configure', 'export-credentials', ...targetOf(command)], 'Your credentials'));
  process.env['AWS_ACCESS_KEY_ID'] = credentials.AccessKeyId;
  process.env['AWS_SECRET_ACCESS_KEY'] = credentials.SecretAccessKey;
  if (credentials.SessionToken) process.env['AWS_SESSION_TOKEN'] = credentials.SessionToken;
}

function targetOf(command: Command): string[] {
  const { region, awsProfile } = command.optsWithGlobals<{ region?: string; awsProfile?: string }>();
  return [...(region ? ['--region', region] : []), ...(awsProfile ? ['--profile', awsProfile] : [])];
}
