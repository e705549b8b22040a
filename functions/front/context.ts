import { context } from '../../shared/contract/context.ts';

/** The fallback of the API: 404 for unknown paths. It uses no resource. */
export const frontContext = context({
  name: 'front',
  purpose: 'Unknown paths',
  functions: [
    { name: 'front-http', entry: 'functions/front/http.ts', trigger: 'http', routes: {}, fallback: true, uses: [], memoryMb: 256 },
  ],
});
