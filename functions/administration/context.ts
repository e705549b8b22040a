import { context } from '../../shared/contract/context.ts';
import { reads, usesTable } from '../../shared/contract/resource.ts';
import { cursorKey, sealingKey } from '../../shared/contract/secret.ts';
import { providerDialog } from '../../shared/provider/dialog.ts';
import { receiverUrls } from '../account/contract/machine-token.ts';
import { numbersApiRoutes } from './contract/numbers-api.ts';
import { accountRoutes } from './contract/routes.ts';
import { journal } from './journal.ts';
import { restores } from './restores.ts';

/**
 * Administration: what a company and the operator do to the account, where it concerns other contexts. A number is connected at the provider, a suspension
 * reaches sends and deliveries, a profile counts pipelines. It is above all contexts that it needs; none imports it. Its functions answer
 * every operation of the account, since API Gateway leads each path to one function.
 */
export const administrationContext = context({
  name: 'administration',
  chapter: 'account',
  purpose: 'Companies, users, credentials, business numbers, verification profiles',
  journal,
  restores,
  functions: [
    {
      name: 'account-http',
      entry: 'functions/administration/http/company.ts',
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
      entry: 'functions/administration/http/numbers.ts',
      trigger: 'http',
      routes: numbersApiRoutes,
      apiPaths: ['/api/v1/numbers/{rest+}', '/api/v1/apps/{rest+}', '/api/v1/signups/{rest+}'],
      mints: ['credential', 'provider-holder'],
      urls: { MESSAGING_RECEIVER_BASE_URL: receiverUrls.MESSAGING_RECEIVER_BASE_URL },
      // to connect calls the provider, is called by it, and reads its templates
      timeoutSeconds: 29,
      settings: {
        PROVIDER_BASE_URL: 'https://graph.facebook.com',
        PROVIDER_VERSION: 'v19.0',
        // the dialog of the provider: its script, and the origins of its messages
        SIGNUP_SCRIPT_URL: providerDialog.scriptUrl,
        SIGNUP_ORIGINS: providerDialog.origins.join(','),
      },
      uses: [
        usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'),
        reads(cursorKey),
        reads(sealingKey),
      ],
    },
  ],
});
