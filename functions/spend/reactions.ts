import { emitEvent, project, reaction, reactionList } from '../../shared/events/react.ts';
import { isoTime } from '../../shared/runtime/clock.ts';
import { billDiffers, spendAlert, spendLimitReached } from './contract/event.ts';
import { spendBillKind, type StoredSpendBill } from './contract/spend-bill.ts';
import {
  type Alerted,
  type CeilingPeriod,
  ceilingPeriods,
  spendAccountKind,
  spendAlertsEntityName,
  spendAlertsTarget,
  type StoredSpendAccount,
  storedSpendAlerts,
  type StoredSpendAlerts,
} from './contract/spend-account.ts';
import { decimalText } from './domain/money.ts';
import { alertOf, alertPercents, isNewAlert, resetsAtMs } from './domain/spend-account.ts';

/**
 * How much of a ceiling is used up is published once: a share that an account passes is written down by a projection, exactly once however often
 * the stream delivers the change, and the events follow from what was written down. Allowances that are returned move an account back, and
 * it passes the share again.
 */
export const reactions = reactionList({ sendsTo: [] }, [
  reaction<StoredSpendAccount>(spendAccountKind, ({ before, after }) => {
    if (!after) return [];
    const passed = ceilingPeriods.filter((period) => isNewAlert(alertOf(before, period), alertOf(after, period)));
    if (passed.length === 0) return [];
    const { companyId } = after;
    return [
      project(spendAlertsTarget, { companyId }, (row) => {
        const alerts = row ?? { companyId, rev: 0, checkpoints: {} };
        const added = passed.flatMap((period) => {
          const alert = alertOf(after, period);
          return isNewAlert(alerts[period], alert) ? [[period, alert] as const] : [];
        });
        return added.length === 0 ? undefined : { ...alerts, ...Object.fromEntries(added) };
      }),
    ];
  }),

  reaction<StoredSpendAlerts>(
    { name: spendAlertsEntityName, parse: (raw) => storedSpendAlerts.parse(raw) },
    ({ before, after, writtenAt }) =>
      ceilingPeriods.flatMap((period) => {
        const alert = after?.[period];
        return after && isNewAlert(before?.[period], alert)
          ? eventsOf(after.companyId, period, { before: before?.[period], alert }, writtenAt)
          : [];
      }),
  ),

  reaction<StoredSpendBill>(spendBillKind, ({ before, after, writtenAt }) =>
    (after?.others ?? [])
      .filter(({ wabaId }) => !before?.others.some((each) => each.wabaId === wabaId))
      .map(({ wabaId, from, to, charged, differencePercent }) =>
        emitEvent(billDiffers, after?.companyId ?? 0, {
          waba_id: wabaId,
          from,
          to,
          charged,
          difference_percent: differencePercent ?? null,
          at: isoTime(writtenAt),
        }),
      ),
  ),
]);

interface Passed {
  before: Alerted | undefined;
  alert: Alerted;
}

/** One for each share that was passed: one grant may pass several. */
function eventsOf(companyId: number, ceiling: CeilingPeriod, { before, alert }: Passed, writtenAt: number) {
  const { period, percent, limit, left, currency } = alert;
  const published = before?.period === period ? before.percent : 0;
  const [name = ''] = period.split('/');
  const data = {
    ceiling,
    period: name,
    limit: decimalText(BigInt(limit)),
    left: decimalText(BigInt(left)),
    currency,
    at: isoTime(writtenAt),
  };
  const resetsAt = isoTime(resetsAtMs({ day: name, month: name.slice(0, 7) }, ceiling));
  return [
    ...alertPercents
      .filter((each) => each > published && each <= percent)
      .map((each) => emitEvent(spendAlert, companyId, { ...data, percent: each })),
    ...(percent === 100 ? [emitEvent(spendLimitReached, companyId, { ...data, resets_at: resetsAt })] : []),
  ];
}
