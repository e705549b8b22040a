/**
 * The doorbell: a push that says "look" for one company, and nothing else. What happened is in the event log, which a page reads when it is
 * rung. See docs/decisions/doorbell.md.
 */
export const doorbellNamespace = 'company';

/** Where a page gets the rings of its company. */
export const doorbellChannel = (companyId: number): string => `/${doorbellNamespace}/${companyId}`;

/** To where rings are published; not set: there is no doorbell. */
export const doorbellPublishVariable = 'DOORBELL_PUBLISH_URL';

/** Where pages connect, and under which host they name themselves there; not set: there is no doorbell. */
export const doorbellAddressVariable = 'DOORBELL_ADDRESS';
export const doorbellHostVariable = 'DOORBELL_HOST';
