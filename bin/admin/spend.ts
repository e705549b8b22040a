import { Command } from 'commander';
import { moneyText } from '../../functions/spend/service/money-text.ts';
import { giveBackFreed } from '../../functions/spend/service/freed-money.ts';
import { readCeilings } from '../../functions/spend/service/spend-accounts.ts';
import { examples, ofCompany } from './argument.ts';
import { printList } from './output.ts';

/** What ceilings have taken. */
export const spend = (): Command => {
  const noun = new Command('spend').description('what spend ceilings have taken');
  examples(noun, 'spend settle --company 1');
  examples(
    ofCompany(
      noun
        .command('settle')
        .description('give back at once what messages of this month were proven not to cost: those that failed, were free, or cost less'),
    ),
    'spend settle --company 1',
  ).action(async ({ company }: { company: number }, command: Command) => {
    await readCeilings(company);
    await giveBackFreed(company);
    const account = await readCeilings(company);
    const { currency = '', dayLimit, dayLeft, dayFreed = 0, monthLimit, monthLeft, monthFreed = 0 } = account ?? {};
    const periods = [
      { ceiling: 'day', of: account?.day ?? '', limit: dayLimit, left: dayLeft, freed: dayFreed },
      { ceiling: 'month', of: account?.month ?? '', limit: monthLimit, left: monthLeft, freed: monthFreed },
    ];
    printList(
      command,
      periods.flatMap(({ limit, left = 0, freed, ...period }) =>
        limit === undefined
          ? []
          : [{ ...period, limit: moneyText(limit), not_granted: moneyText(left), given_back: moneyText(freed), currency }],
      ),
      ['ceiling', 'of', 'limit', 'not_granted', 'given_back', 'currency'],
      'The company has no spend ceilings.',
    );
  });
  return noun;
};
