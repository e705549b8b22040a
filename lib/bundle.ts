import { readFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import * as z from 'zod';
import type { Context, FunctionSpec } from '../shared/contract/context.ts';
import { type LateExports, lateExportsOf } from './late-schemas.ts';
import { parse } from './syntax.ts';
import { withoutDocumentation } from './without-documentation.ts';

/**
 * One file of plain JavaScript for each function: everything it needs, the AWS SDK included (7 to 18 ms sooner ready than with the
 * runtime's copy), minified, with its source map beside it. The same sources give the same bytes, wherever the output lies.
 */
export const bundle = async (
  contexts: readonly Context[],
  outDir: string,
  /** Of a function whose SDK clients are not the product's own: they send and sign as the SDK does. */
  { hasTransportOfSdk = false } = {},
): Promise<Bundles> => {
  const functions = contexts.flatMap((context) => context.functions);
  const { files, metafile } = await compile(functions, hasTransportOfSdk);
  await rm(outDir, { recursive: true, force: true });
  await Promise.all([...files, ...(await filesBeside(functions))].map((file) => write(join(outDir, file.name), file.contents)));
  return { folderOf: (name) => join(outDir, name), metafile };
};

export interface Bundles {
  /** The folder that is uploaded: `main.mjs`, its source map and the function's files. */
  folderOf: (functionName: string) => string;
  metafile: Metafile;
}

/** Bytes of minified code each function loads; its source map, read only after a failure, is not counted. */
export const bundleSizes = async (contexts: readonly Context[]): Promise<Record<string, number>> => {
  const { files } = await compile(contexts.flatMap((context) => context.functions));
  return Object.fromEntries(
    files.filter((file) => file.name.endsWith('.mjs')).map((file) => [dirname(file.name), file.contents.length] as const),
  );
};

/** What a function may weigh, bytes (1 KB = 1,000 bytes), by what wakes it. */
export const sizeBudget = (spec: FunctionSpec): number => (spec.trigger === 'http' ? 500_000 : 450_000);

const root = join(import.meta.dirname, '..');

/** esbuild gets an output folder that never varies, so that the paths inside source maps do not either. */
const nominalOut = join(root, 'cdk.out', 'bundles');

const formatsAt = 4;
const plans = z.record(z.string(), z.array(z.unknown()));
const phoneData = z.looseObject({ version: z.literal(4), countries: plans, nonGeographic: plans.optional() });
type PhoneData = z.output<typeof phoneData>;
const countryNames = z.looseObject({ countries: z.record(z.string(), z.unknown()) });

interface CompiledFile {
  /** `contacts-http/main.mjs` */
  name: string;
  contents: Uint8Array;
}

async function compile(
  functions: readonly FunctionSpec[],
  hasTransportOfSdk = false,
): Promise<{ files: CompiledFile[]; metafile: Metafile }> {
  if (functions.length === 0) return { files: [], metafile: { inputs: {}, outputs: {} } };
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(functions.map(({ name, entry }) => [`${name}/main`, entry])),
    outdir: nominalOut,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    minify: true,
    sourcemap: 'linked',
    sourcesContent: false,
    mainFields: ['module', 'main'],
    alias: {
      '@aws-sdk/credential-provider-node': './lib/aws/credentials.ts',
      '@smithy/core/event-streams': './lib/aws/event-streams.ts',
      '@aws/lambda-invoke-store': './lib/aws/invoke-store.ts',
      '@aws-sdk/endpoint-cache': './lib/aws/endpoint-cache.ts',
    },
    plugins: [
      phoneNumbersWithoutFormats,
      countryNamesWhenUsed,
      schemasWithoutJsonSchema,
      httpWithoutFetch,
      versionsOfClients,
      hashesOfNode,
      callsWithoutLog,
      ...(hasTransportOfSdk ? [] : [transportOfOurs]),
      passkeysWithoutCertificates,
      contractsWithoutDocumentation,
    ],
    // Packages written for CommonJS call `require` for Node's own modules. And zod
    // compiles no parsers: each would cost a new function's compilation to be used a few times, and the check whether it may, 3 ms.
    banner: {
      js: 'const require=process.getBuiltinModule;globalThis.__zod_globalConfig={jitless:true};',
    },
    legalComments: 'none',
    logLevel: 'error',
  });
  const files = outputFiles.map((file) => ({ name: relative(nominalOut, file.path), contents: file.contents }));
  return { files: files.toSorted((a, b) => (a.name < b.name ? -1 : 1)), metafile };
}

