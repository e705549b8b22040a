import { type Receiver, receiverPath } from '../../functions/account/contract/receiver.ts';
import { listLatestAuditEntries } from '../../functions/account/service/audit.ts';
import { checkNumber } from '../../functions/administration/service/check-number.ts';
import { getCompanyRecord, listCompanies, updateCompany } from '../../functions/account/service/companies.ts';
import { connectNumber } from '../../functions/administration/service/connect-number.ts';
import * as machineTokens from '../../functions/account/service/machine-tokens.ts';
import * as numbers from '../../functions/account/service/numbers.ts';
import * as tokens from '../../functions/account/service/tokens.ts';
import { getUsage } from '../../functions/administration/service/usage.ts';
import * as users from '../../functions/account/service/users.ts';
import { isProblem } from '../../shared/contract/problems.ts';
import type { AccountAccess, MachineSecret, Outcome, Secret } from './account.ts';
import { inspectSharedNumbers } from './doctor/company.ts';
import { Failure, UsageError } from './failure.ts';
import { receiverUrl } from './target.ts';

/** The account of a company by the services on the table, which is the operator's way. */
export function accountOnTable(companyId: number): AccountAccess {
  const withSecret = async (issued: Outcome<tokens.IssuedToken>): Outcome<Secret> => {
    const outcome = await issued;
    return isProblem(outcome) ? outcome : { ...outcome.token, secret: outcome.secret };
  };
  const withUrl = async (issued: Outcome<tokens.IssuedToken>): Outcome<MachineSecret> => {
    const outcome = await withSecret(issued);
    return isProblem(outcome) ? outcome : { ...outcome, url: webhookUrl(outcome.receiver ?? 'custom', outcome.secret) };
  };
  return {
    getCompany: () => getCompanyRecord(companyId),
    updateCompany: (changes) => updateCompany(companyId, changes),
    listUsers: () => users.listUsers(companyId),
    createUser: (input) => users.createUser(companyId, input),
    updateUser: (id, changes, options) => users.updateUser(companyId, id, changes, options),
    listTokens: (userId) => tokens.listCompanyTokens(companyId, userId),
    createToken: (input) => withSecret(tokens.issueToken(companyId, input)),
    rotateToken: (id, overlapHours) => withSecret(tokens.rotateCompanyToken(companyId, id, overlapHours)),
    revokeToken: (id) => tokens.revokeCompanyToken(companyId, id),
    listMachineTokens: (kind) => machineTokens.listMachineCredentials(companyId, kind),
    createMachineToken: ({ kind, receiver, ...input }) =>
      withUrl(
        kind === 'webhook_token' && receiver !== undefined
          ? machineTokens.issueWebhookToken(companyId, { receiver, ...input })
          : machineTokens.issueErpToken(companyId, input),
      ),
    rotateMachineToken: (kind, id, overlapHours) => withUrl(machineTokens.rotateMachineCredential(companyId, kind, id, overlapHours)),
    setSharedSecret: (kind, id, secret) => machineTokens.setSharedSecret(companyId, kind, id, secret),
    revokeMachineToken: (kind, id) => machineTokens.revokeMachineCredential(companyId, kind, id),
    listNumbers: () => numbers.listNumbers(companyId),
    addNumber: (input) => numbers.addNumber(companyId, input),
    updateNumber: (id, changes) => numbers.updateNumber(companyId, id, changes),
    rotateNumberSecrets: (id, secrets) => numbers.rotateNumberSecrets(companyId, id, secrets),
    checkNumber: (id) => checkNumber(companyId, id),
    connectNumber: async (id, pin) => {
      if (!/^https?:/.test(webhookUrl('messaging', '')))
        throw new UsageError('The address of the receiver is not known: use --stack instead of --table.');
      const [shared] = (await inspectSharedNumbers(await listCompanies(), companyId)).flatMap(({ findings }) => findings);
      if (shared) throw new Failure(`${shared.message}\n-> ${shared.remedy}`);
      return connectNumber(companyId, id, { webhookUrl: (token) => webhookUrl('messaging', token), pin });
    },
    getUsage: (range) => getUsage(companyId, range),
    listAuditEntries: (count) => listLatestAuditEntries(companyId, count),
  };
}

/** The address that a sender posts to. */
const webhookUrl = (receiver: Receiver | 'custom', token: string): string =>
  receiverUrl(
    receiver === 'custom' ? 'shop-custom' : receiver === 'messaging' ? 'messaging-webhook' : 'shop-webhook',
    receiverPath(receiver, token),
  );
