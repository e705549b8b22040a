import { SwitchboardProblem } from './client.ts';

/**
 * The Idempotency-Key of a form. It stays while nothing is known of what the form wrote: a double click, a slow answer, or an answer that was
 * lost is one write. An answer that is final ends it, and so does another input: the API keeps a refusal under the key of its request.
 */
export class WriteKey {
  #key = crypto.randomUUID();
  #input: string | undefined;

  of(input: unknown): string {
    const given = JSON.stringify(input) ?? '';
    if (this.#input !== undefined && this.#input !== given) this.#key = crypto.randomUUID();
    this.#input = given;
    return this.#key;
  }

  /** @param error what the write was refused for; undefined: it is done */
  answered(error?: unknown): void {
    if (error !== undefined && !isFinal(error)) return;
    this.#key = crypto.randomUUID();
    this.#input = undefined;
  }
}

/** Whether another try with the same key would be answered the same. A refusal for the moment says nothing yet. */
const isFinal = (error: unknown): boolean =>
  error instanceof SwitchboardProblem && error.status < 500 && error.status !== 429 && error.code !== 'idempotency_in_progress';
