import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/**
 * fauxqs looks at neither the headers that an upload's URL signs nor at a condition of a write. S3 answers 403 to an upload without a signed
 * header, and 412 to `If-None-Match: *` where there is an object: this adds both, by hooks of Fastify, as large-objects.ts does.
 */
export const withSignedUploads = async <T>(start: () => Promise<T>): Promise<T> => {
  subscribe(channel, addHook);
  try {
    return await start();
  } finally {
    unsubscribe(channel, addHook);
  }
};

const channel = 'fastify.initialization';

interface Request {
  method: string;
  url: string;
  headers: Readonly<Record<string, string | undefined>>;
}
interface Reply {
  code: (status: number) => { type: (type: string) => { send: (body: string) => unknown } };
}
interface Server {
  addHook: (name: 'onRequest', hook: (request: Request, reply: Reply) => Promise<unknown>) => void;
  inject: (request: { method: 'HEAD'; url: string }) => Promise<{ statusCode: number }>;
}

const addHook = (message: unknown): void => {
  const { fastify } = message as { fastify: Server };
  fastify.addHook('onRequest', async ({ method, url, headers }, reply) => {
    if (method !== 'PUT') return undefined;
    const { pathname, searchParams } = new URL(url, 'http://s3');
    const signed = searchParams.get('X-Amz-SignedHeaders')?.split(';') ?? [];
    const condition = headers['if-none-match'];
    if (signed.some((name) => headers[name] === undefined) || (signed.includes('if-none-match') && condition !== '*'))
      return refuse(reply, 403, 'SignatureDoesNotMatch');
    if (condition === undefined) return undefined;
    const existing = await fastify.inject({ method: 'HEAD', url: pathname });
    return existing.statusCode === 200 ? refuse(reply, 412, 'PreconditionFailed') : undefined;
  });
};

const refuse = (reply: Reply, status: number, code: string): unknown =>
  reply.code(status).type('application/xml').send(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`);
