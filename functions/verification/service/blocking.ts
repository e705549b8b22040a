import { keyedHash } from '../../../shared/runtime/seal.ts';
import { log } from '../../../shared/runtime/log.ts';
import { type Block, noteBlock } from '../store/block.ts';

/** Lists a block for the company to see. It blocks nothing by itself, so one that cannot be listed must not stop what does. */
export const noteBlockOf = async (
  profile: { companyId: number; id: string },
  block: Pick<Block, 'kind' | 'subject' | 'shown' | 'reason' | 'blockedUntil'>,
  at: number,
): Promise<void> => {
  const id = await blockIdOf(profile.id, block);
  await noteBlock({ companyId: profile.companyId, profileId: profile.id, id, createdAt: at, ...block }).catch((error: unknown) =>
    log.error('A block could not be listed', error),
  );
};

/** The same block again has the same id. */
export const blockIdOf = async (profileId: string, { kind, subject }: Pick<Block, 'kind' | 'subject'>): Promise<string> =>
  (await keyedHash('verification-block', `${profileId}:${kind}:${subject}`)).slice(0, 32);
