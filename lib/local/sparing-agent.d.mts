import { Agent, type ClientRequest } from 'node:http';

export declare class SparingAgent extends Agent {
  constructor(most: () => number, isLong?: (request: ClientRequest) => boolean);
}
