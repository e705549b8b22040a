import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as z from 'zod';
import openapi from '../../openapi.json' with { type: 'json' };
import { installTools } from '../support/foreign-tools.ts';
import { type CallStyle, generatorCalls, literal, type WalkGiven, walkIn } from '../support/generator-calls.ts';
import { type Product, startProduct } from '../support/product.ts';

/**
 * What integrators take in place of the product's own client: what each generator of TypeScript makes of openapi.json compiles under `strict`, and
 * passes the same calls on the running product, a file among them. Each with the settings that it has by itself, but for those named here.
 */
const root = join(import.meta.dirname, '../..');
const document = join(root, 'openapi.json');
const runTool = promisify(execFile);
let product: Product;
beforeAll(async () => {
  product = await startProduct({ startWithinMs: 600_000 });
  // conversations for two pages, and a contact who wrote first
  for (const from of ['4915100000001', '4915100000002'])
    await product.control('POST', 'provider/inbound', { company_id: product.companyId, from, name: 'Ada', type: 'text', text: 'Hello' });
  await product.idle();
}, 900_000);
afterAll(() => product.stop());

interface Generator {
  /** The folder of its packages, which several may share. */
  tools: string;
  versions: Readonly<Record<string, string>>;
  /** A file of settings beside the output. */
  config?: { name: string; text: (output: string) => string };
  command: (output: string, config: string) => readonly [command: string, ...args: string[]];
  style: CallStyle;
}

const typescript = '5.9.3';
interface DocumentedCall {
  operationId: string;
  parameters?: { in?: string }[];
  requestBody?: { content: object };
}
const operations = new Map(
  Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods as unknown as Record<string, DocumentedCall>).map(
      ([method, { operationId, parameters = [], requestBody }]) =>
        [
          operationId,
          {
            path,
            method: method.toUpperCase(),
            types: Object.keys(requestBody?.content ?? {}),
            takesQuery: parameters.some((each) => each.in === 'query'),
          },
        ] as const,
    ),
  ),
);
const operationOf = (name: string): { path: string; method: string; types: string[]; takesQuery: boolean } => {
  const found = operations.get(name);
  if (!found) throw new Error(`There is no operation ${name}.`);
  return found;
};

/** A client of its own for each credential: its headers are not declared as parameters. */
const clientsOf = (made: string): string => `  const clients = { token: ${made.replaceAll('$', 'token')},
    erp: ${made.replaceAll('$', 'erp')}, verification: ${made.replaceAll('$', 'verification')} };`;

const needed = `const needed = <T>({ data, error }: { data?: T | undefined; error?: unknown }): T => {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
};
const refused = <E>({ error }: { error?: E | undefined }): E => {
  if (error === undefined) throw new Error('The call was not refused.');
  return error;
};`;

const heyApi: CallStyle = {
  imports: `import * as sdk from './out';\nimport { createClient, createConfig } from './out/client';\n${needed}`,
  prelude: clientsOf('createClient(createConfig({ baseUrl: given.baseUrl, headers: headers.$ }))'),
  call: ({ operation, body, id, query, idempotencyKey, credential, isRefused }) => {
    const options = literal({
      client: `clients.${credential}`,
      body,
      path: id && `{ id: ${id} }`,
      query,
      headers: idempotencyKey && `{ 'Idempotency-Key': ${idempotencyKey} }`,
    });
    return `${isRefused ? 'refused' : 'needed'}(await sdk.${operation}(${options}))`;
  },
};

