/** One thing that happened, in words. */
export interface Step {
  id: string;
  at: string;
  words: string;
}

/** The same again is one line, at its newest: twenty messages are no twenty lines. */
export const together = (steps: readonly Step[]): (Step & { count: number })[] => {
  const lines: (Step & { count: number })[] = [];
  for (const step of steps) {
    const last = lines.at(-1);
    if (last?.words === step.words && last.at.slice(0, 10) === step.at.slice(0, 10)) last.count++;
    else lines.push({ ...step, count: 1 });
  }
  return lines;
};
