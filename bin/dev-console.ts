import './closed-output.ts';
import './end-with-npm.ts';
import './help.ts';
import { resolve } from 'node:path';
import { createServer } from 'vite';
import { consoleConfig } from '../lib/console/config.ts';

const product = process.env['PRODUCT_URL'] ?? 'http://127.0.0.1:3000';
const server = await createServer(consoleConfig(resolve(import.meta.dirname, '..'), product));
await server.listen();
process.stdout.write(`pages    ${server.resolvedUrls?.local[0] ?? ''}    API ${product} (PRODUCT_URL)\n`);