const openapiFetch: CallStyle = {
  imports: `import createClient from 'openapi-fetch';\nimport type { paths } from './out';\n${needed}
const asForm = (body: object): FormData => {
  const filled = new FormData();
  for (const [name, value] of Object.entries(body)) filled.append(name, value as string | Blob);
  return filled;
};`,
  prelude: clientsOf('createClient<paths>({ baseUrl: given.baseUrl, headers: headers.$ })'),
  call: ({ operation, body, id, query, idempotencyKey, credential, isRefused, isForm }) => {
    const { method, path } = operationOf(operation);
    const header = idempotencyKey && `{ 'Idempotency-Key': ${idempotencyKey} }`;
    const parameters = [id, query, header].some((each) => each !== undefined)
      ? literal({ path: id && `{ id: ${id} }`, query, header })
      : undefined;
    // the types have a file as a text: https://openapi-ts.dev/openapi-fetch/api#bodyserializer
    const sent = isForm ? body?.replace('given.picture', 'given.picture as unknown as string') : body;
    const options = literal({ body: sent, params: parameters, bodySerializer: isForm && 'asForm' });
    return `${isRefused ? 'refused' : 'needed'}(await clients.${credential}.${method}('${path}', ${options}))`;
  },
  hasForms: true,
};

/** Orval's functions take parts of the path, the body, the query and the options of fetch; the answer has its status. */
const orvalFetch = (isSplit: boolean): CallStyle => ({
  imports: `import * as api from './out';
const needed = <R extends { status: number; data: unknown }, S extends R['status']>(answer: R, status: S): Extract<R, { status: S }>['data'] => {
  if (answer.status !== status) throw new Error(JSON.stringify(answer.data));
  return answer.data as Extract<R, { status: S }>['data'];
};`,
  prelude: '',
  call: ({ operation, body, id, query, idempotencyKey, credential, isRefused, isForm }) => {
    const { types, takesQuery } = operationOf(operation);
    const isTwo = types.length > 1;
    const name = isSplit && isTwo ? `${operation}With${isForm ? 'FormData' : 'Json'}` : operation;
    const more = literal({
      // of a body that may be JSON or a form, orval without its split says neither
      "'Content-Type'": isTwo && !isSplit ? "'application/json'" : undefined,
      "'Idempotency-Key'": idempotencyKey,
    });
    const options = `{ headers: { ...headers.${credential}, ...${more} } }`;
    const status = isRefused ? 422 : operation === 'createProduct' ? 201 : 200;
    const args = [id, body, query ?? (takesQuery ? '{}' : undefined), options].filter((each) => each !== undefined);
    return `needed(await api.${name}(${args.join(', ')}), ${status})`;
  },
  ...(isSplit ? { hasForms: true as const } : {}),
});

/** Orval's schemas of Zod, for calls by hand: each body and each answer is read by them. */
const orvalZod = (nameOf: (operation: string) => string, answerOf = nameOf): CallStyle => ({
  imports: `import type { z } from 'zod';
import * as schemas from './out';
const call = async <S extends z.ZodType>(
  schema: S, url: string, method: string, headers: Record<string, string>, body?: unknown,
): Promise<z.infer<S>> => {
  const answer = await fetch(url, { method, headers: { 'Content-Type': 'application/json', ...headers }, ...(body ? { body: JSON.stringify(body) } : {}) });
  const read: unknown = await answer.json();
  if (!answer.ok) throw new Error(JSON.stringify(read));
  return schema.parse(read);
};
const refusedBy = (schema: z.ZodType, body: unknown) => {
  if (schema.safeParse(body).success) return { code: 'validation_failed', errors: { phone: [] }, doc_url: 'validation_failed' };
  throw new Error('The document refuses the body.');
};`,
  prelude: '',
  call: ({ operation, body, id, query, idempotencyKey, credential, isRefused }) => {
    const { method, path } = operationOf(operation);
    const name = nameOf(operation);
    if (isRefused) return `refusedBy(schemas.${name}Body, ${body})`;
    const filled = path.replace('{id}', `\${${id}}`);
    const search = query === undefined ? '' : `?\${new URLSearchParams(Object.entries(${query}).map(([n, v]) => [n, String(v)]))}`;
    const headers = `{ ...headers.${credential}, ...${literal({ "'Idempotency-Key'": idempotencyKey })} }`;
    const sent = body === undefined ? '' : `, schemas.${name}Body.parse(${body})`;
    return `await call(schemas.${answerOf(operation)}Response, \`\${given.baseUrl}${filled}${search}\`, '${method}', ${headers}${sent})`;
  },
});

