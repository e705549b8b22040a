import { runInNewContext } from 'node:vm';
import * as z from 'zod';
import { app } from '../../functions/app.ts';
import { entranceHeader } from '../../shared/http/entrance.ts';
import { templateOf } from '../wiring/template.ts';
import type { Call } from './gateway-event.ts';

/** What CloudFront makes of a viewer's request, as far as a function at its edge sees it. */
interface EdgeRequest {
  uri: string;
  headers: Record<string, { value: string }>;
}
type EdgeFunction = (event: { request: EdgeRequest; viewer: { ip: string } }) => unknown;

/** The code of a function at the edge, as it is deployed. */
export const edgeFunction = (name: string, template = templateOf(app, { site: true })): EdgeFunction => {
  const found = template.ofType('AWS::CloudFront::Function').find(({ id }) => id.toLowerCase().includes(name));
  return runInNewContext(`${z.string().parse(found?.Properties['FunctionCode'])}; handler`) as EdgeFunction;
};

/** The secret that CloudFront resolves and adds at the origin. */
export const siteSecret = 'drawn by Secrets Manager';

/** CloudFront's own address towards the API: one for all viewers of an edge. */
const egress = '130.176.0.1';

/** The call that reaches the API when a viewer calls the site's origin. */
export const throughSite = (): ((viewer: string, call: Call) => Call) => {
  const edge = edgeFunction('api');
  return (viewer, call) => {
    const own = Object.entries(call.headers ?? {}).map(([name, value]): [string, { value: string }] => [name, { value }]);
    const request: EdgeRequest = { uri: call.path, headers: Object.fromEntries(own) };
    edge({ request, viewer: { ip: viewer } });
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, { value }]) => [name, value]));
    return { ...call, headers: { ...headers, [entranceHeader]: siteSecret }, sourceIp: egress };
  };
};
