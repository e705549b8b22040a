/** Errors that arise before a byte of the request is out. Anything else may have arrived. */
const beforeSending = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
]);

/** Whether a failed call is proven not to have reached the other side: fetch tells by the cause of its error, the SDK by the error itself. */
export const neverLeft = (error: unknown): boolean => {
  const { cause, ...own } = toldBy(error);
  const codes = [own, cause, ...(cause?.errors ?? [])].flatMap((each) => (typeof each?.code === 'string' ? each.code : []));
  return codes.length > 0 && codes.every((code) => beforeSending.has(code));
};

interface Told {
  code?: unknown;
  errors?: { code?: unknown }[];
}

const toldBy = (error: unknown): Told & { cause?: Told } => {
  const { code, cause } = (error ?? {}) as Told & { cause?: Told };
  return { code, ...(cause ? { cause } : {}) };
};
