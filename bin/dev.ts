import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { print } from '../lib/local/console.ts';
import { StartProblem } from '../lib/local/data-folder.ts';
import { functionLogName, type Runner, startRunner } from '../lib/local/runner.ts';

const help = `The whole product on this machine, on one port, without an account.

  npm run dev -- [--port N] [--data DIR] [--fresh]

  --port N     the product's port on 127.0.0.1 (3000)
  --data DIR   where everything is kept between starts (.local)
  --fresh      empties DIR first
  --help       this text

  PROVIDER_BASE_URL   another messaging provider than the simulator
  SITEVERIFY_URL      another CAPTCHA check than the simulator's
  DYNOXIDE_BIN        the DynamoDB emulator's binary, where npm has none for the platform
`;

/** What lib/local/demo.ts answers with, as far as it is printed. */
interface Demo {
  companies: readonly { name: string; tokens: Readonly<Record<string, string>> }[];
}

const root = resolve(import.meta.dirname, '..');

const start = async (): Promise<void> => {
  const options = readOptions();
  if (options === undefined) return;
  const { port, dataDir, fresh } = options;
  process.env.TZ = 'UTC';
  const began = performance.now();
  let runner: Runner | undefined;
  let ending = false;
  const end = async (code: number): Promise<void> => {
    if (ending) process.exit(code); // asked twice: at once
    ending = true;
    setTimeout(() => process.exit(code), 3000).unref();
    await runner?.stop().catch(() => {});
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(0));
  const onFatal = (reason: string): void => {
    if (ending) return;
    process.stderr.write(`The runner stops: ${reason}.\n`);
    void end(1);
  };
  process.on('unhandledRejection', (reason) => onFatal(reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)));

  runner = await startRunner({ root, outDir: join(root, 'cdk.out'), port, dataDir, fresh, onFatal });
  const demo = await seed(runner, dataDir);
  for (const sentence of runner.left) print(`note     ${sentence}`);
  print(`\nroutes   ${runner.baseUrl}/api/v1`);
  print(
    `control  ${runner.controlUrl}    provider ${runner.providerUrl}    data ${dataDir}    function logs ${join(dataDir, functionLogName)}`,
  );
  for (const { name, tokens } of demo?.companies ?? []) {
    for (const [role, token] of Object.entries(tokens)) print(`token    ${name}, ${role}: ${token}`);
  }
  const first = demo?.companies[0]?.tokens.owner;
  print(`try      curl${first ? ` -H 'Authorization: Bearer ${first}'` : ''} ${runner.baseUrl}/api/v1/me\n`);
  print(`ready    ${runner.baseUrl} in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  await runner.warm().catch((error: unknown) => print(`failed   ${String(error)}`));
};

/** Fills an empty product with the demo companies; a folder that has them keeps them. */
const seed = async (runner: Runner, dataDir: string): Promise<Demo | undefined> => {
  const module = join(root, 'lib', 'local', 'demo.ts');
  if (!existsSync(module)) return undefined;
  const { seedDemo } = (await import(module)) as {
    seedDemo: (o: {
      baseUrl: string;
      providerUrl: string;
      controlUrl: string;
      dataDir: string;
      env: Record<string, string>;
    }) => Promise<Demo>;
  };
  const { baseUrl, providerUrl, controlUrl, variables } = runner;
  return seedDemo({ baseUrl, providerUrl, controlUrl, dataDir, env: variables });
};

const readOptions = (): { port: number; dataDir: string; fresh: boolean } | undefined => {
  const { values } = parsed();
  if (values.help) {
    process.stdout.write(help);
    return undefined;
  }
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new StartProblem(`--port must be a number from 1 to 65535, not "${values.port}".`);
  return { port, dataDir: resolve(values.data), fresh: values.fresh };
};

const parsed = () => {
  try {
    return parseArgs({
      options: {
        port: { type: 'string', default: '3000' },
        data: { type: 'string', default: join(root, '.local') },
        fresh: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new StartProblem(`${error instanceof Error ? error.message : String(error)} See npm run dev -- --help.`);
  }
};

start().catch((error: unknown) => {
  const sentence = error instanceof StartProblem ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
});
