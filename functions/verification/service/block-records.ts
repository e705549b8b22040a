import { log } from '../../../shared/runtime/log.ts';
import { keyedHash } from '../../../shared/runtime/seal.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { type Identifier, maskIdentifier } from '../domain/identifier.ts';
import { type Block, putBlock } from '../store/block.ts';
import { unsealValue } from './secrets.ts';

/** Stores a block for the company's list. The list blocks nothing itself, so a failure to store is logged and does not stop the block. */
export const recordBlock = async (
  profile: { companyId: number; id: string },
  block: Pick<Block, 'subjectKind' | 'subject' | 'address' | 'shown' | 'reason' | 'blockedUntil'>,
  at: number,
): Promise<void> => {
  const id = await getBlockId(profile.id, block);
  await putBlock({ companyId: profile.companyId, profileId: profile.id, id, createdAt: at, ...block }).catch((error: unknown) =>
    log.error('A block could not be stored in the list of blocks', error),
  );
};

export interface BlockSubject {
  identifierHash: string;
  identifier: Pick<Identifier, 'kind' | 'value'>;
}

/** Stores the block of an identifier, which the list shows masked. */
export const recordIdentifierBlock = (
  profile: { companyId: number; id: string },
  { identifierHash, identifier }: BlockSubject,
  { reason, blockedUntil, address }: Pick<Block, 'reason' | 'blockedUntil' | 'address'>,
  at: number,
): Promise<void> =>
  recordBlock(
    profile,
    {
      subjectKind: 'identifier',
      subject: identifierHash,
      ...(address === undefined ? {} : { address }),
      shown: maskIdentifier(identifier),
      reason,
      blockedUntil,
    },
    at,
  );

/** The identifier of a request, unsealed. */
export const getBlockSubject = async (request: StoredRequest): Promise<BlockSubject> => ({
  identifierHash: request.identifierHash,
  identifier: {
    kind: request.channel === 'email' ? 'email' : 'phone',
    value: await unsealValue(request.id, 'identifier', request.sealedIdentifier),
  },
});

/** A block that begins again has the same id. */
export const getBlockId = async (
  profileId: string,
  { subjectKind, subject, address }: Pick<Block, 'subjectKind' | 'subject' | 'address'>,
): Promise<string> =>
  (await keyedHash('verification-block', `${profileId}:${subjectKind}:${subject}${address === undefined ? '' : `@${address}`}`)).slice(
    0,
    32,
  );
