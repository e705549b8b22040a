import { credentialEntity } from '../../../shared/access/credential.ts';
import type { TransactionPart } from '../../../shared/table/transaction.ts';
import { appSubject } from '../contract/provider-app.ts';

/** Lets the receiver of an app in. `companyId`: whose app it is; 0: it is shared, and the content of a post says whose that is. */
export const appReceiverPart = (appId: string, receiverHash: string, companyId: number): TransactionPart =>
  credentialEntity.putting({
    hash: receiverHash,
    credentialKind: 'webhook_token',
    companyId,
    id: 0,
    userId: 0,
    role: 'viewer',
    scopes: [],
    subject: appSubject(appId),
    status: 'active',
    companyStatus: 'active',
  });
