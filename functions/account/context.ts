import { context } from '../../shared/contract/context.ts';
import { accountChanged } from './contract/audit.ts';
import { numberUpdated } from './contract/number-view.ts';
import { journal } from './journal.ts';
import { projections } from './projections.ts';
import { reactions } from './reactions.ts';
import { recounts } from './recounts.ts';
import { restores } from './restores.ts';

/**
 * Account: companies with plan and settings, users, credentials (personal, ERP and webhook tokens, verification keys), business numbers and
 * verification profiles.
 *
 * Its users manage it over the API of administration: settings, users, tokens, machine tokens, numbers. What creates, suspends or restores a company is
 * the operator's, at the command line (bin/admin.ts). Other contexts use `service/`, one file per aggregate, so that a hot path imports only the file it needs.
 *
 * - A secret is shown once. Tokens are stored as SHA-256 (shared/access); secrets that must be read again are sealed (shared/runtime/seal.ts).
 * - Items of these aggregates store who wrote them last. A reaction makes an audit entry of each change, and GET /audit lists them.
 * - A credential's item has a copy of everything a call needs to know about its caller. A changed role or a suspension is therefore written
 *   to the credentials too, and takes effect with the next call.
 */
export const accountContext = context({
  name: 'account',
  purpose: 'Companies, users, credentials, numbers, the audit log: what the other contexts stand on',
  journal,
  restores,
  events: [numberUpdated],
  logged: [accountChanged],
  reactions,
  projections,
  recounts,
  functions: [],
});
