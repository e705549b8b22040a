/**
 * The numbers every function environment reads at each use, without a message: how far the product's time is ahead, through which port
 * requests for the table go while faults are on, and how many callers wait.
 */
export interface SharedFlags {
  readonly buffer: SharedArrayBuffer;
  /** Milliseconds the product's time is ahead of the machine's. */
  clockOffset: number;
  /** Port of the fault proxy, 0 while table faults are off. */
  faultPort: number;
  /** Requests of the API that run. */
  requests: number;
}

export const sharedFlags = (): SharedFlags => {
  const buffer = new SharedArrayBuffer(24);
  const cells = new Float64Array(buffer);
  return {
    buffer,
    get clockOffset() {
      return cells[0] ?? 0;
    },
    set clockOffset(ms: number) {
      cells[0] = ms;
    },
    get faultPort() {
      return cells[1] ?? 0;
    },
    set faultPort(port: number) {
      cells[1] = port;
    },
    get requests() {
      return cells[2] ?? 0;
    },
    set requests(count: number) {
      cells[2] = count;
    },
  };
};
