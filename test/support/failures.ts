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

const mostFiles = 3;

/** Whether what failed runs once more: where `SECOND_RUN` is set, as .ci/run sets it, and it lies in a few files. */
export const mayRunAgain = (failedFiles: number): boolean =>
  Boolean(process.env['SECOND_RUN']) && failedFiles > 0 && failedFiles <= mostFiles;

/** The file of a failed test; undefined for what failed outside of any. */
export const fileOf = ({ name }: Failure): string | undefined => /^(test\/\S+\.ts)(?: > |$)/.exec(name)?.[1];

/**
 * Of two runs of the same tests: what failed in both, and what in one of them alone. A file that could not run the second time has failed, whatever it did
 * before.
 */
export const compareRuns = (first: readonly Failure[], second: readonly Failure[]): { failed: Failure[]; unsteady: Failure[] } => {
  const namesOf = (failures: readonly Failure[]): ReadonlySet<string> => new Set(failures.map(({ name }) => name));
  const [before, after] = [namesOf(first), namesOf(second)] as const;
  const isRepeated = ({ name }: Failure): boolean => before.has(name) || !name.includes(' > ');
  return {
    failed: second.filter(isRepeated),
    unsteady: [...first.filter(({ name }) => !after.has(name)), ...second.filter((failure) => !isRepeated(failure))],
  };
};

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
