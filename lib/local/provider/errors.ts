/**
 * The provider's error bodies, as data: a code names its public title and its usual HTTP status.
 * A refusal is returned, never thrown: an expected "no" is an answer like any other.
 */
import { randomBytes } from 'node:crypto';

export interface Refusal {
  status: number;
  body: { error: Record<string, unknown> };
}

/** Title and HTTP status per code, as the provider documents them (its status column is a hint, not a promise). */
const registry: Record<number, { status: number; title: string }> = {
  0: { status: 401, title: 'AuthException' },
  1: { status: 400, title: 'An unknown error occurred' },
  2: { status: 503, title: 'Service temporarily unavailable' },
  3: { status: 500, title: 'Application does not have the capability to make this API call' },
  4: { status: 400, title: 'Application request limit reached' },
  10: { status: 403, title: 'Application does not have permission for this action' },
  33: { status: 400, title: 'Parameter value is not valid' },
  100: { status: 400, title: 'Invalid parameter' },
  190: { status: 401, title: 'Invalid OAuth access token' },
  200: { status: 403, title: 'You do not have the necessary permissions for this WhatsApp Business Account' },
  368: { status: 403, title: 'Temporarily blocked for policies violations' },
  80007: { status: 400, title: 'Rate limit issues' },
  130403: { status: 400, title: 'Message blocked' },
  130429: { status: 400, title: 'Rate limit hit' },
  130472: { status: 400, title: "User's number is part of an experiment" },
  130497: { status: 403, title: 'Business account is restricted from messaging users in this country' },
  131000: { status: 500, title: 'Something went wrong' },
  131005: { status: 403, title: 'Access denied' },
  131008: { status: 400, title: 'Required parameter is missing' },
  131009: { status: 400, title: 'Parameter value is not valid' },
  131016: { status: 500, title: 'Service unavailable' },
  131021: { status: 400, title: 'Recipient cannot be sender' },
  131026: { status: 400, title: 'Message undeliverable' },
  131030: { status: 400, title: 'Recipient phone number not in allowed list' },
  131031: { status: 403, title: 'Account has been locked' },
  131037: { status: 400, title: 'WhatsApp provided number needs display name approval before message can be sent' },
  131042: { status: 400, title: 'Business eligibility payment issue' },
  131045: { status: 500, title: 'Incorrect certificate' },
  131047: { status: 400, title: 'Re-engagement message' },
  131048: { status: 400, title: 'Spam rate limit hit' },
  131049: { status: 400, title: 'This message was not delivered to maintain healthy ecosystem engagement.' },
  131050: { status: 400, title: 'User has stopped marketing messages' },
  131051: { status: 400, title: 'Unsupported message type' },
  131052: { status: 400, title: 'Media download error' },
  131053: { status: 400, title: 'Media upload error' },
  131055: { status: 400, title: 'Method not allowed' },
  131056: { status: 400, title: '(Business Account, Consumer Account) pair rate limit hit' },
  131057: { status: 500, title: 'Account in maintenance mode' },
  131061: { status: 400, title: 'This template can only be sent by the Marketing Messages API' },
  131062: { status: 400, title: 'Business-scoped User ID (BSUID) recipients are not supported for this message' },
  131063: { status: 400, title: 'Marketing messages are disabled on Cloud API for this account' },
  131064: { status: 400, title: 'Account is restricted' },
  132000: { status: 400, title: 'Number of parameters does not match the expected number of params' },
  132001: { status: 404, title: 'Template name does not exist in the translation' },
  132005: { status: 400, title: 'Translated text too long' },
  132007: { status: 400, title: 'Template format character policy violated' },
  132012: { status: 400, title: 'Parameter format does not match format in the created template' },
  132015: { status: 400, title: 'Template is paused' },
  132016: { status: 400, title: 'Template is disabled' },
  132018: { status: 400, title: 'There is an issue with the parameters in your template' },
  132068: { status: 400, title: 'Flow is blocked' },
  132069: { status: 400, title: 'Flow is throttled' },
  133004: { status: 503, title: 'Server temporarily unavailable' },
  133005: { status: 400, title: 'Two step verification PIN Mismatch' },
  133010: { status: 400, title: 'Phone number not registered' },
  133016: { status: 400, title: 'Phone number registration has been rate limited' },
  134011: { status: 400, title: 'WhatsApp Payments terms of service has not been accepted' },
  134100: { status: 400, title: 'Only marketing messages are supported' },
  134101: { status: 400, title: 'Template is not available yet, it is being synced' },
  134102: { status: 400, title: 'Template is unavailable' },
  135000: { status: 400, title: 'Generic user error' },
  147001: { status: 400, title: 'Username is not available' },
  147002: { status: 400, title: 'Username is not allowed' },
  147005: { status: 400, title: 'Username is used by another phone number of the business portfolio' },
  200005: { status: 400, title: 'Template Insights Unavailable' },
  200007: { status: 400, title: 'Template Insights not enabled' },
};

