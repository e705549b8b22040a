/**
 * Imported by commands that run until they are ended. Their scripts say `exec`, so that npm passes SIGINT and SIGTERM to them and not to a shell between them.
 * When npm itself was killed (SIGKILL, SIGHUP), its child is not informed and would keep the port: so a process that npm started ends with its parent.
 */
const parent = process.ppid;
if (process.env['npm_lifecycle_event'] !== undefined) {
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  check.unref();
}
