import { Fn, type Stack } from 'aws-cdk-lib';
import { type CfnUrl, FunctionUrl, FunctionUrlAuthType, type IFunction } from 'aws-cdk-lib/aws-lambda';
import type { HttpFunction } from '../../shared/contract/context.ts';
import { type Address, routeKey } from './addresses.ts';
import { idOf } from './naming.ts';

/** The routes of a function URL. AWS sends it every path; the local runner serves these from its one port. */
export const routesMetadata = 'switchboard:routes';

/**
 * A function URL, for webhooks: it saves the API's latency and its throttle, which a burst of statuses would use up. It has no IAM
 * authorization, because the senders cannot sign AWS requests; the function checks the token in the path and the signature of the body.
 */
export const makeUrl = (stack: Stack, spec: HttpFunction, target: IFunction, addresses: readonly Address[]): FunctionUrl => {
  const url = new FunctionUrl(stack, idOf(spec.name, 'url'), { function: target, authType: FunctionUrlAuthType.NONE });
  (url.node.defaultChild as CfnUrl).addMetadata(routesMetadata, addresses.map(routeKey));
  return url;
};

/** Its address without the slash that AWS puts at its end: a path follows. */
export const withoutSlash = ({ url }: FunctionUrl): string => {
  const parts = Fn.split('/', url);
  return Fn.join('//', [Fn.select(0, parts), Fn.select(2, parts)]);
};
