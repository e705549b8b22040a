/** Calls a minute of one credential for one identifier, one request or one source address. */
export const callsPerMinute = 30;