/** The files that functions read at run time. */
const filesBeside = (functions: readonly FunctionSpec[]): Promise<CompiledFile[]> =>
  Promise.all(
    functions.flatMap(({ name, files }) =>
      Object.entries(files ?? {}).map(async ([file, source]) => ({
        name: `${name}/${file}`,
        contents: await readFile(join(root, source)),
      })),
    ),
  );

/**
 * libphonenumber's data without the patterns by which numbers are written for people to read: 51 of its 83 KB. The product parses,
 * distinguishes countries and keeps digits; it never formats. As a text that is parsed with the first phone, not with the start.
 */
export const phoneNumbersWithoutFormats: Plugin = {
  name: 'phone-numbers-without-formats',
  setup(builder) {
    builder.onLoad({ filter: /libphonenumber-js[/\\]metadata\.min\.json\.js$/ }, async ({ path }) => ({
      contents: whenUsed(withoutFormats(phoneData.parse(JSON.parse(await readFile(path.replace(/\.js$/, ''), 'utf8'))))),
      loader: 'js',
    }));
    builder.onLoad({ filter: /libphonenumber-js[/\\]es6[/\\]format\.js$/ }, () => ({
      contents:
        "export default () => { throw new Error('Phone numbers are not formatted here.'); }; export const chooseFormatForNumber = () => undefined;",
      loader: 'js',
    }));
    // the same without 1 KB of helpers for old browsers: the lengths of both, each once, in order
    builder.onLoad({ filter: /libphonenumber-js[/\\]es6[/\\]helpers[/\\]mergeArrays\.js$/ }, () => ({
      contents: 'export default (a, b) => [...new Set([...a, ...b])].sort((one, other) => one - other);',
      loader: 'js',
    }));
    // its error class in the language of today, without 3 KB of helpers for browsers that have no classes
    builder.onLoad({ filter: /libphonenumber-js[/\\]es6[/\\]ParseError\.js$/ }, () => ({
      contents: "export default class ParseError extends Error { name = 'ParseError' }",
      loader: 'js',
    }));
    builder.onLoad({ filter: /libphonenumber-js[/\\]es6[/\\].*\.js$/ }, async ({ path }) => ({
      contents: withNativeSyntax(await readFile(path, 'utf8')),
      loader: 'js',
    }));
  },
};

/**
 * A module that Babel wrote for old browsers, its helpers (each a line of their own, in every file) as today's language has them: the
 * library destructures and walks arrays alone.
 */
export const withNativeSyntax = (source: string): string =>
  source.replaceAll(/^function (_\w+)\(.*\}$/gm, (helper, name: string) => nativeHelpers[name] ?? helper);
const nativeHelpers: Readonly<Record<string, string>> = {
  _typeof: 'const _typeof = (value) => typeof value;',
  _toPropertyKey: 'const _toPropertyKey = (key) => key;',
  _objectSpread: 'const _objectSpread = (...parts) => Object.assign(...parts);',
  _slicedToArray: 'const _slicedToArray = (list) => list;',
  _classCallCheck: 'const _classCallCheck = () => {};',
  _createForOfIteratorHelperLoose:
    'function _createForOfIteratorHelperLoose(list) { const each = list.values(); return () => each.next(); }',
};

/** Names of countries as a text that is parsed with the first one: 5 KB of every function that may show one. */
const countryNamesWhenUsed: Plugin = {
  name: 'country-names-when-used',
  setup(builder) {
    builder.onLoad({ filter: /i18n-iso-countries[/\\]langs[/\\]en\.json$/ }, async ({ path }) => ({
      contents: whenUsed(countryNames.parse(JSON.parse(await readFile(path, 'utf8')))),
      loader: 'js',
    }));
  },
};

/**
 * zod without the code that writes JSON Schema: the OpenAPI document is made at build time, and no function describes its schemas. Every
 * export stays, and says so when it is called.
 */
const schemasWithoutJsonSchema: Plugin = {
  name: 'schemas-without-json-schema',
  setup(builder) {
    builder.onLoad({ filter: /zod[/\\]v4[/\\]core[/\\](json-schema-processors|to-json-schema)\.js$/ }, async ({ path }) => ({
      contents: withoutJsonSchema(await readFile(path, 'utf8')),
      loader: 'js',
    }));
  },
};

