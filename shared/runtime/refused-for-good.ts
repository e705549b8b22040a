/**
 * What AWS answers to a call that it will refuse each time: an item or a message too large, a key too long or empty, a value of a wrong type.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
 */
const names: ReadonlySet<string> = new Set([
  'ValidationException',
  'BatchRequestTooLong',
  'AWS.SimpleQueueService.BatchRequestTooLong',
  'InvalidMessageContents',
  'InvalidParameterValue',
]);

/** Whether repeating the call is in vain until what it says is another. */
export const isRefusedForGood = (error: unknown): boolean => error instanceof Error && names.has(error.name);

/** What one entry of a request to a queue was refused for, as an error; undefined where it may be taken later. */
export const refusalOfEntry = ({
  Code: name = '',
  Message: text,
}: {
  Code?: string | undefined;
  Message?: string | undefined;
}): Error | undefined => (names.has(name) ? Object.assign(new Error(text ?? 'The queue takes no such message.'), { name }) : undefined);
