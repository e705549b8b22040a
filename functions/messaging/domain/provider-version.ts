import { currentVersion, daysUntilEnd, hasEnded, servedVersion, versionEnd } from '../../../shared/provider/versions.ts';
import type { Finding } from '../contract/finding.ts';

/** Below this many days a version's end is near: a change of version wants a test first. */
const nearDays = 90;

/** The versions that a number's calls name, and those that it gets. */
export interface VersionsInUse {
  /** The version of the number's calls. */
  requested: string;
  /** By the header of an answer; undefined: it had none. */
  served: string | undefined;
  /** The oldest of the versions in which the app's webhooks come; undefined: not read. */
  webhooks: string | undefined;
}

/** What an operator has to know of the provider's versions that a number uses, at a time in epoch milliseconds. */
export const evaluateVersions = ({ requested, served, webhooks }: VersionsInUse, at: number): Finding[] => {
  const really = served ?? servedVersion(requested, at);
  const calls = evaluateVersion(
    { name: `Version ${requested} of the provider's API, which calls name,`, version: requested, really, remedy: update },
    at,
  );
  const differs = calls.length === 0 && really !== requested;
  return [
    ...calls,
    ...(differs
      ? [
          {
            level: 'doubtful' as const,
            message: `Calls name version ${requested} of the provider's API and are served by ${really}.`,
            remedy: update,
          },
        ]
      : []),
    ...(webhooks === undefined
      ? []
      : evaluateVersion(
          {
            name: `Version ${webhooks}, in which the app's webhooks come,`,
            version: webhooks,
            really: servedVersion(webhooks, at),
            remedy: 'Choose a newer version for the fields in the app’s webhook settings.',
          },
          at,
        )),
  ];
};

interface Used {
  name: string;
  version: string;
  really: string;
  remedy: string;
}

function evaluateVersion({ name, version, really, remedy }: Used, at: number): Finding[] {
  if (hasEnded(version, at)) {
    const end = versionEnd(version);
    const ended = end === undefined ? 'has ended' : `ended on ${end}`;
    return [{ level: 'wrong', message: `${name} ${ended}: the provider serves ${really} in its place.`, remedy }];
  }
  const days = daysUntilEnd(version, at);
  if (days === undefined || days >= nearDays) return [];
  return [{ level: 'doubtful', message: `${name} ends on ${versionEnd(version)}, in ${days} days.`, remedy }];
}

const update = `numbers update with --provider-version ${currentVersion}.`;
