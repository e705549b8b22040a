import { firstChecks, lastChecks } from './basic-checks.ts';
import type { Check, CheckGroup, CheckRun } from './check.ts';
import { at, deploymentAt, Nonconformity, NotChecked, shownAnswer } from './deployment.ts';
import { startWebhookReceiver } from './receiver.ts';
import { testContactsOf } from './test-contacts.ts';
import { webhookChecks } from './webhook-checks.ts';
import { writeChecks } from './write-checks.ts';

export const allChecks: readonly Check[] = [...firstChecks, ...writeChecks, ...webhookChecks, ...lastChecks];

export interface ConformanceOptions {
  base: string;
  token: string;
  /** An address that leads to `receiverPort` of this computer. */
  receiver?: string | undefined;
  receiverPort: number;
  sendTo?: string | undefined;
  reachLimit: boolean;
  groups: readonly CheckGroup[];
  timeoutMs: number;
}

export interface CheckResult {
  id: string;
  group: CheckGroup;
  title: string;
  outcome: 'passed' | 'failed' | 'not checked';
  /** Why it failed or was not checked. */
  reason?: string;
  durationMs: number;
}

export interface ConformanceReport {
  base: string;
  company: string;
  startedAt: string;
  passed: number;
  failed: number;
  notChecked: number;
  checks: CheckResult[];
}

/** The deployment does not answer, or refuses the token: there is nothing to report. */
export class Unusable extends Error {}

/** Runs the checks one after another, and removes what they made. `report` gets each result as it comes. */
export async function checkDeployment(
  options: ConformanceOptions,
  report: (result: CheckResult) => void = () => undefined,
): Promise<ConformanceReport> {
  const deployment = deploymentAt(options);
  const company = await companyOf(deployment);
  const startedAt = new Date().toISOString();
  const contacts = testContactsOf(deployment);
  await using receiver = canReceive(options) ? await startWebhookReceiver(options.receiverPort, options.receiver) : undefined;
  const run: CheckRun = { ...options, sendTo: options.sendTo, deployment, contacts, receiver };
  const checks: CheckResult[] = [];
  const add = (result: CheckResult): void => {
    checks.push(result);
    report(result);
  };
  try {
    for (const check of allChecks) if (options.groups.includes(check.group)) add(await resultOf(check, run));
  } finally {
    const left = await contacts.deleteAll();
    if (left.length > 0)
      add({
        id: 'removal',
        group: 'envelopes',
        title: 'what was made is removed',
        outcome: 'failed',
        reason: left.join('; '),
        durationMs: 0,
      });
  }
  const count = (outcome: CheckResult['outcome']): number => checks.filter((each) => each.outcome === outcome).length;
  return {
    base: options.base,
    company,
    startedAt,
    passed: count('passed'),
    failed: count('failed'),
    notChecked: count('not checked'),
    checks,
  };
}

/** A deployment on this computer reaches the loopback address; any other needs an address that leads here. */
const canReceive = ({ base, receiver }: ConformanceOptions): boolean =>
  receiver !== undefined || ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(base).hostname);

async function companyOf(deployment: CheckRun['deployment']): Promise<string> {
  const answer = await deployment.call({ path: '/api/v1/me' }).catch((error: unknown) => {
    throw new Unusable(`It does not answer: ${reasonOf(error)}`);
  });
  if (answer.status === 401 || answer.status === 403) throw new Unusable(`It refuses the token: ${shownAnswer(answer)}`);
  if (answer.status !== 200) throw new Unusable(`GET /api/v1/me answers ${shownAnswer(answer)}. Is --base the address of the API?`);
  const name = at(answer.body, 'data', 'company_name');
  return typeof name === 'string' ? name : '';
}

async function resultOf({ id, group, title, run }: Check, given: CheckRun): Promise<CheckResult> {
  const start = performance.now();
  const end = (outcome: CheckResult['outcome'], reason?: string): CheckResult => ({
    id,
    group,
    title,
    outcome,
    ...(reason === undefined ? {} : { reason }),
    durationMs: Math.round(performance.now() - start),
  });
  try {
    await run(given);
    return end('passed');
  } catch (error) {
    if (error instanceof NotChecked) return end('not checked', error.message);
    return end('failed', error instanceof Nonconformity ? error.message : `the call failed: ${reasonOf(error)}`);
  }
}

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
};
