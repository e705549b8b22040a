import type { credentialEntity } from '../../../shared/access/credential.ts';
import type { ChangeOf } from '../../../shared/table/entity.ts';
import type { Company } from '../store/company.ts';
import { listPointers, updateCredential } from '../store/credential.ts';

/** A credential holds what a call needs to know of its company: a change of that is written to all of them, former secrets included. */
export const updateCredentialsOfCompany = async (companyId: number, change: ChangeOf<typeof credentialEntity>): Promise<void> => {
  const pointers = await listPointers(companyId);
  const hashes = pointers.flatMap(({ hash, previous }) => [hash, ...previous.map((old) => old.hash)]);
  for (let start = 0; start < hashes.length; start += 16)
    await Promise.all(hashes.slice(start, start + 16).map((hash) => updateCredential(hash, change)));
};

/** What a credential has of its company's settings: that no token is taken in the query (G18), no unknown field in a body, and what is logged of its calls. */
export const settingsOfCredential = ({ settings }: Company) => ({
  refusesQueryToken: settings.queryTokens ? undefined : (true as const),
  refusesUnknownFields: settings.strictInput ? (true as const) : undefined,
  logsRequests: settings.requestLog === 'refused' ? undefined : settings.requestLog,
  logsBodies: settings.requestBodies ? (true as const) : undefined,
});
