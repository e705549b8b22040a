/**
 * What failed for the moment and may succeed when it is repeated. The HTTP stack answers 503 with Retry-After; a worker lets it pass, so
 * that the queue delivers the message again.
 */
export class Temporary extends Error {
  override name = 'Temporary';
}
