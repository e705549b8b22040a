import { randomBytes } from 'node:crypto';
import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { hourMs, minuteMs, now } from '../../../shared/runtime/clock.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { log } from '../../../shared/runtime/log.ts';
import { sameSecret, seal } from '../../../shared/runtime/seal.ts';
import { newToken } from '../../../shared/access/token.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { type Connection, connectionEntityName } from '../contract/connection.ts';
import type { ConnectionRecord } from '../contract/connection-routes.ts';
import { tokenContext, connectionRecordOf } from '../domain/connection.ts';
import { consentUrl, isSignedByPlatform, missingScopes, parseShopDomain } from '../domain/installation.ts';
import { appCredentials, exchangeCode, shopRoot } from '../gateway/storeplatform.ts';
import {
  createInstallation,
  createConnection,
  getConnectionRow,
  getInstallation,
  getShopDomain,
  deleteInstallation,
} from '../store/connection.ts';

/**
 * Installation of the store platform's app by its authorization code grant: a signed query, a single-use state bound to the browser for ten
 * minutes, and a code for an expiring offline token. The user then signs in to a company and claims the store for it.
 */
export interface StartedInstallation {
  location: string;
  /** The cookie value that binds the state to this browser. */
  browser: string;
}

export const browserCookie = 'swb_install';

export const startInstallation = async (
  query: URLSearchParams,
  callbackUrl: string,
): Promise<StartedInstallation | Problem<'installation_refused'>> => {
  const { clientId, secrets } = await appCredentials();
  const shop = parseShopDomain(query.get('shop'));
  const at = now();
  if (shop === undefined || !isSignedByPlatform(query, secrets, at)) return problem('installation_refused');
  const [state, browser] = [random(), random()];
  await createInstallation({ hash: sha256(`state:${state}`), shop, browserHash: sha256(browser), endsAt: at + stateLifeMs });
  return { location: consentUrl(shopRoot(shop), { clientId, redirectUri: callbackUrl, state }), browser };
};

export interface FinishedInstallation {
  shop: string;
  claim: string;
}

/**
 * Handles the redirect back from the consent page: exchanges the code and stores the sealed tokens for an hour, to be claimed by a company.
 */
export const finishInstallation = async (
  query: URLSearchParams,
  browser: string | undefined,
): Promise<FinishedInstallation | Problem<'installation_refused' | 'temporarily_unavailable'>> => {
  const { secrets } = await appCredentials();
  const [shop, code, state] = [parseShopDomain(query.get('shop')), query.get('code'), query.get('state')];
  const at = now();
  if (shop === undefined || !code || !state || !isSignedByPlatform(query, secrets, at)) return problem('installation_refused');
  const hash = sha256(`state:${state}`);
  const started = await getInstallation(hash);
  const isSameBrowser = started?.browserHash !== undefined && sameSecret(started.browserHash, sha256(browser ?? ''));
  if (started?.shop !== shop || !isSameBrowser || !(await deleteInstallation(hash))) return problem('installation_refused');
  const tokens = await exchangeCode(shop, code);
  if (tokens === 'unavailable') return problem('temporarily_unavailable', { retryAfterSeconds: 5 });
  if (tokens === 'refused') return problem('installation_refused', { message: 'The store platform did not accept the code.' });
  const missing = missingScopes(tokens.scopes);
  if (missing.length > 0) return problem('installation_refused', { message: `These permissions were not given: ${missing.join(', ')}.` });
  const claim = random();
  await createInstallation({
    hash: sha256(`claim:${claim}`),
    shop,
    sealedAccess: await seal(tokens.access, tokenContext(shop)),
    ...(tokens.refresh === undefined ? {} : { sealedRefresh: await seal(tokens.refresh, tokenContext(shop)) }),
    ...(tokens.lifeSeconds === undefined ? {} : { accessEndsAt: at + tokens.lifeSeconds * 1_000 }),
    scopes: tokens.scopes,
    endsAt: at + claimLifeMs,
  });
  return { shop, claim };
};

/**
 * Connects the claimed store to the caller's company. A store of another company stays connected there until that company disconnects it.
 */
export const claimConnection = async (
  companyId: number,
  { claim, shop: shown }: { claim: string; shop?: string | undefined },
): Promise<ConnectionRecord | Problem<'validation_failed' | 'conflict'>> => {
  const hash = sha256(`claim:${claim}`);
  const attempt = async (): Promise<ConnectionRecord | Problem<'validation_failed' | 'conflict'> | typeof conflict> => {
    const waiting = await getInstallation(hash);
    if (waiting?.sealedAccess === undefined) return invalid('claim', 'The claim is unknown, used or expired. Install the app again.');
    const { shop, sealedAccess, sealedRefresh, accessEndsAt, scopes = [] } = waiting;
    if (shown !== undefined && shown !== shop) return invalid('shop', 'The claim is of another store. Install the app again.');
    const owner = await getShopDomain(shop);
    const held = owner && (await getConnectionRow(owner.companyId, owner.connectionId));
    const isForeign = owner !== undefined && owner.companyId !== companyId;
    if (isForeign && held?.status === 'active') return problem('conflict', { message: 'This store is connected to another company.' });
    const mine = isForeign ? undefined : held;
    const at = now();
    const formerReceivers = [...(mine?.formerReceivers ?? []), mine?.sealedReceiver].filter((sealed) => sealed !== undefined);
    const connection: Connection = {
      companyId,
      id: mine?.id ?? (await nextIds(companyId, connectionEntityName, 1)),
      shop,
      status: 'active',
      scopes,
      sealedAccess,
      ...(sealedRefresh === undefined ? {} : { sealedRefresh }),
      ...(accessEndsAt === undefined ? {} : { accessEndsAt }),
      sealedReceiver: await seal(newToken('webhook_token'), tokenContext(shop)),
      ...(formerReceivers.length === 0 ? {} : { formerReceivers }),
      ...(mine?.currency === undefined ? {} : { currency: mine.currency }),
      connectedAt: at,
      rev: mine ? mine.rev + 1 : 0,
      updatedAt: at,
    };
    if (await createConnection(connection, owner, hash)) {
      log.info('A store was connected', { company_id: companyId });
      return connectionRecordOf(connection);
    }
    return conflict;
  };
  return retryOnConflict(5, attempt, () => problem('conflict'));
};

const stateLifeMs = 10 * minuteMs;
const claimLifeMs = hourMs;

const random = (): string => randomBytes(32).toString('base64url');
