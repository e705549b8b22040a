import { send } from '../../../shared/queue/send.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { limited } from '../../../shared/runtime/parallel.ts';
import { type BusinessNumber, listActiveNumbers } from '../../account/service/numbers.ts';
import { recordNumberCheck } from '../../account/service/provider-updates.ts';
import { compareBill } from '../../spend/service/compare-bill.ts';
import { templateSyncsQueue } from '../contract/queue.ts';
import { checkLeaseMs, nextCheckAt, observedState } from '../domain/account-check.ts';
import { getProviderAccount, getProviderNumberState } from '../gateway/templates.ts';
import { deleteAccountCheck, getAccountCheck, putAccountCheck } from '../store/account-check.ts';

/**
 * Once a day, at a time of the company's own: reads its accounts and numbers from the provider and makes what is stored of them equal, and has
 * its templates synced, so that a webhook which was lost is made good; and compares the provider's bill with ours. Between two reads it only looks whether the time has come. An account
 * that cannot be read does not stop the others; a company that is suspended, or has no active number, is left out.
 * See docs/decisions/daily-account-checks.md.
 */
export const checkAccounts = async (companyId: number): Promise<void> => {
  const startedAt = now();
  const stored = await getAccountCheck(companyId);
  if (stored && stored.dueAt > now()) return;
  const numbers = await listActiveNumbers(companyId);
  if (numbers.length === 0) return stored && deleteAccountCheck(stored);
  const later = { companyId, dueAt: nextCheckAt(companyId, now()) };
  const isSuspended = numbers.some((number) => number.isSuspended);
  if (!stored || isSuspended) return void (await putAccountCheck(later, stored));
  // should this worker end before the next time is stored, the check is due again soon
  const claimed = await putAccountCheck({ companyId, dueAt: now() + checkLeaseMs }, stored);
  if (!claimed) return;
  const accounts = [...Map.groupBy(numbers, ({ wabaId }) => wabaId).values()].slice(0, maxAccounts);
  const read = await Promise.all(accounts.map((account) => atOnce(() => checkAccount(account, startedAt))));
  // templates are read where the provider answers at all
  if (read.some(Boolean)) {
    await send(templateSyncsQueue, [{ companyId, message: { company_id: companyId } }]);
    // its bill is compared again tomorrow
    await compareBill(companyId).catch((error: unknown) =>
      log.error('The daily comparison of the bill failed', error, { company_id: companyId }),
    );
  }
  await putAccountCheck(later, claimed);
};

/** Calls of the provider are bounded: an account costs one, and one for each number. */
const maxAccounts = 50;
const maxNumbersOfAccount = 20;
const atOnce = limited(4);

/** True when the provider answered for the account. */
async function checkAccount(numbers: readonly BusinessNumber[], startedAt: number): Promise<boolean> {
  const [first] = numbers;
  if (!first) return false;
  try {
    const account = await getProviderAccount(first, first.wabaId);
    const found = account.outcome === 'done' ? account.value : undefined;
    const outcomes: boolean[] = [];
    for (const number of numbers.slice(0, maxNumbersOfAccount)) {
      const reply = await getProviderNumberState(number, number.phoneNumberId);
      outcomes.push(reply.outcome === 'done');
      if (reply.outcome === 'done') await recordNumberCheck(number, startedAt, observedState(reply.value, found, number));
    }
    const isRead = found !== undefined || outcomes.some(Boolean);
    if (!isRead) log.info('An account could not be read from the provider', { company_id: first.companyId, code: account.outcome });
    metric('AccountChecks', 'Count', 1, { outcome: isRead ? 'read' : 'failed' });
    return isRead;
  } catch (error) {
    log.error('The daily check of an account failed', error, { company_id: first.companyId });
    metric('AccountChecks', 'Count', 1, { outcome: 'failed' });
    return false;
  }
}
