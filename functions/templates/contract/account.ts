/**
 * Whether a template can be sent from the numbers of an account. One whose account is not known, or has no number of the company any more, can
 * be sent from every number: the provider decides.
 */
export const isOfAccount = (
  { wabaId }: { wabaId?: string | undefined },
  accountId: string | undefined,
  accountIds: readonly string[],
): boolean => accountId === undefined || wabaId === undefined || wabaId === accountId || !accountIds.includes(wabaId);
