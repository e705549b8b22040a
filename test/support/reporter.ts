import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** The sum alone on a line, after everything else: what continuous integration reads. A file that cannot be loaded is a failure. */
export class SumReporter implements Reporter {
  #passed = 0;
  #failed = 0;
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    this.#passed = 0;
    this.#failed = unhandled.length;
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') this.#passed++;
        else if (state === 'failed') this.#failed++;
      }
      this.#failed += module.errors().length;
    }
    if (this.#passed + this.#failed === 0) this.#failed = 1;
    const sum = `${this.#passed} passed, ${this.#failed} failed`;
    // bin/test.ts adds what it checks beside the tests
    if (process.send) process.send({ passed: this.#passed, failed: this.#failed });
    // written when the process ends, so that no other reporter's summary comes after it
    else if (this.#vitest?.config.watch) process.stdout.write(`${sum}\n`);
    else process.once('exit', () => process.stdout.write(`${sum}\n`));
  }
}
