import { Command } from 'commander';
import type { CompanyRecord } from '../../functions/account/contract/record.ts';
import { listCompanies } from '../../functions/account/service/companies.ts';
import { checkRates } from '../../functions/spend/service/operator-rates.ts';
import { asId, examples } from './argument.ts';
import { type Inspection, inspectCompanies, inspectSameNames, inspectSharedNumbers } from './doctor/company.ts';
import { inspectDeployment } from './doctor/deployment.ts';
import { Failure } from './failure.ts';
import { findingLines } from './findings.ts';
import { wantsJson } from './output.ts';
import { Progress } from './progress.ts';

/** Reports what is wrong with a deployment, its companies and their numbers, with remedies. Changes nothing. */
export const doctor = (): Command =>
  examples(
    new Command('doctor')
      .description('check the deployment and the setup of numbers; changes nothing')
      .option('--company <id>', 'one company only', asId),
    'doctor',
    'doctor --stack switchboard --company 1',
  ).action(async ({ company: only }: { company?: number }, command: Command) => {
    const { stack } = command.optsWithGlobals<{ stack?: string }>();
    const checks: Inspection[] = [{ about: 'deployment', findings: [...(await inspectDeployment(stack)), ...(await checkRates())] }];
    const all = await listCompanies();
    const companies = all.filter(({ id }) => only === undefined || id === only);
    if (only !== undefined && companies.length === 0) throw new Failure(`There is no company ${only}.`);
    checks.push(...(await inspectWithProgress(companies)));
    checks.push(...(await inspectSharedNumbers(all, only)), ...inspectSameNames(all, only));
    print(command, checks);
    const wrong = checks.flatMap(({ findings }) => findings).filter(({ level }) => level === 'wrong').length;
    if (wrong > 0) throw new Failure(`${wrong} ${wrong === 1 ? 'thing is' : 'things are'} wrong.`);
  });

/** Companies that wait for a provider take seconds each: a terminal shows how many are done. */
async function inspectWithProgress(companies: readonly CompanyRecord[]): Promise<Inspection[]> {
  const progress = new Progress();
  try {
    return await inspectCompanies(companies, (done) => progress.show(done, companies.length, `${done} of ${companies.length} companies`));
  } finally {
    progress.end();
  }
}

function print(command: Command, checks: readonly Inspection[]): void {
  if (wantsJson(command)) return void process.stdout.write(`${JSON.stringify(checks, null, 2)}\n`);
  for (const { about, findings } of checks) process.stdout.write(`${about}\n${findingLines(findings)}`);
}
