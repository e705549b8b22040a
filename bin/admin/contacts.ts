import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { Command, Option } from 'commander';
import { getCompanyRecord } from '../../functions/account/service/companies.ts';
import { checkContacts, mergeTwin } from '../../functions/contacts/service/check-contacts.ts';
import { countContacts, exportContacts } from '../../functions/contacts/service/export-contacts.ts';
import { examples, ofCompany } from './argument.ts';
import { importFile } from './contacts-import.ts';
import { convertExport } from './convert-export.ts';
import { UsageError, must } from './failure.ts';
import { type ImportSource, importSources } from './import-sources.ts';
import { printList, printRecord } from './output.ts';
import { Progress } from './progress.ts';

/** Import and export of contacts as CSV files. */
export const contacts = (): Command => {
  const noun = new Command('contacts').description("a company's contacts as CSV files");
  examples(noun, 'contacts import people.csv --company 1', 'contacts export people.csv --company 1');
  for (const define of [defineImport, defineExport, defineCheck]) define(noun);
  return noun;
};

function defineImport(noun: Command): void {
  examples(
    ofCompany(noun.command('import').description('import contacts from a CSV file; after an interruption the same command continues'))
      .argument(
        '<file>',
        'UTF-8; its first row names the columns: phone, name, email, city, country, company, groups, tags, subscribed, custom.<key>',
      )
      .addOption(
        new Option('--from <product>', 'the file is an export of another product: CSV, JSON or lines of JSON').choices([...importSources]),
      )
      .option('--errors <file>', 'file for the rows that failed (FILE.errors.csv)')
      .option('--restart', 'start over instead of continuing the last run'),
    'contacts import people.csv --company 1',
    'contacts import people.csv --company 1 --errors left-out.csv --restart',
    'contacts import contacts.csv --from wati --company 1',
  )
    .addHelpText(
      'after',
      '\nGroups and tags are names separated by commas; those that do not exist are created.\n' +
        'A new contact is subscribed where its row says so. With --from, that is what the export says of consent; docs/moving says where each product has its export.\n' +
        'Exit code 1 when rows failed; the errors file has them with their lines and reasons, and can be imported after mending.',
    )
    .action(async (file: string, options: ImportOptions, command: Command) => {
      await must(getCompanyRecord(options.company), options.company);
      const restart = options.restart === true;
      const converted = options.from && (await convertExport(file, options.from, { restart }));
      const { skippedLimit, resumedAt, errorsFile, ...counts } = await importFile(converted?.file ?? file, options.company, {
        errorsFile: options.errors ?? `${file}.errors.csv`,
        restart,
      });
      if (converted) rmSync(converted.file, { force: true });
      printRecord(command, {
        ...counts,
        skipped_limit: skippedLimit,
        ...(resumedAt === undefined ? {} : { resumed_at_line: resumedAt }),
        ...(converted?.leftOut === undefined ? {} : { rows_without_phone: converted.leftOut }),
        errors_file: errorsFile ?? null,
      });
      if (counts.failed + skippedLimit > 0) process.exitCode = 1;
    });
}

interface ImportOptions {
  company: number;
  from?: ImportSource;
  errors?: string;
  restart?: true;
}

function defineExport(noun: Command): void {
  examples(
    ofCompany(noun.command('export').description('write all contacts to a CSV file, or to standard output'))
      .argument('[file]', 'default: standard output')
      .option('--force', 'overwrite an existing file')
      .option(
        '--raw',
        'leave cells as they are that a spreadsheet would execute (they get an apostrophe in front, which the import takes off)',
      ),
    'contacts export people.csv --company 1',
    'contacts export --company 1 | gzip > people.csv.gz',
  ).action(async (file: string | undefined, options: { company: number; force?: true; raw?: true }, command: Command) => {
    await must(getCompanyRecord(options.company), options.company);
    if (file === undefined) return void (await writeContacts(options, process.stdout));
    if (existsSync(file) && !options.force) throw new UsageError(`${file} already exists. Overwrite it with --force.`);
    const draft = `${file}.part`;
    const out = createWriteStream(draft, { mode: 0o600 });
    try {
      // spreadsheets read a file without it in the computer's own encoding
      out.write('\uFEFF');
      const written = await writeContacts(options, out);
      out.end();
      await finished(out);
      renameSync(draft, file);
      printRecord(command, { contacts: written, file });
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
  });
}

function defineCheck(noun: Command): void {
  examples(
    ofCompany(
      noun.command('check').description('find contacts whose stored phone is none: national numbers, and others that are refused today'),
    ).option(
      '--merge',
      'give them the phone that the default country of the company makes of it; one whose phone another contact has is merged into it',
    ),
    'contacts check --company 1',
    'contacts check --company 1 --merge',
  ).action(async (options: { company: number; merge?: true }, command: Command) => {
    await must(getCompanyRecord(options.company), options.company);
    const rows: Record<string, unknown>[] = [];
    for await (const found of checkContacts(options.company))
      rows.push({ ...found, done: options.merge ? await mergeTwin(options.company, found) : 'found' });
    printList(
      command,
      rows,
      ['contact_id', 'name', 'phone', 'read_as', 'twin_id', 'done'],
      'Every contact has a phone that can be sent to.',
    );
    if (rows.some(({ done }) => done === 'found' || done === 'left')) process.exitCode = 1;
  });
}

/** Writes chunk by chunk, as fast as the reader accepts them. A reader that stops early (`| head`) is no error. */
async function writeContacts({ company, raw }: { company: number; raw?: true }, out: NodeJS.WritableStream): Promise<number> {
  const total = await countContacts(company);
  const progress = new Progress();
  let written = 0;
  let broken: NodeJS.ErrnoException | undefined;
  out.on('error', (error: NodeJS.ErrnoException) => {
    broken = error;
  });
  for await (const { text, contacts: count } of exportContacts(company, { isRaw: raw === true })) {
    if (!out.write(text) && !broken) await drained(out);
    if (broken) break;
    written += count;
    progress.show(written, total, `${written} contacts`);
  }
  progress.end();
  if (broken && broken.code !== 'EPIPE') throw broken;
  return written;
}

const drained = (out: NodeJS.WritableStream): Promise<void> =>
  new Promise((resolve) => {
    const events = ['drain', 'close', 'error'] as const;
    const done = (): void => {
      for (const event of events) out.off(event, done);
      resolve();
    };
    for (const event of events) out.once(event, done);
  });