/**
 * Node's http as CommonJS gives it. An `import` of it reads all its exports, WebSocket among them, which loads the whole of fetch: 10 ms of a
 * start that may never fetch anything.
 */
const httpWithoutFetch: Plugin = {
  name: 'http-without-fetch',
  setup(builder) {
    builder.onResolve({ filter: /^(node:)?http$/ }, () => ({ path: 'http', namespace: 'without-fetch' }));
    builder.onLoad({ filter: /.*/, namespace: 'without-fetch' }, () => ({
      contents: [
        "const http = process.getBuiltinModule('node:http');",
        'export const { Agent, request, STATUS_CODES } = http;',
        'export default http;',
      ].join('\n'),
    }));
  },
};

/** Of the package.json of each AWS client the version alone: the client reads nothing else of its 2 KB. */
const versionsOfClients: Plugin = {
  name: 'versions-of-clients',
  setup(builder) {
    builder.onLoad({ filter: /@aws-sdk[/\\]client-[^/\\]+[/\\]package\.json$/ }, async ({ path }) => ({
      contents: JSON.stringify(versionSchema.parse(JSON.parse(await readFile(path, 'utf8')))),
      loader: 'json',
    }));
  },
};
const versionSchema = z.object({ version: z.string() });

/**
 * The SDK's hashes without the question whether Node has its crypto, which makes a hash of each kind with every start, and without the 5 KB
 * that would answer for it.
 */
const hashesOfNode: Plugin = {
  name: 'hashes-of-node',
  setup(builder) {
    builder.onLoad({ filter: /@smithy[/\\]core[/\\].*[/\\](Md5|Sha256)Node\.js$/ }, async ({ path }) => ({
      contents: withNodeCrypto(await readFile(path, 'utf8')),
      loader: 'js',
    }));
  },
};
export const withNodeCrypto = (source: string): string =>
  source
    .replace(/^const hasNativeCrypto = .*?^\}\)\(\);\n/ms, '')
    .replace(/hasNativeCrypto \? buildNativeClass\(\) : \w+;/, 'buildNativeClass();');

/** The SDK's middleware that logs each call, if a client has a logger: none has. */
const callsWithoutLog: Plugin = {
  name: 'calls-without-log',
  setup(builder) {
    builder.onLoad({ filter: /@aws-sdk[/\\]core[/\\].*[/\\]loggerMiddleware\.js$/ }, () => ({
      contents: [
        'export const loggerMiddleware = () => (next) => next;',
        'export const loggerMiddlewareOptions = {};',
        'export const getLoggerPlugin = () => ({ applyToStack: () => {} });',
      ].join('\n'),
      loader: 'js',
    }));
  },
};

/** The product's HTTP handler and signer where the SDK has its own, which no client of the product uses: lib/aws/own-transport.ts. */
const transportOfOurs: Plugin = {
  name: 'transport-of-ours',
  setup(builder) {
    const ours = { path: join(root, 'lib', 'aws', 'own-transport.ts') };
    builder.onResolve({ filter: /^@smithy[/]node-http-handler$/ }, () => ours);
    builder.onResolve({ filter: /^@smithy[/]signature-v4$/ }, ({ importer }) =>
      /@aws-sdk[/\\]core[/\\]/.test(importer) ? ours : undefined,
    );
  },
};

/**
 * WebAuthn without the certificates of devices, 120 KB: passkeys are taken from any device, so none has to attest itself. And the
 * numbers of an ECDSA signature read by 30 lines, in place of 120 KB for any ASN.1. docs/decisions/passkeys.md
 */
