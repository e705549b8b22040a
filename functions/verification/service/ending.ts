import { now } from '../../../shared/runtime/clock.ts';
import type { Written } from '../../../shared/table/entity.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { guessesAt } from '../domain/guard.ts';
import { findGuard, type Guard, type GuardId } from '../store/guard.ts';
import { endRequest, type StillSo } from '../store/request.ts';

export type Ended = { status: 'verified'; via: NonNullable<StoredRequest['via']> } | { status: 'failed' | 'expired'; reason: string };
type Known = Pick<StoredRequest, 'companyId' | 'profileId' | 'person' | 'id'>;

/**
 * Ends a pending verification, if it still is, and with it says how often it was guessed at (V32). 1 WRU; 1 RRU more for whoever does not
 * have the guard at hand.
 */
export const end = async (request: Known, ended: Ended, guard?: Guard, stillSo?: StillSo): Promise<Written<StoredRequest>> => {
  const counted = guard ?? (await findGuard(guardIdOf(request), { consistent: true }));
  return endRequest(request.companyId, request.id, { ...ended, endedAt: now(), attempts: guessesAt(request.id, counted) }, stillSo);
};

export const guardIdOf = ({ companyId, profileId, person }: GuardId): GuardId => ({ companyId, profileId, person });
