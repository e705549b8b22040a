import { notRecounted, recount } from '../../shared/events/recount.ts';
import type { StoredStats } from './contract/stored.ts';
import { countedFromRows } from './domain/stats.ts';
import { failuresEntity, statsEntity, statsPartEntity } from './store/stats.ts';
import { replyEntity } from './store/reply.ts';

/**
 * What happened once and no row shows any more (retries, replies, refusals) stays as it was counted. Erased recipients have no row any more:
 * where rows are fewer than were counted, the counters stay as they are.
 */
const recipientsIn = ({ processing, sent, delivered, read, failed, ambiguous }: StoredStats): number =>
  processing + sent + delivered + read + failed + ambiguous;

export const recounts = [
  recount(statsEntity, {
    facts: (row, stored) => {
      const known = stored && recipientsIn(row) < recipientsIn(stored) ? stored : row;
      return [...countedFromRows.map((field) => known[field]), known.cost];
    },
    fields: [...countedFromRows, 'failures', 'cost'],
  }),
  // only their sum says something
  notRecounted(statsPartEntity),
  // the conversation knows the last campaign that it answered, and no earlier one
  notRecounted(replyEntity),
  recount(failuresEntity, { facts: ({ contactIds }) => contactIds.toSorted((a, b) => a - b), fields: ['contactIds'] }),
];
