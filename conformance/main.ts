#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { type CheckGroup, checkGroups } from './check.ts';
import { checkDeployment, type CheckResult, type ConformanceOptions, type ConformanceReport, Unusable } from './runner.ts';

const help = `Checks that a deployment of Switchboard answers as its API is documented.

  npx switchboard-conformance --base https://api.example.com --token swb_...

  --base URL          the address of the deployment
  --token TOKEN       a personal access token; or the variable SWITCHBOARD_TOKEN, which no list of processes shows.
                      Needs the scopes contacts:read and contacts:write; webhooks:manage for webhooks
  --receiver URL      an address of the public internet that leads to this computer, for webhooks. Not needed where the
                      deployment runs on this computer
  --receiver-port N   the port at which it arrives here (default: a free one, with --receiver 8080)
  --send-to PHONE     a phone that may get test messages. Without it no message is sent
  --reach-limit       also use up the CRM calls of this token for a minute, to see 429
  --only GROUP        check this group alone, may be repeated: ${checkGroups.join(', ')}
  --timeout SECONDS   how long to wait for an answer or a webhook (default 30)
  --json              the report as JSON
  --help              this text

It makes contacts with phones of +44 7700 900000 to 900999, which belong to no person, and webhook endpoints, and removes
them. It changes and sends nothing else.

Exit code: 0 all that was checked holds, 1 something does not, 2 nothing could be checked (wrong options, no answer, a
refused token).
`;

class WrongUsage extends Error {}

const optionNames = {
  base: { type: 'string' },
  token: { type: 'string' },
  receiver: { type: 'string' },
  'receiver-port': { type: 'string' },
  'send-to': { type: 'string' },
  'reach-limit': { type: 'boolean' },
  only: { type: 'string', multiple: true },
  timeout: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

async function main(args: string[]): Promise<number> {
  try {
    const { values } = parsed(args);
    if (values.help) {
      process.stdout.write(help);
      return 0;
    }
    const options = optionsOf(values);
    const print = values.json ? () => undefined : (result: CheckResult): void => void process.stdout.write(`${lineOf(result)}\n`);
    const report = await checkDeployment(options, print);
    process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : summaryOf(report));
    return report.failed > 0 ? 1 : 0;
  } catch (error) {
    if (!(error instanceof WrongUsage) && !(error instanceof Unusable)) throw error;
    process.stderr.write(`${error.message}\n${error instanceof WrongUsage ? 'See --help.\n' : ''}`);
    return 2;
  }
}

function parsed(args: string[]) {
  try {
    return parseArgs({ args, options: optionNames, strict: true });
  } catch (error) {
    throw new WrongUsage(error instanceof Error ? error.message : String(error));
  }
}

function optionsOf(values: ReturnType<typeof parsed>['values']): ConformanceOptions {
  const { base, token = process.env['SWITCHBOARD_TOKEN'], receiver, timeout = '30', only = [] } = values;
  if (base === undefined) throw new WrongUsage('--base is missing: the address of the deployment.');
  if (!isAddress(base)) throw new WrongUsage(`--base ${base} is no http or https address.`);
  if (token === undefined || token === '') throw new WrongUsage('--token is missing, and SWITCHBOARD_TOKEN is not set.');
  if (receiver !== undefined && !isAddress(receiver)) throw new WrongUsage(`--receiver ${receiver} is no http or https address.`);
  const port = values['receiver-port'] ?? (receiver === undefined ? '0' : '8080');
  if (!/^\d{1,5}$/.test(port)) throw new WrongUsage(`--receiver-port ${port} is no port.`);
  if (!(Number(timeout) > 0)) throw new WrongUsage(`--timeout ${timeout} is no number of seconds.`);
  const unknown = only.find((name) => !isGroup(name));
  if (unknown !== undefined) throw new WrongUsage(`--only ${unknown}: the groups are ${checkGroups.join(', ')}.`);
  return {
    base,
    token,
    receiver,
    receiverPort: Number(port),
    sendTo: values['send-to'],
    reachLimit: values['reach-limit'] === true,
    groups: only.length > 0 ? only.filter(isGroup) : checkGroups,
    timeoutMs: Number(timeout) * 1_000,
  };
}

const isGroup = (name: string): name is CheckGroup => (checkGroups as readonly string[]).includes(name);

const isAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

const signs: Readonly<Record<CheckResult['outcome'], string>> = { passed: 'ok  ', failed: 'FAIL', 'not checked': '-   ' };

const lineOf = ({ outcome, group, title, reason }: CheckResult): string =>
  `${signs[outcome]} ${group}: ${title}${reason === undefined ? '' : `\n       ${outcome === 'failed' ? 'expected that ' : 'not checked: '}${reason}`}`;

const summaryOf = ({ passed, failed, notChecked, base, company }: ConformanceReport): string =>
  `\n${base}, ${company}: ${passed} passed, ${failed} failed, ${notChecked} not checked\n`;

process.exitCode = await main(process.argv.slice(2));
