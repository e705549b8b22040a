/**
 * A progress bar in one line, on standard error, so that the output stays clean. Without a terminal: nothing, or a
 * line now and then, where to follow the progress is all that a command does.
 * `cli-progress` would do the same in 60 KB.
 */
export class Progress {
  readonly #isShown = process.stderr.isTTY === true;
  /** What was done when it was first shown: a command that goes on, or joins late, did not do that in its own time. */
  #first: { share: number; at: number } | undefined;
  readonly #writesLines: boolean;
  #drawnAt = 0;
  #written = '';

  constructor({ writesLines = false }: { writesLines?: boolean } = {}) {
    this.#writesLines = writesLines;
  }

  /** Shows `done` of `total` with a text. Drawn at most ten times a second. */
  show(done: number, total: number, text: string): void {
    const at = performance.now();
    if (!this.#isShown) return this.#writesLines ? this.#writeLine(text, at) : undefined;
    if (this.#first && at - this.#drawnAt < 100) return;
    this.#drawnAt = at;
    const share = total > 0 ? Math.min(1, done / total) : 1;
    const { share: shareBefore, at: began } = (this.#first ??= { share, at });
    const since = share - shareBefore;
    const left = since > 0.01 ? ` ${clock(Math.round((((at - began) / 1_000) * (1 - share)) / since))} left` : '';
    const filled = Math.round(share * barWidth);
    const line = `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}] ${String(Math.floor(share * 100)).padStart(3)}% ${text}${left}`;
    process.stderr.write(`\r\u001b[2K${line.slice(0, (process.stderr.columns ?? 80) - 1)}`);
  }

  #writeLine(text: string, at: number): void {
    if (text === this.#written || (this.#written !== '' && at - this.#drawnAt < lineIntervalMs)) return;
    this.#drawnAt = at;
    this.#written = text;
    process.stderr.write(`${text}\n`);
  }

  /** Clears the line for the output that follows. */
  end(): void {
    if (this.#isShown && this.#drawnAt > 0) process.stderr.write('\r\u001b[2K');
  }
}

const barWidth = 24;
const lineIntervalMs = 5_000;

const clock = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
