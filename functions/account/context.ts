import { context } from '../../shared/contract/context.ts';
import { usesTable } from '../../shared/contract/resource.ts';
import { routes } from './contract.ts';

/**
 * Account: who may use the platform, and as what. Companies with their plan and settings, their people, the credentials of people and
 * machines (personal, ERP and webhook tokens, verification keys), the business numbers, the verification profiles.
 *
 * The API shows one thing of it, GET /me (decision A1). Everything else is done by the operator's command line (bin/admin.ts) and by
 * other contexts through `service/`, one file per aggregate; a hot path imports only the file that it needs.
 *
 * - A secret is shown once. Tokens are kept as SHA-256 (shared/access), what must be read again is sealed (shared/runtime/seal.ts).
 * - What a call must know of its caller is copied into the credential's own item, so a change of role and a suspension write to the
 *   credentials too: they hold from the next call.
 */
export const accountContext = context({
  name: 'account',
  purpose: 'Companies, people, credentials, business numbers, verification profiles',
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
