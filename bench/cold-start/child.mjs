// One cold start in a process of its own: the processor's time for import and first call, in milliseconds. Not the clock's: a machine that
// does other things would be measured with it. Plain JavaScript, so that nothing else is loaded.
const { entry, event } = JSON.parse(process.env.COLD_START ?? '{}');
const began = process.cpuUsage();
const { handler } = await import(entry);
const answer = await handler(event, { functionName: 'cold', getRemainingTimeInMillis: () => 10_000 });
const { user, system } = process.cpuUsage(began);
const ms = (user + system) / 1000;
process.stdout.write(`\nCOLD ${JSON.stringify({ ms, status: answer.statusCode })}\n`, () => process.exit(0));
