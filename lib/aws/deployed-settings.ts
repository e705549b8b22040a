import type { Stack } from 'aws-cdk-lib';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { leastUnreserved } from './edges.ts';
import { settingsParameter } from './naming.ts';
import { parseSettings, type Settings, settingsSchema } from './settings.ts';

/** Stores what the stage sets for the next deploy to compare: a default is that release's own, and may change with the next. */
export const storeSettings = (stack: Stack, settings: Settings): void => {
  const defaults = parseSettings({});
  const set = Object.entries(settings).filter(([name, value]) => !isSame(value, defaults[name as keyof Settings]));
  const value = JSON.stringify(Object.fromEntries(set));
  if (value.length > 4_000) throw new Error('The settings have more than 4,000 characters: Parameter Store takes no more without a price.');
  new StringParameter(stack, 'Settings', {
    parameterName: settingsParameter(settings.stackName),
    description: 'The settings of this deployment, which the next one compares with its own',
    stringValue: value,
  });
};

/**
 * Reads what a deploy of another release stored. What this release does not know, or reads otherwise, is left out and named: neither the way
 * back to a release without a setting nor the way on from one with it may stop there.
 */
export const parseStoredSettings = (stored: string): { settings: Settings; leftOut: string[] } => {
  const given = Object.entries(JSON.parse(stored) as Record<string, unknown>);
  const isKnown = ([name, value]: [string, unknown]): boolean =>
    name in settingsSchema.shape && settingsSchema.shape[name as keyof Settings].safeParse(value).success;
  return {
    settings: settingsSchema.parse(Object.fromEntries(given.filter(isKnown))),
    leftOut: given.filter((each) => !isKnown(each)).map(([name]) => name),
  };
};

/**
 * Why a deploy with these settings must not go on unnoticed: one that is set now would be dropped or changed. A setting that was at its default
 * may be set. `accepted`: names of settings whose change is meant.
 */
export const refusedChanges = (deployed: Settings, next: Settings, accepted: readonly string[]): string[] => {
  const defaults = parseSettings({});
  return (Object.keys(deployed) as (keyof Settings)[])
    .filter((name) => !isSame(deployed[name], next[name]) && !isSame(deployed[name], defaults[name]) && !accepted.includes(name))
    .map((name) => {
      const now = JSON.stringify(deployed[name]);
      if (name === 'restoredTable' && next.restoredTable === undefined)
        return `restoredTable: the stack uses the restored table ${now}; without the setting a new, empty table would take its place.`;
      return `${name}: is ${now}, and would become ${JSON.stringify(next[name]) ?? 'unset'}.`;
    });
};

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** How many functions an account runs at once, and how many of them no function of any stack or product has reserved. */
export interface Concurrency {
  quota: number;
  unreserved: number;
}

/**
 * Stops a deploy that would fail halfway: Lambda reserves nothing beyond the account's quota, which is 10 in a new account and which all stages
 * in it share, and a first deploy is rolled back.
 *
 * @param account undefined where it may not be read
 * @param reserved what this stack has reserved now, and what it would reserve
 */
export const assertQuota = (
  { accountConcurrency }: Settings,
  account: Concurrency | undefined,
  reserved: { now: number; next: number },
): void => {
  if (account === undefined) return;
  const { quota, unreserved } = account;
  if (quota < accountConcurrency)
    throw new Error(
      `Lambda runs ${quota} functions at once in this account, and accountConcurrency says ${accountConcurrency}: set it to ${quota} in ` +
        'stages/<name>.json, and request more from AWS before the first load (Service Quotas, AWS Lambda, Concurrent executions).',
    );
  const left = unreserved + reserved.now;
  if (reserved.next === 0 || left - reserved.next >= leastUnreserved) return;
  throw new Error(
    `This stack would reserve ${reserved.next} concurrent executions, and of the ${quota} of this account ${left} are left: other stacks have ` +
      `reserved the rest, and AWS keeps ${leastUnreserved} unreserved. Set accountConcurrency of a test stage to 10, which reserves none, give the ` +
      'stage an account of its own, or request more from AWS (Service Quotas, AWS Lambda, Concurrent executions).',
  );
};

/**
 * Stops a first deploy with pages that CloudFront may refuse: it makes no distribution in an account that AWS has not verified, says so only when it
 * is to make one, and then the whole deploy is rolled back. `distributions`: how many the account has; undefined where that may not be read.
 */
export const assertSite = (distributions: number | undefined, accepted: readonly string[]): void => {
  if (distributions !== 0 || accepted.includes('site')) return;
  throw new Error(
    'This account has no distribution of CloudFront yet. Where AWS has not verified the account, CloudFront refuses the first one, and the whole first ' +
      'deploy is rolled back: deploy with -c site=false first, then as the stage says (or, if you know the account is verified, with -c accept=site).',
  );
};

/** What stops a deploy whatever is deployed: emails from an address that is no one's. */
export const assertDeployable = ({ emailFrom }: Settings): void => {
  if (/[@.]example\.(com|org|net)$|\.(example|invalid|test)$/.test(emailFrom))
    throw new Error(`emailFrom is ${emailFrom}: set it to an address whose domain is a verified SES identity, in stages/<name>.json.`);
};
