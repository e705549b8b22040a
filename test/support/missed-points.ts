/** Of a fault suite's run: points that a process passed, and those at which one crashed. */
export interface FaultPoints {
  reached: ReadonlySet<string>;
  struck: Set<string>;
}

/** A rare point of one suite is often a usual one of another. */
export const struckIn = (runs: readonly FaultPoints[]): ReadonlySet<string> => new Set(runs.flatMap((run) => [...run.struck]));

/**
 * Points that a rare turn of events leads to, and at which no process crashed in any suite: a suite that passed them runs again, and its
 * processes crash there as soon as they come by. Three times at most.
 *
 * @param runAgain runs the suite for these points; answers at which a process crashed
 */
export async function crashAtMissedPoints<Run extends FaultPoints>(
  runs: readonly Run[],
  runAgain: (run: Run, sought: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<void> {
  for (let tries = 0; tries < 3; tries++) {
    const struck = struckIn(runs);
    const isLeft = (point: string): boolean => !struck.has(point);
    const run = runs.find(({ reached }) => [...reached].some(isLeft));
    if (!run) return;
    const sought = [...run.reached].filter(isLeft);
    const again = await runAgain(run, sought);
    for (const point of sought) if (again.has(point)) run.struck.add(point);
  }
}
