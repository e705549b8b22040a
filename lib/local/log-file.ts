import { createWriteStream, existsSync, openSync, renameSync, statSync, type WriteStream } from 'node:fs';

const maxBytes = 50_000_000;

/** A log file that is moved to `<file>.1` when it is full, in place of the one that was there: two files, however long it runs. */
export class LogFile {
  readonly #path: string;
  readonly #maxBytes: number;
  #bytes: number;
  #stream: WriteStream;

  constructor(path: string, max = maxBytes) {
    this.#path = path;
    this.#maxBytes = max;
    this.#bytes = existsSync(path) ? statSync(path).size : 0;
    this.#stream = opened(path);
  }

  write(chunk: Buffer): void {
    if (this.#bytes > 0 && this.#bytes + chunk.length > this.#maxBytes) this.#rotate();
    this.#bytes += chunk.length;
    this.#stream.write(chunk);
  }

  end(): Promise<void> {
    return new Promise((resolve) => void this.#stream.end(() => resolve()));
  }

  /** What is still to be written goes to the moved file: the stream has it open. */
  #rotate(): void {
    this.#stream.end();
    if (existsSync(this.#path)) renameSync(this.#path, `${this.#path}.1`);
    this.#stream = opened(this.#path);
    this.#bytes = 0;
  }
}

const opened = (path: string): WriteStream => createWriteStream(path, { fd: openSync(path, 'a', 0o600) });
