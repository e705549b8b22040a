import { join } from 'node:path';

/** For child processes: Node stores what it compiled, so that the second start of the command line takes half the time of the first. */
export const compileCache = { NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/node-compile') };
