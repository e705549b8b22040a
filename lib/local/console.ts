let lines: string[] = [];

/**
 * What the runner prints: one line per request and per delivery, nothing of a secret or a contact. Lines of a moment are written together: each
 * write is a call of the system, in the thread that answers requests.
 */
export const print = (line: string): void => {
  if (lines.length === 0) setTimeout(printNow, 20);
  lines.push(line);
};

const printNow = (): void => {
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
  lines = [];
};
process.once('exit', printNow);

/** A request: method, masked address, status, milliseconds. */
export const requestLine = (method: string, address: string, status: number, ms: number): string =>
  `${method.padEnd(6)} ${address} ${status} ${Math.round(ms)} ms`;

/** A delivery to a function from a queue, the stream, a schedule or the bus. */
export const deliveryLine = (from: string, functionName: string, records: number, outcome: string, ms: number): string =>
  `${from.padEnd(8)} ${functionName} ${records} ${records === 1 ? 'record' : 'records'} ${outcome} ${Math.round(ms)} ms`;

/**
 * The path and the names of its query, without what identifies: values of path parameters that are tokens, any long random
 * segment, all digits of a phone number but the last four, all query values.
 */
export const maskedAddress = (path: string, query: string, secretSegments: readonly string[] = []): string => {
  const masked = path
    .split('/')
    .map((segment) => {
      if (segment !== '' && secretSegments.includes(segment)) return '***';
      if (/^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9_-]{20,}$/.test(segment)) return '***';
      return segment.replace(/\d{4,}(?=\d{4})/g, '***');
    })
    .join('/');
  const names = [...new Set(new URLSearchParams(query).keys())];
  return names.length === 0 ? masked : `${masked}?${names.map((name) => `${name}=***`).join('&')}`;
};

/** A logical id in its readable form, without the eight hexadecimal digits that CloudFormation appends. */
export const shortName = (id: string): string => id.replace(/[0-9A-F]{8}$/, '') || id;
