import { readdirSync, readFileSync } from 'node:fs';

/** The CPU milliseconds that a process's descendants have used so far, and with them the process itself unless it is this one. */
export const cpuMsUnder = (root: number): number => {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? statOf(Number(name)) : []));
  const childrenOf = Map.groupBy(all, ({ parent }) => parent);
  const under = (pid: number): number => (childrenOf.get(pid) ?? []).reduce((sum, each) => sum + each.ms + under(each.pid), 0);
  const own = root === process.pid ? 0 : (all.find(({ pid }) => pid === root)?.ms ?? 0);
  return own + under(root);
};

/** Linux counts in hundredths of a second. */
const tickMs = 10;

function statOf(pid: number): { pid: number; parent: number; ms: number }[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // the second field is the program's name in brackets, which may hold anything
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user = 0, system = 0, usersOfGone = 0, systemsOfGone = 0] = fields.slice(11, 15).map(Number);
    return [{ pid, parent: Number(fields[1]), ms: (user + system + usersOfGone + systemsOfGone) * tickMs }];
  } catch {
    // it ended while we looked
    return [];
  }
}
