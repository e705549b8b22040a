import { keyedHash } from '../../../shared/runtime/seal.ts';
import { log } from '../../../shared/runtime/log.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { type Identifier, maskIdentifier } from '../domain/identifier.ts';
import { type Block, putBlock } from '../store/block.ts';
import { unsealValue } from './secrets.ts';

/** Lists a block for the company to see. It blocks nothing by itself, so one that cannot be listed must not stop what does. */
export const recordBlock = async (
  profile: { companyId: number; id: string },
  block: Pick<Block, 'kind' | 'subject' | 'shown' | 'reason' | 'blockedUntil'>,
  at: number,
): Promise<void> => {
  const id = await getBlockId(profile.id, block);
  await putBlock({ companyId: profile.companyId, profileId: profile.id, id, createdAt: at, ...block }).catch((error: unknown) =>
    log.error('A block could not be listed', error),
  );
};

/** Lists the block of a person, whose identifier is shown without its middle. */
export const recordIdentifierBlock = (
  profile: { companyId: number; id: string },
  { person, identifier }: { person: string; identifier: Pick<Identifier, 'kind' | 'value'> },
  { reason, blockedUntil }: Pick<Block, 'reason' | 'blockedUntil'>,
  at: number,
): Promise<void> =>
  recordBlock(profile, { kind: 'identifier', subject: person, shown: maskIdentifier(identifier), reason, blockedUntil }, at);

/** Whom a request is about. */
export const getBlockSubject = async (request: StoredRequest) => ({
  person: request.person,
  identifier: {
    kind: request.channel === 'email' ? ('email' as const) : ('phone' as const),
    value: await unsealValue(request.id, 'identifier', request.sealedIdentifier),
  },
});

/** The same block again has the same id. */
export const getBlockId = async (profileId: string, { kind, subject }: Pick<Block, 'kind' | 'subject'>): Promise<string> =>
  (await keyedHash('verification-block', `${profileId}:${kind}:${subject}`)).slice(0, 32);
