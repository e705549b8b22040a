import './closed-output.ts';
import './end-with-npm.ts';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { print } from '../lib/local/console.ts';
import { startReceiver } from '../lib/local/receiver/server.ts';

const help = `Listens to the product on this machine and prints what it hears, checked.

  npm run receiver -- [--data DIR] [--events LIST] [--port N]

  --data DIR      the data folder of npm run dev (.local); its first demo company is listened to
  --events LIST   what to listen to: message.received,order.* (*)
  --port N        the receiver's port (any that is free)
`;

const demoFile = z.object({
  base_url: z.string(),
  companies: z.array(z.object({ name: z.string(), tokens: z.object({ admin: z.string() }) })).min(1),
});
const created = z.object({ data: z.object({ id: z.int(), secret: z.string() }) });

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: join(import.meta.dirname, '../.local') },
    events: { type: 'string', default: '*' },
    port: { type: 'string', default: '0' },
    help: { type: 'boolean', default: false },
  },
});

const receiveEvents = async (): Promise<void> => {
  const demo = demoFile.parse(JSON.parse(readFileSync(join(resolve(values.data), 'demo.json'), 'utf8')));
  const [company] = demo.companies;
  if (!company) return;
  const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await fetch(`${demo.base_url}/api/v1/webhooks${path}`, {
      method,
      headers: { authorization: `Bearer ${company.tokens.admin}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} /api/v1/webhooks${path} was answered ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  let secret = '';
  const receiver = await startReceiver(
    Number(values.port),
    () => secret,
    ({ verified, event, repeated }) => {
      const line = event ? `${event.event.padEnd(22)} ${event.id}${repeated ? ' (again)' : ''} ${JSON.stringify(event.data)}` : '';
      print(verified ? `verified ${line}` : 'refused  a call that is not signed');
    },
  );
  const endpoint = created.parse(await call('POST', '', { url: receiver.url, events: values.events.split(',') })).data;
  ({ secret } = endpoint);
  print(`listens  for ${company.name} at ${receiver.url}, endpoint ${endpoint.id}, to ${values.events}; ends with Ctrl-C`);
  await call('POST', `/${endpoint.id}/test`);
  const end = async (): Promise<void> => {
    await call('DELETE', `/${endpoint.id}`).catch((error: unknown) => print(String(error)));
    await receiver[Symbol.asyncDispose]();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end());
};

if (values.help) print(help);
else
  receiveEvents().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\nIs npm run dev running, with the same --data?\n`);
    process.exit(1);
  });
