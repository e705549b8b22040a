/**
 * A command whose reader has gone (`npm run admin -- --help | head`) ends quietly, as Unix commands do, in place of with a stack trace. What
 * runs on, as `npm run dev`, stops in its own order. Imported first by every command.
 */
for (const output of [process.stdout, process.stderr])
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (process.listenerCount('SIGINT') > 0) process.emit('SIGINT');
    else process.exit();
  });