/** What the provider writes in `error_data.details` when nothing more precise is known. */
const explanations: Record<number, string> = {
  130429: 'Cloud API message throughput has been reached.',
  130472: "Failed to send message because this user's phone number is part of an experiment",
  131026: 'Message Undeliverable.',
  131047: 'Message failed to send because more than 24 hours have passed since the customer last replied to this number.',
  131049: 'In order to maintain a healthy ecosystem engagement, the message failed to be delivered.',
  131050: 'Unable to deliver the message. This recipient has chosen to stop receiving marketing messages on WhatsApp from your business',
  131056:
    'Message failed to send because there were too many messages sent from this phone number to the same phone number in a short period of time.',
};

/** Codes the provider reports by a `failed` status webhook after accepting the message, and not in the answer to the call. */
export const asynchronousCodes: ReadonlySet<number> = new Set([130472, 131026, 131047, 131049, 131050, 131053]);

/** The error of a sending call: `(#code) title`, `error_data.details`. */
export function refuse(code: number, details?: string, title?: string): Refusal {
  const entry = registry[code] ?? { status: 400, title: 'Unknown error' };
  return {
    status: entry.status,
    body: {
      error: {
        message: `(#${code}) ${title ?? entry.title}`,
        type: 'OAuthException',
        code,
        error_data: { messaging_product: 'whatsapp', details: details ?? explanations[code] ?? entry.title },
        ...(code === 130429 && { error_subcode: 2494055 }),
        fbtrace_id: traceId(),
      },
    },
  };
}

/** A parameter refused by the Graph layer itself, which gives no `error_data`. */
export function refuseParameter(message: string): Refusal {
  return plainError(400, { message: `(#100) ${message}`, type: 'OAuthException', code: 100 });
}

export function refuseToken(): Refusal {
  return plainError(401, { message: 'Invalid OAuth access token - Cannot parse access token', type: 'OAuthException', code: 190 });
}

/** 10 for a business number, 200 for a business account, as the provider does. */
export function refusePermission(code: 10 | 200): Refusal {
  return plainError(403, { message: `(#${code}) ${registry[code]?.title}`, type: 'OAuthException', code });
}

/** Wrong id, or no right to see it: the provider does not say which. */
export function refuseObject(method: string, id: string): Refusal {
  const message =
    `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, ` +
    'or does not support this operation. Please read the Graph API documentation at https://developers.facebook.com/docs/graph-api';
  return plainError(400, { message, type: 'GraphMethodException', code: 100, error_subcode: 33 });
}

export function refuseMissingTemplate(): Refusal {
  return plainError(404, { message: 'Template not found', type: 'GraphMethodException', code: 803 });
}

/** Template management: code 100 with a subcode and texts for a user. */
export function refuseTemplate(subcode: number, title: string, explanation: string): Refusal {
  return plainError(400, {
    message: 'Invalid parameter',
    type: 'OAuthException',
    code: 100,
    error_subcode: subcode,
    is_transient: false,
    error_user_title: title,
    error_user_msg: explanation,
  });
}

/** Any other body of the Graph shape. */
export function plainError(status: number, error: Record<string, unknown>): Refusal {
  return { status, body: { error: { ...error, fbtrace_id: traceId() } } };
}

/** The same code as a webhook writes it: title equals message, no `(#n)`. */
export function webhookError(code: number, details?: string): Record<string, unknown> {
  const title = registry[code]?.title ?? 'Unknown error';
  return {
    code,
    title,
    message: title,
    error_data: { details: details ?? explanations[code] ?? title },
    href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
  };
}

function traceId(): string {
  return `A${randomBytes(16).toString('base64url')}`;
}
