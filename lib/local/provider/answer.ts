/** An answer of the simulated provider: status and JSON body. */
export interface Answer {
  status: number;
  body: unknown;
}
