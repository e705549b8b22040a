import { context } from '../../shared/contract/context.ts';

/** Front: answers requests that match no route: 404, 405 and OPTIONS. It reads no data and needs no credential. */
export const frontContext = context({
  name: 'front',
  purpose: 'Unknown paths, wrong methods and OPTIONS',
  functions: [
    { name: 'front-http', entry: 'functions/front/http.ts', trigger: 'http', routes: {}, fallback: true, uses: [], memoryMb: 256 },
  ],
});
