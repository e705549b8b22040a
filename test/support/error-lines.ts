/** Errors that a fault run makes itself: crashes, refusals of the table (fault-injection.ts), refusals of the mail service; and lost races. */
const injected = new Set([
  'Crash',
  'ThrottlingException',
  'InternalServerError',
  'TransactionCanceledException',
  'TimeoutError',
  'MessageRejected',
  'TooManyRequestsException',
  'Conflict',
]);
/** A message that cannot be parsed: the runs put such messages on the queues. */
const isPoison = (name: string, stack: string): boolean =>
  (name === 'SyntaxError' || name === 'ZodError') &&
  /^\s*at (JSON\.parse \(<anonymous>\)\n\s*at )?\S*shared\/queue\/consume\.ts/.test(stack);

/** The product's own `throw new Error(...)`, by which a worker requests its message once more. */
const isRetryRequest = (name: string, stack: string): boolean =>
  name === 'Error' && /^\s*at [^\n]*\/(functions|shared)\/[^\n]*\n/.test(stack);

/**
 * The ERROR lines of a run that no injected fault explains, one for each place: an exception that a later retry hides is a defect all the
 * same.
 */
export const unexpectedErrors = (lines: readonly Record<string, unknown>[]): string[] => {
  const found = lines.flatMap(({ level, error, stack }) => {
    const [name, frames] = [String(error), typeof stack === 'string' ? stack : ''];
    const isExpected = injected.has(name) || isPoison(name, frames) || isRetryRequest(name, frames);
    return level !== 'ERROR' || isExpected ? [] : [`${name}\n${frames}`];
  });
  return [...new Set(found)];
};
