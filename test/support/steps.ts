import { failuresTitle, unsteadyTitle } from './failures.ts';

/** What one command of a landing did. */
export interface StepResult {
  passed: number;
  failed: number;
  /** What it printed of tests that failed at first and passed alone; empty when there were none. */
  unsteady: string;
  /** Its title and failures; where it names none, its last lines. Empty when it passed. */
  failures: string;
}

const sumLine = /^(\d+) passed, (\d+) failed$/gm;
const longest = 9_000;

/** A command's "N passed, N failed" line, with its failures. One that fails without counting a failure counts as one. */
export const stepResult = (title: string, output: string, code: number | null): StepResult => {
  const counted = [...output.matchAll(sumLine)].at(-1);
  const passed = Number(counted?.[1] ?? 0);
  const failed = Number(counted?.[2] ?? 0) || (code === 0 ? 0 : 1);
  const printed = sectionOf(output, failuresTitle) || output.trimEnd().split('\n').slice(-40).join('\n');
  return {
    passed,
    failed,
    unsteady: sectionOf(output, unsteadyTitle).slice(0, longest),
    failures: failed > 0 ? `-- ${title}\n${printed.slice(0, longest)}` : '',
  };
};

/** At the very end, where a reader sees it first: what was unsteady, the failures of every command, and the sum of all tests. */
export const sumOfSteps = (steps: readonly StepResult[]): string => {
  const listed = (title: string, texts: readonly string[]): string[] => {
    const printed = texts.filter((text) => text !== '');
    return printed.length > 0 ? [title, ...printed] : [];
  };
  const sum = (pick: (step: StepResult) => number): number => steps.reduce((total, step) => total + pick(step), 0);
  return [
    ...listed(
      unsteadyTitle,
      steps.map(({ unsteady }) => unsteady),
    ),
    ...listed(
      failuresTitle,
      steps.map(({ failures }) => failures),
    ),
    `${sum(({ passed }) => passed)} passed, ${sum(({ failed }) => failed)} failed`,
    '',
  ].join('\n');
};

/** What stands below a title, up to the next one or the sum. */
function sectionOf(output: string, title: string): string {
  const [, ...after] = output.split(`\n${title}\n`);
  const text = after.at(-1);
  return text === undefined ? '' : (text.split(/^(?:== .*|\d+ passed, \d+ failed)$/m)[0] ?? '').trim();
}
