import type { Answer } from '../../data/client.ts';

type ReportLine = Answer<'getVerificationReport'>['data'][number];

/** Requests of one outcome that have the same reason. */
export interface ReasonRow {
  /** null: of days before reasons were counted. */
  reason: ReportLine['reason'];
  channel: ReportLine['channel'];
  status: 'failed' | 'blocked';
  count: number;
}

/** What failed and what was blocked over all days and profiles of a report, by reason and channel: the most frequent first. */
export const reasonRows = (lines: readonly ReportLine[]): ReasonRow[] => {
  const rows = new Map<string, ReasonRow>();
  for (const line of lines) {
    for (const status of ['failed', 'blocked'] as const) {
      const { reason, channel } = line;
      const key = `${status} ${channel} ${reason}`;
      if (line[status] > 0) rows.set(key, { reason, channel, status, count: (rows.get(key)?.count ?? 0) + line[status] });
    }
  }
  return [...rows.values()].toSorted((a, b) => b.count - a.count);
};
