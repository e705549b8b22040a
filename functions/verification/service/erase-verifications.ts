import { type ErasureSubject, phonesOf, userIdsOf } from '../../../shared/contract/erasure.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { listStoredProfiles } from '../../account/service/stored-profiles.ts';
import { type Identifier, parseIdentifier } from '../domain/identifier.ts';
import { deleteRequest, getRequest } from '../store/request.ts';
import { getRequestBudget, type RequestBudget, updateRequestBudgetFields } from '../store/request-budget.ts';
import { deleteWhitelistEntry, listWhitelistEntries } from '../store/whitelist.ts';
import { hashIdentifier } from './secrets.ts';

type Removals = (() => Promise<unknown>)[];

/**
 * The verification requests of an erased contact, found through the request budgets of its identifiers, and its trust. The budgets stay until
 * they expire: they hold a keyed hash and counts, and an erasure must not lift a block.
 */
export const verificationsToErase = async (subject: ErasureSubject): Promise<Removals> => {
  const identifiers = identifiersOf(subject);
  const removals: Removals = [];
  for (const { id: profileId } of identifiers.length > 0 ? await listStoredProfiles(subject.companyId) : [])
    for (const identifier of identifiers) {
      const budgetId = { companyId: subject.companyId, profileId, identifierHash: await hashIdentifier(profileId, identifier) };
      const budget = await getRequestBudget(budgetId, { consistent: true });
      if (budget && requestIdsOf(budget).length > 0) removals.push(() => removeRequests(budget));
    }
  return removals;
};

export const whitelistEntriesToErase = async (subject: ErasureSubject): Promise<Removals> => {
  const values = new Set(identifiersOf(subject).map(({ value }) => value));
  const entries = await listWhitelistEntries(subject.companyId);
  return entries
    .filter(({ value }) => values.has(parseIdentifier(value)?.value ?? value))
    .map(
      ({ companyId, id }) =>
        () =>
          deleteWhitelistEntry(companyId, id),
    );
};

const identifiersOf = (subject: ErasureSubject): Identifier[] =>
  [...phonesOf(subject).map((phone) => `+${phone}`), subject.email, ...userIdsOf(subject)].flatMap(
    (given) => (given ? parseIdentifier(given) : undefined) ?? [],
  );

const requestIdsOf = ({ last, trusted }: RequestBudget): string[] => [
  ...new Set([...Object.values(last).map(({ id }) => id), ...trusted.map(({ id }) => id)]),
];

/** The requests first: the budget is what finds them. */
async function removeRequests(budget: RequestBudget): Promise<void> {
  for (const id of requestIdsOf(budget))
    if (await getRequest(budget.companyId, id, { consistent: true })) await deleteRequest(budget.companyId, id);
  await updateRequestBudgetFields(budget, { last: {}, trusted: [], trustFrom: now() });
}
