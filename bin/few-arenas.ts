/**
 * On Linux each thread allocates from an arena of its own, up to eight for a core, and what is free in one is of no use to the others: an eighth of the
 * memory of a product with two dozen threads. How many there are is read when a program starts, so this one starts once more, as the same process.
 */
if (process.platform === 'linux' && process.env.MALLOC_ARENA_MAX === undefined && process.execve) {
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, command, { ...process.env, MALLOC_ARENA_MAX: '2' });
}
