import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import type { Finding } from '../../messaging/contract/finding.ts';
import * as atProvider from '../../messaging/service/connect-number.ts';
import { syncAccount, type SyncTimeLimits } from '../../templates/service/sync-account.ts';

export interface ConnectedNumber {
  /** False: nothing was connected, the findings say why. */
  isConnected: boolean;
  /** The token of the new webhook URL; undefined: there is none, because nothing was connected or companies share the app. */
  webhookTokenId: number | undefined;
  formerTokenIds: number[];
  /** Undefined: they were not read. */
  templateCount: number | undefined;
  findings: Finding[];
}

/** Connects a number at the provider, and fetches the templates of its account. `timeLimits`: of the templates; by default those of a worker. */
export const connectNumber = async (
  companyId: number,
  id: number,
  { timeLimits, ...options }: atProvider.ConnectOptions & { timeLimits?: SyncTimeLimits },
): Promise<ConnectedNumber | Problem<'not_found' | 'validation_failed' | 'conflict'>> => {
  const connected = await atProvider.connectAtProvider(companyId, id, options);
  if (isProblem(connected)) return connected;
  if ('refused' in connected)
    return { isConnected: false, webhookTokenId: undefined, formerTokenIds: [], templateCount: undefined, findings: [connected.refused] };
  const synced = await syncAccount(companyId, timeLimits);
  const { webhookTokenId, formerTokenIds, findings } = connected;
  const isWhole = !isProblem(synced) && synced.isWhole;
  const templates: Finding = isWhole
    ? { level: 'ok', message: `${synced.synced} templates are there.` }
    : { level: 'wrong', message: 'The templates of the account could not all be fetched.', remedy: 'templates sync.' };
  return {
    isConnected: true,
    webhookTokenId,
    formerTokenIds,
    templateCount: isWhole ? synced.synced : undefined,
    findings: [...findings, templates],
  };
};

/** Of an HTTP request, after what is done at the provider. */
export const connectTimeLimits: SyncTimeLimits = { readingMs: 10_000, workingMs: 14_000 };