const swaggerTypescriptApi: CallStyle = {
  imports: `import { Api, type HttpResponse } from './out/Api';
const needed = <T>({ data }: HttpResponse<T, unknown>): T => data;
const refused = async <E>(call: Promise<HttpResponse<unknown, E>>): Promise<E> => {
  try {
    await call;
  } catch (thrown) {
    return (thrown as HttpResponse<unknown, E>).error;
  }
  throw new Error('The call was not refused.');
};`,
  prelude: clientsOf('new Api({ baseUrl: given.baseUrl, baseApiParams: { headers: headers.$ } })'),
  call: ({ operation, body, id, query, idempotencyKey, credential, isRefused }) => {
    const options = idempotencyKey && `{ headers: { 'Idempotency-Key': ${idempotencyKey} } }`;
    const args = [id, body, query, options].filter((each) => each !== undefined);
    const made = `clients.${credential}.api.${operation}(${args.join(', ')})`;
    return isRefused ? `await refused(${made})` : `needed(await ${made})`;
  },
};

const orval7 = { tools: 'orval-7', versions: { orval: '7.21.0', zod: '4.6.7', typescript } };
const orval8 = { tools: 'orval-8', versions: { orval: '8.38.0', zod: '4.6.7', typescript } };
const orvalSettings = (client: 'fetch' | 'zod', override: object = {}): Pick<Generator, 'config' | 'command'> => ({
  config: {
    name: 'orval.config.cjs',
    text: (output) => {
      const written = {
        target: join(output, 'out.ts'),
        client,
        mode: 'single',
        ...(client === 'fetch' ? { baseUrl: product.baseUrl } : {}),
        override,
      };
      return `module.exports = ${JSON.stringify({ api: { input: document, output: written } })};\n`;
    },
  },
  command: (_output, config) => ['orval', '--config', config],
});
const capital = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;

const generators: Readonly<Record<string, Generator>> = {
  'hey-api': {
    tools: 'hey-api',
    versions: { '@hey-api/openapi-ts': '0.99.0', typescript },
    command: (output) => ['openapi-ts', '-i', document, '-o', join(output, 'out'), '-s'],
    style: heyApi,
  },
  'openapi-typescript': {
    tools: 'openapi-typescript',
    versions: { 'openapi-typescript': '7.13.0', 'openapi-fetch': '0.17.0', typescript },
    command: (output) => ['openapi-typescript', document, '-o', join(output, 'out.ts')],
    style: openapiFetch,
  },
  'orval 7, fetch': { ...orval7, ...orvalSettings('fetch'), style: orvalFetch(false) },
  'orval 7, zod': {
    ...orval7,
    ...orvalSettings('zod'),
    style: orvalZod(
      (name) => name,
      // it writes no schema of an answer 201
      (name) => (name === 'createProduct' ? 'getProduct' : name),
    ),
  },
  'orval 8, fetch': { ...orval8, ...orvalSettings('fetch'), style: orvalFetch(false) },
  'orval 8, fetch, split by content type': { ...orval8, ...orvalSettings('fetch', { splitByContentType: true }), style: orvalFetch(true) },
  'orval 8, zod': { ...orval8, ...orvalSettings('zod'), style: orvalZod(capital) },
  'swagger-typescript-api': {
    tools: 'swagger-typescript-api',
    versions: { 'swagger-typescript-api': '13.13.0', typescript },
    command: (output) => ['swagger-typescript-api', 'generate', '-p', document, '-o', join(output, 'out')],
    style: swaggerTypescriptApi,
  },
};

