/**
 * The provider's error codes: what each means for a message, whether the same message may be sent again, how long to wait, and what the
 * caller can do. https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes
 */
export type ErrorClass =
  | 'throttle'
  | 'transient'
  | 'recipient'
  | 'window'
  | 'opt_out'
  | 'ecosystem'
  | 'template'
  | 'parameter'
  | 'media'
  | 'payment'
  | 'policy'
  | 'account';

export interface ProviderErrorEntry {
  class: ErrorClass;
  retryable: boolean;
  /** Seconds before the next attempt; further ones wait longer. */
  waitSeconds: number;
  title: string;
  fix: string;
}

const entry = (cls: ErrorClass, title: string, fix: string, waitSeconds?: number): ProviderErrorEntry => ({
  class: cls,
  retryable: waitSeconds !== undefined,
  waitSeconds: waitSeconds ?? 0,
  title,
  fix,
});

export const providerErrors: Readonly<Record<number, ProviderErrorEntry>> = {
  0: entry('account', 'Access token refused', 'Renew the access token of the business number.'),
  1: entry('transient', 'Unknown provider error', 'Try again; if it stays, check the request.', 5),
  2: entry('transient', 'Provider temporarily down', 'Try again later.', 10),
  3: entry('account', 'Missing capability', 'Give the app the capability it lacks.'),
  4: entry('throttle', 'App rate limit', 'Wait; the platform slows down by itself.', 60),
  10: entry('account', 'Permission denied', 'Give the app permission for this business account.'),
  33: entry('parameter', 'Unknown object', 'Check the phone number id and its permissions.'),
  100: entry('parameter', 'Invalid parameter', 'Check the named parameter.'),
  190: entry('account', 'Access token invalid or expired', 'Renew the access token of the business number.'),
  368: entry('policy', 'Temporarily blocked by policy', 'Resolve the policy violation with the provider.'),
  429: entry('throttle', 'Too many requests', 'Wait; the platform slows down by itself.', 5),
  80007: entry('throttle', 'Business account rate limit', 'Wait; the platform slows down by itself.', 60),
  130403: entry('policy', 'Recipient blocked by policy', 'Do not message this recipient.'),
  130429: entry('throttle', 'Throughput of the number reached', 'Wait; the platform slows down by itself.', 1),
  130472: entry('ecosystem', 'Recipient is part of an experiment', 'Reach the recipient another way.'),
  130497: entry('policy', 'Country not allowed', 'This business may not message that country.'),
  130501: entry('parameter', 'Message type unsupported', 'Send another kind of message.'),
  131000: entry('transient', 'Something went wrong at the provider', 'Try again.', 5),
  131005: entry('account', 'Access denied', 'Give the app the permission it lacks.'),
  131008: entry('parameter', 'Required parameter missing', 'Add the parameter named in details.'),
  131009: entry('parameter', 'Parameter value invalid', 'Correct the parameter named in details.'),
  131016: entry('transient', 'Provider overloaded', 'Try again later.', 10),
  131021: entry('parameter', 'Recipient is the sender', 'Send to another number.'),
  131026: entry('recipient', 'Message undeliverable', 'The number is probably not on WhatsApp; reach the recipient another way.'),
  131030: entry('recipient', 'Recipient not in the allow list', 'Add the number to the test number at the provider.'),
  131031: entry('account', 'Account locked', 'Resolve the lock with the provider.'),
  131037: entry('account', 'Display name not approved', 'Get the display name of the number approved.'),
  131042: entry('payment', 'Payment problem', 'Add or correct the payment method at the provider, then retry.'),
  131045: entry('account', 'Number not registered correctly', 'Register the number again.'),
  131047: entry('window', 'Outside the 24-hour customer service window', 'Send an approved template.'),
  131048: entry('policy', 'Spam rate limit', 'Stop campaigns of this number until its quality recovers.'),
  131049: entry('ecosystem', 'Held back to keep engagement healthy', 'Do not retry within 24 hours.'),
  131050: entry('opt_out', 'The recipient stopped marketing messages', 'Only the recipient can allow them again.'),
  131051: entry('parameter', 'Message type unsupported', 'Send another kind of message.'),
  131052: entry('media', 'Media could not be downloaded', 'Ask the sender to send it again.'),
  131053: entry('media', 'Media could not be uploaded', 'Check the kind, size and URL of the media.'),
  131055: entry('template', 'Only marketing templates are allowed here', 'Use a marketing template.'),
  131056: entry('throttle', 'Too many messages to this recipient', 'Wait; the platform slows down for this recipient.', 6),
  131057: entry('transient', 'Number in maintenance', 'Try again in some minutes.', 60),
  131059: entry('parameter', 'Page marker no longer valid', 'Read the list again from its start.'),
  131060: entry('recipient', 'The message is not available to the provider', 'Ask the sender to send it again.'),
  131061: entry(
    'template',
    'The template has a max price and goes by the marketing messages API alone',
    'Sync the template, so that its max price is known here, and send it again.',
  ),
  131062: entry('recipient', 'The message needs a phone number', 'Ask the recipient for the phone number.'),
  131063: entry(
    'template',
    'Marketing without a max price is switched off for this account',
    'Create the template with a max price, or switch it on at the provider.',
  ),
  131064: entry('policy', 'Account restricted', 'Wait until the restriction ends.'),
  132000: entry('template', 'Number of template parameters differs', 'Send as many parameters as the template has.'),
  132001: entry('template', 'Template does not exist in this language', 'Check name, language and approval of the template.'),
  132005: entry('template', 'Template text too long', 'Shorten the parameters.'),
  132007: entry('template', 'Template character policy', 'Remove the characters named in details.'),
  132012: entry('template', 'Template parameter format', 'Correct the parameter named in details.'),
  132015: entry(
    'template',
    'Template paused',
    'Wait until the template is approved again. Messages that the provider held back were not sent: send them again then.',
  ),
  132016: entry('template', 'Template disabled', 'Use another template.'),
  132018: entry('template', 'Template parameters invalid', 'Correct the parameters named in details.'),
  132068: entry('template', 'Flow blocked', 'Correct the flow at the provider.'),
  132069: entry('template', 'Flow throttled', 'Wait until the flow is released.'),
  133000: entry('account', 'Registration incomplete', 'Register the number again.'),
  133004: entry('transient', 'Provider temporarily unavailable', 'Try again later.', 10),
  133005: entry('account', 'Wrong PIN', 'Correct the two-step PIN.'),
  133006: entry('account', 'Number must be verified', 'Verify the number.'),
  133008: entry('account', 'Too many wrong PINs', 'Wait, then enter the right PIN.'),
  133009: entry('account', 'PIN entered too fast', 'Wait, then enter the PIN again.'),
  133010: entry('account', 'Number not registered', 'Register the number.'),
  133015: entry('transient', 'Number recently deleted', 'Try again in five minutes.', 300),
  133016: entry('account', 'Registration limit', 'Wait 72 hours.'),
  134011: entry('payment', 'Payment terms not accepted', 'Accept the terms at the provider.'),
  134100: entry('template', 'Only marketing templates are allowed here', 'Use a marketing template.'),
  134101: entry('transient', 'Template still syncing', 'Try again in ten minutes.', 600),
  134102: entry('template', 'Template unavailable', 'Use another template.'),
  135000: entry('parameter', 'Generic user error', 'Check the request.'),
  137000: entry('recipient', 'Identity changed', 'Verify the recipient again.'),
  138000: entry('account', 'Calls are not enabled', 'Enable calls in the settings of the number.'),
  139101: entry('policy', 'Block list is full', 'Unblock contacts that need not be blocked any more.'),
  139102: entry('transient', 'Block list changed meanwhile', 'Try again.', 5),
  139103: entry('transient', 'Block list could not be changed', 'Try again.', 5),
  139200: entry('policy', 'Sending without a template is restricted', 'Send an approved template.'),
  147001: entry('account', 'Username not available', 'Choose another username.'),
  147002: entry('account', 'Username not allowed', 'Choose another username.'),
  147003: entry('account', 'Username refused', 'Choose another username.'),
  147004: entry('account', 'Username cannot be changed now', 'Try again later.'),
  147005: entry('account', 'Username belongs to another number of the business', 'Take it over on purpose (take_over), or choose another.'),
  1752041: entry('account', 'Already invited', 'Wait for the answer to the first invitation.'),
  2494100: entry('transient', 'Number in maintenance', 'Try again in some minutes.', 60),
  2593109: entry('account', 'The history of the phone is not shared', 'Allow it on the phone, and connect the number again.'),
};

