/** What a run prints of its failures. `.ci/run` repeats everything between this line and the sum at its very end, where a reader sees it first. */
export const failuresTitle = '== failures';

export interface Failure {
  /** The file and the title of a test, or the command of a check. */
  name: string;
  /** Its message; as much of it is printed as helps. */
  error: string;
}

const lines = 12;
const columns = 300;
const listed = 12;

const mostUnsteady = 3;

/** Whether what failed runs once more: where `SECOND_RUN` is set, as .ci/run sets it, and a few failed, not many. */
export const mayRunAgain = (failed: number): boolean => Boolean(process.env['SECOND_RUN']) && failed > 0 && failed <= mostUnsteady;

/** Of tests that failed at first and passed alone. */
export const unsteadyTitle = '== unsteady';

/** The failures and then the sum, which is the last line: what continuous integration reads. `unsteady` are failures that a second run did not repeat. */
export const summary = (passed: number, failed: number, failures: readonly Failure[], unsteady: readonly Failure[] = []): string =>
  [
    ...section(unsteadyTitle, unsteady, 'UNSTEADY'),
    ...section(failuresTitle, failures, 'FAILED'),
    `${passed} passed, ${failed} failed`,
    '',
  ].join('\n');

function section(title: string, failures: readonly Failure[], word: string): string[] {
  const shown = failures.slice(0, listed).map(({ name, error }) => [`${word} ${name}`, ...firstLines(error).map((line) => `    ${line}`)]);
  const more = failures.slice(listed).map(({ name }) => [`${word} ${name}`]);
  const all = [...shown, ...more].flat();
  return all.length > 0 ? ['', title, ...all] : [];
}

function firstLines(text: string): string[] {
  const all = withoutColours(text)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
  return [...all.slice(0, lines), ...(all.length > lines ? [`(${all.length - lines} more lines)`] : [])].map((line) =>
    line.slice(0, columns),
  );
}

// oxlint-disable-next-line no-control-regex -- the escape character begins a colour
const withoutColours = (text: string): string => text.replaceAll(/\u001B\[[\d;]*m/g, '');
