import { doorbellPublishVariable } from '../../../shared/contract/doorbell.ts';
import { optionalSetting } from '../../../shared/runtime/env.ts';
import { log } from '../../../shared/runtime/log.ts';
import { processMap } from '../../../shared/runtime/memory.ts';
import { inParallel } from '../../../shared/runtime/parallel.ts';
import { publishRing } from '../gateway/doorbell.ts';
import { logLinesOf } from './deliver.ts';
import type { StreamRecord } from './stream-record.ts';

/**
 * Rings the pages of each company of which the log has new events. No part of the batch: it takes a second at most, and where it fails the pages
 * look by themselves.
 */
export const ringDoorbell = async (records: readonly StreamRecord[]): Promise<void> => {
  if (optionalSetting(doorbellPublishVariable) === undefined) return;
  const at = performance.now();
  const companies = new Set(records.flatMap(({ consequences }) => consequences.flatMap(logLinesOf).map(({ companyId }) => companyId)));
  const due = [...companies].filter((companyId) => at - (rungAt.get(companyId) ?? -Infinity) >= leastMs);
  if (due.length === 0 || at < (silentUntil.get('all') ?? 0)) return;
  if (rungAt.size > 10_000) rungAt.clear();
  const deadline = AbortSignal.timeout(isLocal() ? 5 * mostMs : mostMs);
  const failures: unknown[] = [];
  await inParallel(due, requestsAtOnce, async (companyId) => {
    rungAt.set(companyId, performance.now());
    await publishRing(companyId, deadline).catch((error: unknown) => failures.push(error));
  });
  if (failures.length === 0) return;
  if (deadline.aborted) silentUntil.set('all', performance.now() + silentMs);
  log.error('The doorbell was not rung', failures[0], { failed: failures.length });
};

/** A page looks once more so long after a ring: what happened within it needs no ring of its own (console/data/rings.ts). */
const leastMs = 1_000;
const mostMs = 1_000;
/** A busy laptop is slower than AWS. */
const isLocal = (): boolean => optionalSetting('SWITCHBOARD_LOCAL') === '1';
/** What hangs would hold each batch. */
const silentMs = 10_000;
const requestsAtOnce = 20;

const rungAt = processMap<number, number>();
const silentUntil = processMap<'all', number>();
