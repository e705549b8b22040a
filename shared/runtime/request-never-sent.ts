/** Errors that occur before the first byte of a request is sent. After any other error the request may have arrived. */
const beforeSending = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
]);

/** Whether a failed request certainly never left: by the error's code (SDK), or the code of its cause (fetch). */
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
