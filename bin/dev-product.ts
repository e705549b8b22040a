import './closed-output.ts';
import './end-with-npm.ts';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SwitchboardProblem } from '../client/client.ts';
import { ensureConsole } from '../lib/console/ensure.ts';
import { print } from '../lib/local/console.ts';
import { StartProblem } from '../lib/local/data-folder.ts';
import { overHttp, seedDemo } from '../lib/local/demo.ts';
import { fillExampleCompany } from '../lib/local/example-company.ts';
import { functionLogName, type Runner, startRunner } from '../lib/local/runner.ts';
import { streamShape } from '../lib/local/stream.ts';

const help = `The whole product on this machine, on one port, without an account.

  npm run dev -- [--port N] [--data DIR] [--fresh] [--warm] [--cors ORIGIN] [--no-window] [--no-pages] [--no-example]

  --port N     the product's port on 127.0.0.1 (3000)
  --data DIR   where everything is kept between starts (.local)
  --fresh      empties DIR first
  --warm       starts each function beforehand, not with its first call: about 25 MB each
  --cors ORIGIN  a web page of this origin may call the API, as those of localhost may; several times
  --no-window  free-form messages reach everybody; without it the simulator fails them outside the 24-hour window, as the provider does
  --no-pages   leaves the pages under /console as they were built last
  --no-example leaves out the third demo company, which is filled with conversations, leads and orders after the first start
  --help       this text

  PROVIDER_BASE_URL   another messaging provider than the simulator
  SITEVERIFY_URL      another CAPTCHA check than the simulator's
  VERIFICATION_ANSWER_MS  in which steps verification answers, in milliseconds (25)
  STREAM_SHARDS       how many shards the table's change stream has (4)
  DYNOXIDE_BIN        the DynamoDB emulator's binary, where npm has none for the platform
`;

const root = resolve(import.meta.dirname, '..');

const start = async (): Promise<void> => {
  const options = readOptions();
  if (options === undefined) return;
  const { port, dataDir, fresh, warm, pages, enforcesWindow, corsOrigins, withExample } = options;
  process.env.TZ = 'UTC';
  const began = performance.now();
  let runner: Runner | undefined;
  let ending = false;
  const end = async (code: number): Promise<void> => {
    if (ending) process.exit(code); // a second request ends at once
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

  const stream = { ...streamShape, shards: streamShards() };
  runner = await startRunner({ root, outDir: join(root, 'cdk.out'), port, dataDir, fresh, corsOrigins, enforcesWindow, stream, onFatal });
  const { baseUrl, providerUrl, controlUrl, variables } = runner;
  const demo = await seedDemo({ baseUrl, providerUrl, controlUrl, dataDir, env: variables, withExample });
  // for the operator's command line, which works on the same table
  writeFileSync(join(dataDir, 'runtime.json'), JSON.stringify({ pid: process.pid, env: variables }), { mode: 0o600 });
  for (const sentence of runner.left) print(`note     ${sentence}`);
  print(`\npages    ${runner.baseUrl}/console    sign in with one click`);
  print(`routes   ${runner.baseUrl}/api/v1`);
  print(
    `control  ${runner.controlUrl}    provider ${runner.providerUrl}    data ${dataDir}    function logs ${join(dataDir, functionLogName)}`,
  );
  for (const { name, tokens } of demo.companies) {
    for (const [role, token] of Object.entries(tokens)) print(`token    ${name}, ${role}: ${token}`);
  }
  const token = demo.companies[0]?.tokens.owner;
  print(
    `try      curl ${baseUrl}/api/v1/messages/template -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '{"phone":"4915123456789","template_name":"hello_world","template_language":"en_US"}'\n`,
  );
  print(`ready    ${runner.baseUrl} in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  // after the ready line, so that a start never waits for it: who is quicker sees a page that reloads by itself
  if (pages) {
    await ensureConsole(root).then(
      (built) => built && print(`pages    ${runner?.baseUrl}/console`),
      (error: unknown) => print(`failed   ${error instanceof Error ? error.message : String(error)}`),
    );
  }
  const filled = demo.companies.find(({ is_example: isExample }) => isExample);
  if (filled)
    await fillExampleCompany({ baseUrl, dataDir, company: filled, control: overHttp(controlUrl) }).catch((error: unknown) =>
      print(
        `failed   ${filled.name} has not all of its content: ${error instanceof SwitchboardProblem ? `${error.message} ${JSON.stringify(error.errors)}` : String(error)}`,
      ),
    );
  if (warm) await runner.warm().catch((error: unknown) => print(`failed   ${String(error)}`));
};

const readOptions = ():
  | {
      port: number;
      dataDir: string;
      fresh: boolean;
      warm: boolean;
      pages: boolean;
      enforcesWindow: boolean;
      withExample: boolean;
      corsOrigins: readonly string[];
    }
  | undefined => {
  const { values } = parsed();
  if (values.help) {
    process.stdout.write(help);
    return undefined;
  }
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new StartProblem(`--port must be a number from 1 to 65535, not "${values.port}".`);
  const corsOrigins = values.cors;
  const wrong = corsOrigins.find((each) => !/^https?:\/\/[^/]+$/.test(each));
  if (wrong !== undefined) throw new StartProblem(`--cors must be an origin such as https://shop.example, without a path, not "${wrong}".`);
  return {
    port,
    dataDir: resolve(values.data),
    fresh: values.fresh,
    warm: values.warm,
    pages: !values['no-pages'],
    enforcesWindow: !values['no-window'],
    withExample: !values['no-example'],
    corsOrigins,
  };
};

const streamShards = (): number => {
  const shards = Number(process.env.STREAM_SHARDS || streamShape.shards);
  if (!Number.isInteger(shards) || shards < 1 || shards > 256)
    throw new StartProblem(`STREAM_SHARDS must be a number from 1 to 256, not "${process.env.STREAM_SHARDS}".`);
  return shards;
};

const parsed = () => {
  try {
    return parseArgs({
      options: {
        port: { type: 'string', default: '3000' },
        data: { type: 'string', default: join(root, '.local') },
        fresh: { type: 'boolean', default: false },
        warm: { type: 'boolean', default: false },
        cors: { type: 'string', multiple: true, default: [] },
        'no-window': { type: 'boolean', default: false },
        'no-pages': { type: 'boolean', default: false },
        'no-example': { type: 'boolean', default: false },
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
