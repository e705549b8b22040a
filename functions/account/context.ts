import { context } from '../../shared/contract/context.ts';
import { reads, usesTable } from '../../shared/contract/resource.ts';
import { cursorKey } from '../../shared/contract/secret.ts';
import { routes } from './contract.ts';
import { auditRoutes } from './contract/audit.ts';
import { projections } from './projections.ts';
import { reactions } from './reactions.ts';
import { recounts } from './recounts.ts';

/**
 * Account: companies with plan and settings, users, credentials (personal, ERP and webhook tokens, verification keys), business numbers and
 * verification profiles.
 *
 * The API has two operations of it, GET /me (A1) and GET /audit. The command line (bin/admin.ts) and other contexts use `service/`, one file per aggregate,
 * so that a hot path imports only the file it needs.
 *
 * - A secret is shown once. Tokens are stored as SHA-256 (shared/access); secrets that must be read again are sealed (shared/runtime/seal.ts).
 * - Items of these aggregates store who wrote them last. A reaction makes an audit entry of each change, and GET /audit lists them.
 * - A credential's item has a copy of everything a call needs to know about its caller. A changed role or a suspension is therefore written
 *   to the credentials too, and takes effect with the next call.
 */
export const accountContext = context({
  name: 'account',
  purpose: 'Companies, users, credentials, business numbers, verification profiles',
  reactions,
  projections,
  recounts,
  functions: [
    {
      name: 'account-http',
      entry: 'functions/account/http.ts',
      trigger: 'http',
      routes: { ...routes, ...auditRoutes },
      uses: [usesTable('BatchGetItem', 'Query', 'UpdateItem'), reads(cursorKey)],
    },
  ],
});
