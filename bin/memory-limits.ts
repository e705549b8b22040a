/**
 * On Linux each thread allocates from an arena of its own, up to eight for a core, and what is free in one is of no use to the others: an eighth of the
 * memory of a product with two dozen threads. How many there are is read when a program starts, so this one starts once more, as the same process.
 *
 * So are the limits of the main thread's heap. Those of Node are for a program that has the machine to itself: space for new objects grows to 128 MB,
 * and the others may become four times what was left of them before they are looked through; with a limit below 2 GB it is twice.
 */
const heapLimits = ['--max-semi-space-size=16', '--max-old-space-size=2000'];

if (process.platform === 'linux' && process.env.MALLOC_ARENA_MAX === undefined && process.execve) {
  const chosen = process.execArgv.map((flag) => flag.split('=')[0]);
  const limits = heapLimits.filter((flag) => !chosen.includes(flag.split('=')[0]));
  const command = [process.execPath, ...limits, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, command, { ...process.env, MALLOC_ARENA_MAX: '2' });
}
