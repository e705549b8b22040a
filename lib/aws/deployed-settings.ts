import type { Stack } from 'aws-cdk-lib';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { settingsParameter } from './naming.ts';
import { parseSettings, type Settings } from './settings.ts';

export const storeSettings = (stack: Stack, settings: Settings): void => {
  const value = JSON.stringify(settings);
  if (value.length > 4_000) throw new Error('The settings have more than 4,000 characters: Parameter Store takes no more without a price.');
  new StringParameter(stack, 'Settings', {
    parameterName: settingsParameter(settings.stackName),
    description: 'The settings of this deployment, which the next one compares with its own',
    stringValue: value,
  });
};

/**
 * Why a deploy with these settings must not go on unnoticed: one that is set now would be dropped or changed. A setting that was at its default
 * may be set. `accepted`: names of settings whose change is meant.
 */
export const refusedChanges = (deployed: Settings, next: Settings, accepted: readonly string[]): string[] => {
  const defaults = parseSettings({});
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  return (Object.keys(deployed) as (keyof Settings)[])
    .filter((name) => !same(deployed[name], next[name]) && !same(deployed[name], defaults[name]) && !accepted.includes(name))
    .map((name) => {
      const now = JSON.stringify(deployed[name]);
      if (name === 'restoredTable' && next.restoredTable === undefined)
        return `restoredTable: the stack uses the restored table ${now}; without the setting a new, empty table would take its place.`;
      return `${name}: is ${now}, and would become ${JSON.stringify(next[name]) ?? 'unset'}.`;
    });
};

/**
 * Stops a deploy that would fail halfway: Lambda reserves nothing beyond the account's quota, which is 10 in a new account, and a first deploy is
 * rolled back. `quota`: undefined where it may not be read.
 */
export const assertQuota = ({ accountConcurrency }: Settings, quota: number | undefined): void => {
  if (quota === undefined || quota >= accountConcurrency) return;
  throw new Error(
    `Lambda runs ${quota} functions at once in this account, and accountConcurrency says ${accountConcurrency}: set it to ${quota} in ` +
      'stages/<name>.json, and request more from AWS before the first load (Service Quotas, AWS Lambda, Concurrent executions).',
  );
};

/** What stops a deploy whatever is deployed: emails from an address that is no one's. */
export const assertDeployable = ({ emailFrom }: Settings): void => {
  if (/[@.]example\.(com|org|net)$|\.(example|invalid|test)$/.test(emailFrom))
    throw new Error(`emailFrom is ${emailFrom}: set it to an address whose domain is a verified SES identity, in stages/<name>.json.`);
};
