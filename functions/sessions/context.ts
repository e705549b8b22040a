import { context } from '../../shared/contract/context.ts';
import { reads, sendsTo, usesTable } from '../../shared/contract/resource.ts';
import { doorbellAddressVariable, doorbellHostVariable } from '../../shared/contract/doorbell.ts';
import { cursorKey, sealingKey } from '../../shared/contract/secret.ts';
import { verificationFiles } from '../verification/contract/files.ts';
import { codesQueue } from '../verification/contract/work.ts';
import { sessionRoutes } from './contract/session.ts';
import { passkeyRoutes } from './contract/passkey.ts';
import { journal } from './journal.ts';
import { reactions } from './reactions.ts';
import { restores } from './restores.ts';

/**
 * Sessions: how a user signs in with a page in a browser, and on which devices. A session is a credential like a token (shared/access), so
 * each call checks, counts and records it in the same one write, and ending it holds from the next call on. Its secret is in a cookie that
 * no script reads. See docs/decisions/sessions.md.
 */
export const sessionsContext = context({
  name: 'sessions',
  purpose: 'Sign-in of users with a browser',
  reactions,
  journal,
  restores,
  functions: [
    {
      name: 'sessions-http',
      entry: 'functions/sessions/http/sessions.ts',
      trigger: 'http',
      routes: sessionRoutes,
      apiPaths: ['/api/v1/sessions/{rest+}'],
      // to sign out everywhere ends passkeys
      mints: ['credential', 'passkey'],
      // a code is checked by the rules of verification
      files: verificationFiles,
      settings: { SITEVERIFY_URL: '', [doorbellAddressVariable]: '', [doorbellHostVariable]: '' },
      uses: [
        usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'),
        reads(sealingKey),
        reads(cursorKey),
        sendsTo(codesQueue),
      ],
    },
    { name: 'sessions-doorbell', entry: 'functions/sessions/worker.ts', trigger: 'authorizer', uses: [reads(cursorKey)], memoryMb: 256 },
    {
      name: 'sessions-passkeys',
      entry: 'functions/sessions/http/passkeys.ts',
      trigger: 'http',
      routes: passkeyRoutes,
      apiPaths: ['/api/v1/passkeys/{rest+}'],
      mints: ['credential', 'passkey'],
      uses: [usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'), reads(sealingKey)],
    },
  ],
});