/** Codes that are not in the table: the 200s are about permissions, all others count as permanent. */
export const providerErrorEntry = (code: number): ProviderErrorEntry =>
  providerErrors[code] ??
  (code >= 200 && code < 300
    ? entry('account', 'Permission denied', 'Give the app permission for this business account.')
    : entry('parameter', unknownTitle, 'See details.'));

const unknownTitle = 'Refused by the provider';

export const isKnownError = (code: number): boolean => providerErrors[code] !== undefined;

/** Throttled messages wait and are sent again; other rejections are returned to the caller. */
export const isThrottle = (code: number): boolean => providerErrors[code]?.class === 'throttle';

/**
 * Code, title and details of an error body. Only `code` and `details` decide, because texts are localised; the provider's own title stands
 * where the code is not known here.
 */
export const classifyProviderError = (body: unknown): { code: number; title: string; details: string | undefined } | undefined => {
  const error = (body as { error?: ErrorBody } | null)?.error;
  const code = codeIn(error?.code);
  if (!error || code === undefined) return undefined;
  const data = error.error_data;
  const details = typeof data === 'string' ? data : (data?.details ?? error.error_user_msg ?? error.message);
  const own = typeof error.error_user_title === 'string' ? error.error_user_title : error.message;
  const isOwn = providerErrorEntry(code).title === unknownTitle && typeof own === 'string' && own !== '';
  const title = isOwn ? own.replace(/^\(#\d+\)\s*/, '').slice(0, 300) : providerErrorEntry(code).title;
  return { code, title, details: typeof details === 'string' ? details : undefined };
};

interface ErrorBody {
  code?: unknown;
  error_data?: { details?: unknown } | string;
  error_user_title?: unknown;
  error_user_msg?: unknown;
  message?: unknown;
}

/** Codes come as numbers and, from some gateways, as text. */
function codeIn(code: unknown): number | undefined {
  const value = typeof code === 'string' && /^\d{1,9}$/.test(code) ? Number(code) : code;
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}
