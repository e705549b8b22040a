import { Command, InvalidArgumentError } from 'commander';
import { setRates } from '../../functions/spend/service/rates.ts';
import { checkRates, importRates, listOperatorRates, reopenForRates } from '../../functions/spend/service/operator-rates.ts';
import { day } from '../../shared/contract/day.ts';
import { asId, examples } from './argument.ts';
import { must } from './failure.ts';
import { findingLines } from './findings.ts';
import { printList, printRecord, wantsJson } from './output.ts';
import { readCard } from './rates/card-file.ts';

/** What messages cost: the provider's rate cards, which the operator imports. */
export const rates = (): Command => {
  const noun = new Command('rates').description('what messages cost: the rate cards of the provider, by currency and first day');
  examples(noun, 'rates import card.xlsx --currency EUR --from 2026-10-01', 'rates list', 'rates check');
  examples(
    noun
      .command('import')
      .description('import a card: XLSX or CSV as the provider publishes it, or our JSON; it is never changed, a correction is another one')
      .argument('<file>', 'the file of the prices')
      .option('--currency <code>', 'of the prices; needed for XLSX and CSV', asCurrency)
      .option('--from <date>', 'the first day on which they hold; needed for XLSX and CSV', asDay)
      .option('--tiers <file>', 'the prices by monthly volume: columns market, category, from, to, rate')
      .option('--markets <file>', 'the countries of markets that are not known here: {"Rest of Europe":["LI","MC"]}')
      .option('--source <text>', 'where the prices are from: an address, or the number of a contract')
      .option('--company <id>', 'prices of this company alone', asId)
      .option('--force', 'also where a market is gone, or a price moved by more than five times'),
    'rates import card.xlsx --currency EUR --from 2026-10-01 --tiers tiers.xlsx',
    'rates import contract.json --company 3',
  ).action(async (file: string, { company, force, ...files }: ImportOptions, command: Command) => {
    const card = readCard({ file, ...files });
    if (company !== undefined) return printRecord(command, imported(await must(setRates(company, card), company)));
    printRecord(command, imported(await must(importRates(card, { force: force === true }))));
  });
  noun
    .command('list')
    .description('all cards of the operator')
    .action(async (_, command: Command) =>
      printList(
        command,
        await listOperatorRates(),
        ['id', 'currency', 'effective_from', 'revision', 'state', 'age_days', 'markets_count', 'imported_by', 'imported_at', 'source'],
        'No rate card was imported yet.',
      ),
    );
  examples(
    noun
      .command('reopen')
      .description('let a card price months too that were closed before it was imported: a month is closed on the 10th of the next')
      .argument('<card>', 'its id, as rates list has it')
      .option('--company <id>', "a card of this company's own", asId),
    'rates reopen 2026-10-01-EUR-2',
  ).action(async (id: string, { company }: { company?: number }, command: Command) =>
    printRecord(command, withoutMarkets(await must(reopenForRates(id, company), company))),
  );
  noun
    .command('check')
    .description('which cards are in force, and which are old')
    .action(async (_, command: Command) => {
      const findings = await checkRates();
      process.stdout.write(wantsJson(command) ? `${JSON.stringify(findings, null, 2)}\n` : findingLines(findings));
    });
  return noun;
};

interface ImportOptions {
  currency?: string;
  from?: string;
  tiers?: string;
  markets?: string;
  source?: string;
  company?: number;
  force?: boolean;
}

/** The markets are in the file; a screen of them shows nothing. */
const withoutMarkets = (card: object) => Object.fromEntries(Object.entries(card).filter(([name]) => name !== 'markets'));

const imported = <T extends { stored: boolean; card: object }>({ card, stored, ...more }: T) => ({
  stored,
  ...withoutMarkets(card),
  ...more,
});

function asCurrency(value: string): string {
  if (!/^[A-Z]{3}$/.test(value)) throw new InvalidArgumentError('It must be a currency code such as EUR.');
  return value;
}

function asDay(value: string): string {
  if (!day.safeParse(value).success) throw new InvalidArgumentError('It must be a date such as 2026-10-01.');
  return value;
}
