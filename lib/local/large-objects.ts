import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** What S3 takes in one PUT. */
const largestPutBytes = 5 * 1_024 ** 3;

/**
 * fauxqs takes objects of up to 11 MiB and has no option for it; S3 takes 5 GB in one PUT. The HTTP server under it, Fastify, announces itself when
 * it is made (`fastify.initialization`), and lets a hook change each route's limit (`onRoute`); queues check the size of their messages themselves.
 */
export const withLargeObjects = async <T>(start: () => Promise<T>): Promise<T> => {
  subscribe(channel, raiseLimit);
  try {
    return await start();
  } finally {
    unsubscribe(channel, raiseLimit);
  }
};

const channel = 'fastify.initialization';

const raiseLimit = (message: unknown): void => {
  const { fastify } = message as { fastify: { addHook: (name: 'onRoute', hook: (route: { bodyLimit?: number }) => void) => void } };
  fastify.addHook('onRoute', (route) => {
    route.bodyLimit = largestPutBytes;
  });
};
