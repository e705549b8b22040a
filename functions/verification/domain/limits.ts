/** V16: calls a minute that one person, one request or one address may make with one credential. */
export const callsPerMinute = 30;
