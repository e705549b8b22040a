import { context } from '../../shared/contract/context.ts';
import { usesTable } from '../../shared/contract/resource.ts';
import { routes } from './contract.ts';

/**
 * Account: companies with plan and settings, users, credentials (personal, ERP and webhook tokens, verification keys), business numbers and
 * verification profiles.
 *
 * The API has one operation of it, GET /me (A1). The command line (bin/admin.ts) and other contexts use `service/`, one file per aggregate,
 * so that a hot path imports only the file it needs.
 *
 * - A secret is shown once. Tokens are stored as SHA-256 (shared/access); secrets that must be read again are sealed (shared/runtime/seal.ts).
 * - A credential's item has a copy of everything a call needs to know about its caller. A changed role or a suspension is therefore written
 *   to the credentials too, and takes effect with the next call.
 */
export const accountContext = context({
  name: 'account',
  purpose: 'Companies, users, credentials, business numbers, verification profiles',
  functions: [
    {
      name: 'account-http',
      entry: 'functions/account/http.ts',
      trigger: 'http',
      routes,
      uses: [usesTable('GetItem', 'Query', 'UpdateItem')],
    },
  ],
});
