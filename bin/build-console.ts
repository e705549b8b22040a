import './closed-output.ts';
import './help.ts';
import { resolve } from 'node:path';
import { build } from 'vite';
import { consoleConfig } from '../lib/console/config.ts';
import { stampConsole } from '../lib/console/ensure.ts';

const root = resolve(import.meta.dirname, '..');
const startedAt = new Date();
process.env['NODE_ENV'] = 'production';
await build(consoleConfig(root));
stampConsole(root, startedAt);
