import type { Campaign } from '../../../client/client.ts';

interface UnderWay {
  id: number;
  name: string;
  /** Epoch milliseconds; undefined: it has begun. */
  begins: number | undefined;
  /** How many get it; 0 as long as they are being chosen. */
  people: number;
}

const soonMs = 24 * 3_600_000;
const begun: readonly Campaign['status'][] = ['queued', 'constructing', 'sending'];

/** Those that are sent now, then those that begin within a day, the first of them first. `now` is epoch milliseconds. */
export const campaignsUnderWay = (
  campaigns: readonly Pick<Campaign, 'id' | 'name' | 'status' | 'send_time' | 'audience_count'>[],
  now: number,
): UnderWay[] =>
  campaigns
    .flatMap(({ id, name, status, send_time: at, audience_count: people }): UnderWay[] => {
      if (begun.includes(status)) return [{ id, name, people, begins: undefined }];
      const begins = Date.parse(at ?? '');
      return status === 'scheduled' && begins - now < soonMs ? [{ id, name, people, begins }] : [];
    })
    .toSorted((one, other) => (one.begins ?? 0) - (other.begins ?? 0));
