// One cold start in a process of its own: import and first call, in milliseconds. Plain JavaScript, so that nothing else is loaded.
const { entry, event } = JSON.parse(process.env.COLD_START ?? '{}');
const began = performance.now();
const { handler } = await import(entry);
const answer = await handler(event, { functionName: 'cold', getRemainingTimeInMillis: () => 10_000 });
const ms = performance.now() - began;
process.stdout.write(`\nCOLD ${JSON.stringify({ ms, status: answer.statusCode })}\n`, () => process.exit(0));