test.each(Object.entries(generators).map(([name, generator], nth) => [name, generator, nth + 1] as const))(
  '%s: what it makes of the document compiles under strict and passes every call',
  async (name, { tools, versions, config, command, style }, nth) => {
    const { folder, command: commandIn } = await installTools(tools, versions);
    const output = join(folder, name.replaceAll(/\W+/g, '-'));
    rmSync(output, { recursive: true, force: true });
    mkdirSync(output, { recursive: true });
    const settings = join(output, config?.name ?? 'none');
    if (config) writeFileSync(settings, config.text(output));
    const [tool, ...args] = command(output, settings);
    await runTool(process.execPath, [commandIn(tool), ...args], { cwd: output, maxBuffer: 1e8 });
    writeFileSync(join(output, 'walk.ts'), walkIn(style));
    expect(await errorsOf(output, join(folder, 'node_modules/typescript/bin/tsc'))).toBe('');
    const bundle = join(output, 'walk.mjs');
    await build({
      entryPoints: [join(output, 'walk.ts')],
      outfile: bundle,
      bundle: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'error',
    });
    const { walk } = (await import(pathToFileURL(bundle).href)) as { walk: (given: WalkGiven) => Promise<string[]> };
    const called = await walk(await givenTo(nth));
    expect(called).toEqual(generatorCalls.filter(({ isForm }) => !isForm || style.hasForms).map(({ operation }) => operation));
    console.log(`${name}: ${called.length} calls`);
  },
  900_000,
);

/** As a project that takes every check of types; a library of hey-api does not compile under exactOptionalPropertyTypes, whatever the document. */
async function errorsOf(folder: string, tsc: string): Promise<string> {
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: !existsSync(join(folder, 'out/client')),
    target: 'es2022',
    module: 'preserve',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    noEmit: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['walk.ts', 'out', 'out.ts'] }));
  const { stdout } = await runTool(process.execPath, [tsc, '-p', folder], { maxBuffer: 1e8 }).catch(
    (error: unknown) => error as { stdout: string },
  );
  return stdout.slice(0, 5_000);
}

const sentMessages = z.object({ data: z.array(z.unknown()) });

async function givenTo(nth: number): Promise<WalkGiven> {
  const { demo, baseUrl, control } = product;
  const company = demo.companies[0];
  if (!company) throw new Error('There is no demo company.');
  const codes = async (): Promise<unknown[]> => sentMessages.parse((await control('GET', 'provider/messages')).body).data;
  const before = (await codes()).length;
  return {
    baseUrl,
    token: company.tokens.owner,
    erpToken: company.shop.erp_token,
    publicKey: company.verification.public_key,
    run: String(nth),
    phone: `+49151234500${10 + nth}`,
    otherPhone: `+49151234600${10 + nth}`,
    receiver: `${baseUrl}/docs/receiver-${nth}`,
    pdf: new Blob(['%PDF-1.4\n%%EOF\n'], { type: 'application/pdf' }),
    csv: new Blob([`phone,name\n+49151234700${10 + nth},Grace Hopper\n`]),
    picture: new File([Buffer.from(pixel, 'base64')], 'pixel.png', { type: 'image/png' }),
    put: async (url, headers, file) => {
      const sent = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
      const answer = await fetch(url, { method: 'PUT', headers: Object.fromEntries(sent), body: file });
      if (!answer.ok) throw new Error(`The upload was answered ${answer.status}: ${await answer.text()}`);
    },
    idle: () => product.idle(),
    codeThatCame: () =>
      vi.waitFor(
        async () => {
          const sent = (await codes()).slice(before).map((each) => JSON.stringify(each));
          const code = sent.map((each) => /"text":"(\d{4,8})"/.exec(each)?.[1]).findLast((each) => each !== undefined);
          if (code === undefined) throw new Error('No code came.');
          return code;
        },
        { timeout: 60_000, interval: 100 },
      ),
  };
}

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
