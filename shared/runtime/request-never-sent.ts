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
export const isRequestNeverSent = (error: unknown): boolean => {
  const { cause, ...own } = errorCodesOf(error);
  const codes = [own, cause, ...(cause?.errors ?? [])].flatMap((each) => (typeof each?.code === 'string' ? each.code : []));
  return codes.length > 0 && codes.every((code) => beforeSending.has(code));
};

interface ErrorCodes {
  code?: unknown;
  errors?: { code?: unknown }[];
}

const errorCodesOf = (error: unknown): ErrorCodes & { cause?: ErrorCodes } => {
  const { code, cause } = (error ?? {}) as ErrorCodes & { cause?: ErrorCodes };
  return { code, ...(cause ? { cause } : {}) };
};