const passkeysWithoutCertificates: Plugin = {
  name: 'passkeys-without-certificates',
  setup(builder) {
    const certificates = ['validateCertificatePath', 'isCertRevoked', 'getCertificateInfo', 'convertCertBufferToPEM'];
    const ofDevices = ['convertX509PublicKeyToCOSE', 'validateExtFIDOGenCEAAGUID', 'mapX509SignatureAlgToCOSEAlg'];
    const formats = ['FIDOU2F', 'AndroidSafetyNet', 'TPM', 'AndroidKey', 'Apple'].map((format) => `verifyAttestation${format}`);
    const refused = new RegExp(
      `@simplewebauthn[/\\\\]server[/\\\\].*[/\\\\](${[...certificates, ...ofDevices, ...formats].join('|')})\\.js$`,
    );
    builder.onLoad({ filter: refused }, async ({ path }) => ({ contents: refusingAll(await readFile(path, 'utf8')), loader: 'js' }));
    builder.onLoad(
      { filter: /@simplewebauthn[/\\]server[/\\].*[/\\](verifyAttestationWithMetadata|metadataService)\.js$/ },
      async ({ path }) => ({
        contents: refusingAll(await readFile(path, 'utf8')),
        loader: 'js',
      }),
    );
    builder.onLoad({ filter: /@simplewebauthn[/\\]server[/\\].*[/\\]settingsService\.js$/ }, () => ({
      contents: 'export const SettingsService = { getRootCertificates: () => [], runtimeSupportsPQC: () => false };',
      loader: 'js',
    }));
    builder.onLoad({ filter: /@simplewebauthn[/\\]server[/\\].*[/\\]unwrapEC2Signature\.js$/ }, () => ({
      contents: "export { unwrapEC2Signature } from './lib/aws/ecdsa-signature.ts';",
      resolveDir: root,
      loader: 'js',
    }));
  },
};
/** The exports of a module, each of which says when it is called that it is left out. */
const refusingAll = (source: string): string =>
  [
    "const refuse = () => { throw new Error('Attestations of devices are left out of the bundles: see lib/bundle.ts.'); };",
    ...[...source.matchAll(/^export (?:async )?(?:const|function|class) (\w+)/gm)].map(([, name = '']) => `export const ${name} = refuse;`),
  ].join('\n');

/** Our own modules without what only the OpenAPI document reads, their schemas built when they are used. */
const contractsWithoutDocumentation: Plugin = {
  name: 'contracts-without-documentation',
  setup(builder) {
    const modules = new Map<string, LateExports>();
    const exportsOf = (path: string): LateExports => {
      const known = modules.get(path) ?? lateExportsOf(parse(readFileSync(path, 'utf8')));
      modules.set(path, known);
      return known;
    };
    const isLate = (importer: string, specifier: string, name: string): boolean => {
      const path = join(dirname(importer), specifier);
      if (!specifier.startsWith('.') || !isOurs(path)) return false;
      const { own, passedOn, all } = exportsOf(path);
      const from = passedOn.get(name);
      return own.has(name) || (from ? isLate(path, from.specifier, from.name) : all.some((other) => isLate(path, other, name)));
    };
    builder.onLoad({ filter: /[/\\](functions|shared)[/\\][^.]*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      if (!isOurs(path)) return { contents: source, loader: 'ts' };
      return { contents: withoutDocumentation(source, (specifier, name) => isLate(path, specifier, name)), loader: 'ts' };
    });
  },
};
const isOurs = (path: string): boolean => /^(functions|shared)[/\\].*\.ts$/.test(relative(root, path));

export const withoutJsonSchema = (source: string): string => {
  const names = [...source.matchAll(/^export (?:const|function) (\w+)/gm)].map(([, name = '']) => name);
  const aliases = [...source.matchAll(/^export \{ (\w+ as \w+) \};/gm)].map(([, alias = '']) => `export { ${alias} };`);
  return [
    "const refuse = () => { throw new Error('JSON Schema is left out of the bundles: see lib/bundle.ts.'); };",
    // these make a method for each schema, which is never called
    ...names.map((name) => `export const ${name} = ${name.startsWith('create') ? '() => refuse' : 'refuse'};`),
    ...aliases,
  ].join('\n');
};

/** Metadata of version 4: a country is a list, its formats the fifth thing in it. */
export const withoutFormats = (data: PhoneData): PhoneData => {
  const strip = (plans: PhoneData['countries']): PhoneData['countries'] =>
    Object.fromEntries(Object.entries(plans).map(([name, plan]) => [name, plan.map((part, at) => (at === formatsAt ? 0 : part))]));
  return { ...data, countries: strip(data.countries), ...(data.nonGeographic ? { nonGeographic: strip(data.nonGeographic) } : {}) };
};

/** A module whose default export is the data, made when one of its parts is first read. */
const whenUsed = (data: Record<string, unknown>): string => {
  const parts = Object.keys(data).map((name) => `get ${JSON.stringify(name)}() { return whole()[${JSON.stringify(name)}]; }`);
  return [
    `const text = ${JSON.stringify(JSON.stringify(data))};`,
    'let data;',
    'const whole = () => (data ??= JSON.parse(text));',
    `export default { ${parts.join(', ')} };`,
  ].join('\n');
};

async function write(path: string, contents: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, contents);
}
