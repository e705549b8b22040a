import type { Reporter, SerializedError, TestModule, Vitest } from 'vitest/node';
import { recordDurations } from './durations.ts';
import { type Failure, summary } from './failures.ts';

/** What a run of vitest counts; bin/test.ts receives it as a message. */
export interface Counted {
  passed: number;
  failed: number;
  failures: Failure[];
}

/** The failures and the sum, after everything else: what continuous integration reads. A file that cannot be loaded is a failure. */
export class SumReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    recordDurations('files', Object.fromEntries(modules.map((module) => [module.relativeModuleId, module.diagnostic().duration / 1_000])));
    const counted = count(modules, unhandled);
    // bin/test.ts adds what it checks beside the tests
    if (process.send) process.send(counted);
    // written when the process ends, so that no other reporter's summary comes after it
    else if (this.#vitest?.config.watch) print(counted);
    else process.once('exit', () => print(counted));
  }
}

function count(modules: readonly TestModule[], unhandled: readonly SerializedError[]): Counted {
  let passed = 0;
  const failures: Failure[] = unhandled.map((error) => ({ name: 'outside of any test', error: textOf(error) }));
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const result = test.result();
      if (result.state === 'passed') passed++;
      else if (result.state === 'failed')
        failures.push({ name: `${module.relativeModuleId} > ${test.fullName}`, error: result.errors.map(textOf).join('\n') });
    }
    for (const suite of module.children.allSuites())
      for (const error of suite.errors()) failures.push({ name: `${module.relativeModuleId} > ${suite.fullName}`, error: textOf(error) });
    for (const error of module.errors()) failures.push({ name: module.relativeModuleId, error: textOf(error) });
  }
  if (passed + failures.length === 0) failures.push({ name: 'vitest', error: 'No test ran.' });
  return { passed, failed: failures.length, failures };
}

const print = ({ passed, failed, failures }: Counted): void => void process.stdout.write(summary(passed, failed, failures));

/** The message, where it was thrown in the project, and the difference of the two values. */
function textOf({ name, message, diff, stacks, stack }: SerializedError): string {
  const frame = stacks?.[0];
  const at = frame
    ? `at ${frame.file.replace(`${process.cwd()}/`, '')}:${frame.line}`
    : (stack?.split('\n').find((line) => line.trim().startsWith('at ')) ?? '');
  return `${name ?? 'Error'}: ${message}\n${at}\n${typeof diff === 'string' ? diff : ''}`;
}
