import type { Role, Scope } from '../../shared/contract/route.ts';
import { scopes as allScopes } from '../../shared/contract/route.ts';
import { credentialEntity } from '../../shared/access/credential.ts';
import { now } from '../../shared/runtime/clock.ts';
import { newToken, tokenHash, type TokenKind } from '../../shared/access/token.ts';

export interface CredentialSeed {
  companyId?: number;
  userId?: number;
  role?: Role;
  scopes?: readonly Scope[];
  kind?: TokenKind;
  subject?: string;
  networks?: string[];
  status?: 'active' | 'revoked';
  companyStatus?: 'active' | 'suspended';
  /** Epoch milliseconds. */
  expiresAt?: number;
  /** Of a session; by default now. */
  lastUsedAt?: number;
}

/** Writes a credential straight into the table, as the account context would, and gives its secret. */
export const credential = async (seed: CredentialSeed = {}): Promise<string> => {
  const kind = seed.kind ?? 'token';
  const secret = newToken(kind);
  await credentialEntity.put({
    hash: tokenHash(secret),
    credentialKind: kind === 'test_public_key' ? 'public_key' : kind === 'test_secret_key' ? 'secret_key' : kind,
    companyId: seed.companyId ?? 1,
    id: ++seeds,
    userId: seed.userId ?? 1,
    role: seed.role ?? 'owner',
    scopes: [...(seed.scopes ?? allScopes)],
    subject: seed.subject,
    ...(seed.networks ? { networks: seed.networks } : {}),
    status: seed.status ?? 'active',
    companyStatus: seed.companyStatus ?? 'active',
    expiresAt: seed.expiresAt,
    ...(kind === 'session' ? { lastUsedAt: seed.lastUsedAt ?? now(), provenAt: now() } : {}),
  });
  return secret;
};

let seeds = 1_000_000;
