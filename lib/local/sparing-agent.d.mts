import { Agent } from 'node:http';

export declare class SparingAgent extends Agent {
  constructor(most: () => number);
}
