/** The longest a queue may hold a message back. */
const maxDelaySeconds = 900;

/** Seconds until a verification is to be looked at: just after its end, or as late as a queue can wait. */
export const expiryDelaySeconds = (expiresAt: number, at: number): number =>
  Math.min(maxDelaySeconds, Math.max(1, Math.ceil((expiresAt - at) / 1_000) + 1));
