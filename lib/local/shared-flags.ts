/**
 * The two numbers every function environment reads at each use, without a message: how far the product's time is ahead, and
 * through which port requests for the table go while faults are on.
 */
export interface SharedFlags {
  readonly buffer: SharedArrayBuffer;
  /** Milliseconds the product's time is ahead of the machine's. */
  clockOffset: number;
  /** Port of the fault proxy, 0 while table faults are off. */
  faultPort: number;
}

export const sharedFlags = (): SharedFlags => {
  const buffer = new SharedArrayBuffer(16);
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
  };
};
