/** The longest delay of an SQS message: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-delay-queues.html */
const maxDelaySeconds = 900;

/** Seconds until a request is checked for its expiry: just after it, or as late as the queue can deliver. */
export const expiryDelaySeconds = (expiresAt: number, at: number): number =>
  Math.min(maxDelaySeconds, Math.max(1, Math.ceil((expiresAt - at) / 1_000) + 1));
