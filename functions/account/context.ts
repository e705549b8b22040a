import { context } from '../../shared/contract/context.ts';
import { reads, usesTable } from '../../shared/contract/resource.ts';
import { cursorKey, sealingKey } from '../../shared/contract/secret.ts';
import { numberUpdated } from './contract/number-view.ts';
import { receiverUrls } from './contract/machine-token.ts';
import { accountRoutes } from './contract/routes.ts';
import { numberRoutes } from './contract/number-routes.ts';
import { projections } from './projections.ts';
import { reactions } from './reactions.ts';
import { recounts } from './recounts.ts';

/**
 * Account: companies with plan and settings, users, credentials (personal, ERP and webhook tokens, verification keys), business numbers and
 * verification profiles.
 *
 * Its users manage it over the API: settings, users, tokens, machine tokens, numbers. What creates, suspends or restores a company is the operator's, at the
 * command line (bin/admin.ts). Other contexts use `service/`, one file per aggregate, so that a hot path imports only the file it needs.
 *
 * - A secret is shown once. Tokens are stored as SHA-256 (shared/access); secrets that must be read again are sealed (shared/runtime/seal.ts).
 * - Items of these aggregates store who wrote them last. A reaction makes an audit entry of each change, and GET /audit lists them.
 * - A credential's item has a copy of everything a call needs to know about its caller. A changed role or a suspension is therefore written
 *   to the credentials too, and takes effect with the next call.
 */
export const accountContext = context({
  name: 'account',
  purpose: 'Companies, users, credentials, business numbers, verification profiles',
  events: [numberUpdated],
  reactions,
  projections,
  recounts,
  functions: [
    {
      name: 'account-http',
      entry: 'functions/account/http.ts',
      trigger: 'http',
      routes: accountRoutes,
      apiPaths: ['/api/v1/users/{rest+}', '/api/v1/tokens/{rest+}', '/api/v1/machine-tokens/{rest+}'],
      mints: ['credential'],
      urls: receiverUrls,
      uses: [
        usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'),
        reads(cursorKey),
        reads(sealingKey),
      ],
    },
    {
      name: 'account-numbers',
      entry: 'functions/account/http/numbers.ts',
      trigger: 'http',
      routes: numberRoutes,
      apiPaths: ['/api/v1/numbers/{rest+}'],
      mints: ['credential'],
      urls: { MESSAGING_RECEIVER_BASE_URL: receiverUrls.MESSAGING_RECEIVER_BASE_URL },
      // to connect calls the provider, is called by it, and reads its templates
      timeoutSeconds: 29,
      settings: { PROVIDER_BASE_URL: 'https://graph.facebook.com' },
      uses: [usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'), reads(sealingKey)],
    },
  ],
});
