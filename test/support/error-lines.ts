/** Errors that a fault run makes itself: crashes, refusals of the table (trouble.ts), broken connections of the mail service; and lost races. */
const injected = new Set([
  'Crash',
  'ThrottlingException',
  'InternalServerError',
  'TransactionCanceledException',
  'TimeoutError',
  'Conflict',
]);
/** A message that cannot be parsed: the runs put such messages on the queues. */
const isPoison = (name: string, stack: string): boolean =>
  (name === 'SyntaxError' || name === 'ZodError') &&
  /^\s*at (JSON\.parse \(<anonymous>\)\n\s*at )?\S*shared\/queue\/consume\.ts/.test(stack);

/**
 * The ERROR lines of a run that no injected fault explains, one for each place: an exception that a later retry hides is a defect all the
 * same. `expected` names more, by `error name` and stack.
 */
export const unexpectedErrors = (lines: readonly Record<string, unknown>[], expected: readonly RegExp[] = []): string[] => {
  const found = lines.flatMap(({ level, error, stack }) => {
    const [name, frames] = [String(error), typeof stack === 'string' ? stack : ''];
    if (level !== 'ERROR' || injected.has(name) || isPoison(name, frames)) return [];
    const text = `${name}\n${frames}`;
    return expected.some((each) => each.test(text)) ? [] : [text];
  });
  return [...new Set(found)];
};
