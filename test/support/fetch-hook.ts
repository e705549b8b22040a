import { type HttpReply, providerHttp } from '../../shared/provider/http.ts';

export type FetchArgs = Parameters<typeof fetch>;
/** Stands in the way of a call: answers by itself, or goes on with the call, which it may look at and change the answer of. */
export type FetchHook = (address: string, call: () => Promise<Response>, init: FetchArgs[1]) => Promise<Response>;

/** While it lives, calls over the network go through the hook; not those of the AWS clients, which have a way of their own. */
export const onFetch = (hook: FetchHook): Disposable => {
  const before = globalThis.fetch;
  const { send } = providerHttp;
  globalThis.fetch = (...args: FetchArgs) => {
    const [address, init] = args;
    return typeof address === 'string' ? hook(address, () => before(...args), init) : before(...args);
  };
  providerHttp.send = async (address, call) => {
    const { method, headers, body = null } = call;
    const init = { method, headers, body: typeof body === 'string' ? body : null };
    return replyOf(await hook(address, () => send(address, call).then(responseOf), init));
  };
  return {
    [Symbol.dispose]: () => {
      globalThis.fetch = before;
      providerHttp.send = send;
    },
  };
};

/** What `providerHttp.send` returns for this answer. */
export const replyOf = async (answer: Response): Promise<HttpReply> => ({
  status: answer.status,
  headers: Object.fromEntries(answer.headers),
  body: Buffer.from(await answer.arrayBuffer()),
});

const responseOf = ({ status, headers, body }: HttpReply): Response =>
  new Response(body ? new Uint8Array(body) : null, {
    status,
    headers: Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((each): [string, string] => [name, each])),
  });
