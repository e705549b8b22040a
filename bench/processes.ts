import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts a process's time in hundredths of a second. */
const ticksPerSecond = 100;

/**
 * Seconds of CPU that the processes below this one have used whose command line matches, with the children that they have outlived. A
 * process that has ended says nothing any more: take it before and after, while it lives.
 */
export const cpuBelow = (program: RegExp): number => below(program).reduce((sum, { ticks }) => sum + ticks / ticksPerSecond, 0);

/** Megabytes of memory that they have at this moment (resident, what they share counted for each). */
export const memoryBelow = (program: RegExp): number =>
  below(program).reduce(
    (sum, { pid }) => sum + Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1] ?? 0) / 1_024,
    0,
  );

/** Seconds of CPU that all programs of this machine have used since it started, waiting for the disk left out. */
export const cpuOfMachine = (): number => {
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0] = (
    /^cpu +(.*)$/m.exec(read('/proc/stat') ?? '')?.[1] ?? ''
  )
    .split(' ')
    .map(Number);
  return (user + nice + system + interrupts + softInterrupts) / ticksPerSecond;
};

/** The processes below this one whose command line matches. */
function below(program: RegExp): Stat[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : []));
  const descendants = new Set([process.pid]);
  for (let size = 0; size < descendants.size; ) {
    size = descendants.size;
    for (const { pid, parent } of all) if (descendants.has(parent)) descendants.add(pid);
  }
  return all.filter(({ pid }) => pid !== process.pid && descendants.has(pid) && program.test(commandOf(pid)));
}

interface Stat {
  pid: number;
  parent: number;
  ticks: number;
}

/** proc(5): after the name in brackets come state, parent, ... and from the twelfth on the times, own and of ended children. */
function statOf(pid: number): Stat | undefined {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { pid, parent: Number(fields[1]), ticks: fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0) };
}

const commandOf = (pid: number): string => (read(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ');

/** Undefined: the process has ended meanwhile. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
