/**
 * Every error code the API can answer with, once: its status, its public title and what the caller does about it.
 * The API reference is generated from this list (decision G1). Operations return errors as values; they do not throw them.
 */
export const problems = {
  invalid_json: {
    status: 400,
    title: 'The body is not valid JSON.',
    remedy: 'Send a JSON object; check quotes, commas and the encoding (UTF-8).',
  },
  invalid_multipart: {
    status: 400,
    title: 'The multipart body cannot be read.',
    remedy: 'Send multipart/form-data with a boundary and complete parts.',
  },
  invalid_header: {
    status: 400,
    title: 'A header has a value that cannot be read.',
    remedy: 'The message names the header; send it in the documented form.',
  },
  invalid_idempotency_key: {
    status: 400,
    title: 'The Idempotency-Key is not usable.',
    remedy: 'Send 1 to 255 printable ASCII characters.',
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor is not valid.',
    remedy: 'Use meta.next_cursor of the previous page unchanged and with the same filters.',
  },
  expired: { status: 400, title: 'The verification has expired.', remedy: 'Request a new code.' },
  already_verified: { status: 400, title: 'The identifier is already verified.', remedy: 'Use the trust_key of the first success.' },
  resend_failed: { status: 400, title: 'The verification has failed; no code can be sent for it.', remedy: 'Request a new code.' },
  delivery_failed: { status: 400, title: 'The code could not be delivered.', remedy: 'Check the identifier, or use another channel.' },
  code_invalid: { status: 401, title: 'The code is not correct.', remedy: 'Type the newest code again, or request a new one.' },
  passkey_invalid: { status: 401, title: 'The passkey was not accepted.', remedy: 'Begin again, or sign in with a code.' },
  token_missing: { status: 401, title: 'No token was sent.', remedy: 'Send "Authorization: Bearer <API_TOKEN>".' },
  token_invalid: { status: 401, title: 'The token is not valid.', remedy: 'Check for missing characters, or use a new token.' },
  token_expired: {
    status: 401,
    title: 'The token has expired.',
    remedy: 'Rotate it with another token (POST /tokens/{id}/rotate), or have an owner create one.',
  },
  token_revoked: { status: 401, title: 'The token was revoked.', remedy: 'Have an owner create a new one: POST /tokens.' },
  invalid_signature: {
    status: 401,
    title: 'The signature does not match the body.',
    remedy: 'Sign the raw bytes of the body with the secret of this receiver.',
  },
  invalid_webhook_token: {
    status: 401,
    title: 'The webhook token in the URL is not valid.',
    remedy: 'Copy the URL of the receiver again.',
  },
  installation_refused: {
    status: 403,
    title: "The installation could not be verified as the store platform's.",
    remedy: "Start it again from the store platform's own page of the app.",
  },
  public_key_missing: {
    status: 401,
    title: 'No verification key was sent.',
    remedy: 'Send X-Public-Key, X-Secret-Key or a bearer token.',
  },
  public_key_invalid: {
    status: 401,
    title: 'The verification key is not valid.',
    remedy: 'Check the key; an inactive one must be replaced.',
  },
  signature_required: { status: 401, title: 'This profile accepts signed requests only.', remedy: 'Send X-Timestamp and X-Signature.' },
  signature_timestamp_required: { status: 401, title: 'A signature needs a timestamp.', remedy: 'Send X-Timestamp in Unix seconds.' },
  timestamp_out_of_range: {
    status: 401,
    title: 'The timestamp is more than 300 seconds off.',
    remedy: 'Send X-Timestamp in Unix seconds and check the clock.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The token does not have the required scope.',
    remedy: 'Use a token with the scope in details.required.',
  },
  cross_origin_request: {
    status: 403,
    title: 'A session is accepted from pages of the same origin only.',
    remedy: 'Call from a page of this deployment, writes with X-Session-Request: 1; other callers use a token.',
  },
  fresh_proof_required: {
    status: 403,
    title: 'What makes credentials, users or numbers needs a sign-in of the last ten minutes.',
    remedy: 'Sign in again with a passkey or a code, and repeat the call.',
  },
  role_required: {
    status: 403,
    title: 'The role of the user does not allow the operation.',
    remedy: 'Use the token of a user with the role in details.role.',
  },
  plan_limit_reached: {
    status: 403,
    title: 'A limit of the plan is reached.',
    remedy: 'details names the limit; delete records or change the plan.',
  },
  profile_inactive: { status: 403, title: 'The verification profile is inactive.', remedy: 'Activate the profile.' },
  profile_mismatch: {
    status: 403,
    title: 'The key belongs to another profile.',
    remedy: 'Leave profile_id out, or send the one that the key belongs to.',
  },
  country_not_allowed: {
    status: 403,
    title: 'Numbers of this country are not allowed by the profile.',
    remedy: 'Allow the country in the settings of the profile.',
  },
  ip_not_allowed: {
    status: 403,
    title: 'This IP address is not allowed.',
    remedy:
      'details.address is the address that was seen. Call from a network of the token, or use one whose networks have the address (POST /tokens). A verification profile allows addresses by its ip_whitelist.',
  },
  domain_not_allowed: {
    status: 403,
    title: 'This email domain is not allowed.',
    remedy: 'Allow the domain in the settings of the profile.',
  },
  company_suspended: { status: 403, title: 'The company is suspended.', remedy: 'Contact the operator of this deployment.' },
  handshake_failed: {
    status: 403,
    title: 'The verify token does not match.',
    remedy: 'Enter the verify token of the number at the provider.',
  },
  not_found: { status: 404, title: 'There is no such record.', remedy: 'Check the id. Records of other companies are never shown.' },
  profile_not_found: { status: 404, title: 'There is no such verification profile.', remedy: 'Create a profile, or check profile_id.' },
  route_not_found: { status: 404, title: 'There is no such endpoint.', remedy: 'Check the path against the API reference.' },
  method_not_allowed: {
    status: 405,
    title: 'The endpoint does not take this method.',
    remedy: 'Use one of the methods in the Allow header.',
  },
  other_session: {
    status: 409,
    title: 'The browser is signed in to another company, or as another user, than the page that calls.',
    remedy: 'Load the page anew. X-Session names the session of the page: <company id>:<user id>.',
  },
  idempotency_key_reused: {
    status: 409,
    title: 'The Idempotency-Key was used for another request.',
    remedy: 'Use a new key for a new request.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'The first request with this Idempotency-Key is still running.',
    remedy: 'Repeat the request after the seconds in Retry-After.',
  },
  template_exists: {
    status: 409,
    title: 'There is a template of this name in this language.',
    remedy: 'Choose another name, or delete the template in details.template_id first.',
  },
  template_in_use: {
    status: 409,
    title: 'A running or scheduled campaign uses the template.',
    remedy: 'Pause or delete the campaigns first.',
  },
  template_not_editable: {
    status: 409,
    title: 'Only a template that is APPROVED, REJECTED or PAUSED can be changed.',
    remedy: 'Wait until the provider has reviewed it: details.status has its status.',
  },
  template_not_paused: {
    status: 409,
    title: 'The template is not paused.',
    remedy: 'details.status has its status. Only the pause of a PAUSED template can be ended.',
  },
  template_analytics_unavailable: {
    status: 409,
    title: 'The provider has no analytics of the template.',
    remedy:
      "details.reason says why. not_enabled: switch them on for the business account, in the provider's manager. not_offered: the provider has none for accounts of the European Union, the United Kingdom and Japan. not_submitted: the provider has not confirmed the template yet.",
  },
  campaign_not_pausable: {
    status: 409,
    title: 'The campaign has ended; it cannot be paused or resumed.',
    remedy: 'details.status has its status. Create a new campaign to send again.',
  },
  campaign_not_editable: {
    status: 409,
    title: 'The recipients are chosen already; time and audience cannot be changed.',
    remedy: 'details.status has its status. Delete the campaign or copy it with other values.',
  },
  campaign_stale: {
    status: 409,
    title: 'The campaign was to be sent more than 24 hours ago.',
    remedy: 'Send confirm_stale true to resume it anyway.',
  },
  upload_missing: {
    status: 409,
    title: 'The file has not been uploaded.',
    remedy: 'PUT the file to upload.url, then start again. Create a new import when that URL has expired.',
  },
  version_conflict: {
    status: 409,
    title: 'The record changed after the version that was sent.',
    remedy: 'Look at details.current, the record as it is now, and repeat the change with details.current_version.',
  },
  creation_key_reused: {
    status: 409,
    title: 'The creation_key was used for another lead.',
    remedy: 'Use a new creation_key for a new lead.',
  },
  retry_key_reused: {
    status: 409,
    title: 'The retry_key was used with other content.',
    remedy: 'Use a new retry_key for a new record.',
  },
  task_not_pending: {
    status: 409,
    title: 'The task is completed or cancelled.',
    remedy: 'Only pending tasks can change. Create a new task.',
  },
  webhook_disabled: {
    status: 409,
    title: 'The webhook endpoint is disabled.',
    remedy: 'Fix your endpoint, then set status to "active" with PUT /webhooks/{id}.',
  },
  last_owner: {
    status: 409,
    title: 'The company would be left without an owner.',
    remedy: 'Make another active user an owner first.',
  },
  conflict: {
    status: 409,
    title: 'The record was changed by another request at the same time.',
    remedy: 'Read it again and repeat the change.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large.',
    remedy: 'Send less in one request. Upload larger media with POST /media/uploads.',
  },
  unsupported_content_type: {
    status: 415,
    title: 'This content type is not accepted here.',
    remedy: 'Send Content-Type: application/json (or multipart/form-data where a file is accepted).',
  },
  transition_refused: {
    status: 409,
    title: 'The order cannot change to this status.',
    remedy: 'Strict transitions are on. Use one of the statuses in details.allowed.',
  },
  order_not_found: {
    status: 404,
    title: 'There is no order with this number.',
    remedy: 'Send order.placed first, or check order_number.',
  },
  unknown_field: {
    status: 422,
    title: 'The body has fields that the operation does not know.',
    remedy: 'Check the spelling of the listed fields. This operation takes no others, or the company takes none (settings.strict_input).',
  },
  validation_failed: {
    status: 422,
    title: 'Some fields are not valid.',
    remedy:
      'Correct each listed field by its reasons, and send the request again. What the operation takes, with an example, is on its page.',
  },
  captcha_required: { status: 422, title: 'A CAPTCHA is required.', remedy: 'Solve the CAPTCHA and send captcha_token.' },
  captcha_failed: { status: 422, title: 'The CAPTCHA was not solved.', remedy: 'Solve a new CAPTCHA.' },
  disposable_email: { status: 422, title: 'Disposable email addresses are not allowed.', remedy: 'Use a permanent email address.' },
  window_closed: {
    status: 422,
    title: 'The customer service window is closed.',
    remedy: 'Send an approved template, or wait until the customer writes.',
  },
  template_not_found: {
    status: 422,
    title: 'There is no such template in this language.',
    remedy: 'Check template_name and template_language. POST /templates/sync fetches the templates of the provider account.',
  },
  template_not_approved: {
    status: 422,
    title: 'The template is not approved.',
    remedy: 'Only approved templates can be sent; details.status has its status.',
  },
  recipient_opted_out: {
    status: 422,
    title: 'The contact has opted out of marketing messages.',
    remedy: 'Only the contact can opt in again. Other messages can still be sent.',
  },
  recipient_blocked: {
    status: 422,
    title: 'You blocked the contact: nothing is sent to it.',
    remedy: 'Unblock it first: DELETE /contacts/{id}/block.',
  },
  spend_limit_reached: {
    status: 402,
    title: 'A spend ceiling does not allow the message: it was not sent.',
    remedy:
      'details names the ceiling and when it begins anew. Raise it (PUT /spend/ceilings), or repeat the request later: the same Idempotency-Key sends then.',
  },
  price_unknown: {
    status: 422,
    title: 'The price of the message is not known, and a spend ceiling stops what has no price.',
    remedy: 'details.reason says why. Import a rate card that prices it, or set unknown_price to "allow" (PUT /spend/ceilings).',
  },
  contact_not_recent: {
    status: 422,
    title: 'Only a contact who wrote in the last 24 hours can be blocked.',
    remedy: 'Block it when it writes again. To send it no marketing, unsubscribe it.',
  },
  message_not_scheduled: {
    status: 409,
    title: 'The message is no longer scheduled.',
    remedy: 'Only messages with status 0 can be cancelled or rescheduled.',
  },
  number_missing: { status: 422, title: 'The company has no active business number.', remedy: 'Connect a business number first.' },
  provider_rejected: {
    status: 422,
    title: 'The messaging provider rejected the message.',
    remedy: 'details.fix says what to do about the error code of the provider.',
    isFinal: true,
  },
  signup_unavailable: {
    status: 409,
    title: 'Numbers cannot be connected by the dialog of the provider here.',
    remedy: 'Add the number with its ids and secrets: POST /numbers. The operator sets up the dialog: docs/operate.md.',
  },
  signup_refused: {
    status: 422,
    title: 'The number was not connected.',
    remedy: 'The message and details.reason say why. Create another signup and begin again; nothing is lost by it.',
    isFinal: true,
  },
  enrolment_cooldown: {
    status: 429,
    title: 'A work number was enrolled a moment ago.',
    remedy: 'Use the code that you have, or wait the seconds in Retry-After.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests.',
    remedy: 'Wait the seconds in Retry-After. details.scope names the limit.',
  },
  check_phone_quota: {
    status: 429,
    title: 'Too many phone numbers were checked.',
    remedy: 'Wait the seconds in Retry-After; details.scope says whether the minute or the day is used up.',
  },
  otp_bombing: { status: 429, title: 'Too many codes were requested for this identifier.', remedy: 'Wait the seconds in Retry-After.' },
  ceiling_reached: {
    status: 429,
    title: 'The verification profile has sent as many codes as its ceiling allows.',
    remedy: 'Wait the seconds in Retry-After, or raise the ceilings in the settings of the profile.',
  },
  velocity_limit: {
    status: 429,
    title: 'Too many identifiers were used from this IP address.',
    remedy: 'Wait the seconds in Retry-After.',
  },
  too_many_attempts: {
    status: 429,
    title: 'Too many wrong codes were entered.',
    remedy: 'Wait the seconds in Retry-After, then request a new code.',
  },
  fraud_blocked: {
    status: 429,
    title: 'Too many codes were requested in this number range, and too few were verified.',
    remedy: 'Wait the seconds in Retry-After, or delete the block.',
  },
  too_many_sends: {
    status: 429,
    title: 'The code was resent too often.',
    remedy: 'Wait until the request expires, then request a new code.',
  },
  resend_cooldown: { status: 429, title: 'The code was sent just now.', remedy: 'Wait the seconds in Retry-After.' },
  blocked: { status: 429, title: 'The verification is blocked.', remedy: 'Wait the seconds in Retry-After.' },
  internal_error: {
    status: 500,
    title: 'The request failed on our side.',
    remedy: 'Repeat the request with the same Idempotency-Key. Report the request_id if it fails again.',
  },
  temporarily_unavailable: { status: 503, title: 'The service is busy.', remedy: 'Repeat the request after the seconds in Retry-After.' },
} as const satisfies Record<string, ProblemEntry>;

export interface ProblemEntry {
  status: number;
  title: string;
  remedy: string;
  /** The refusal is itself an outcome: an Idempotency-Key keeps it (G19). */
  isFinal?: boolean;
}

export type ProblemCode = keyof typeof problems;

/** What is wrong with each field of a request. */
export type FieldErrors = Record<string, string[]>;

/** What an operation returns in place of an answer. */
export interface Problem<C extends ProblemCode = ProblemCode> {
  problem: C;
  message?: string;
  /** In place of the code's own, by what the caller sent and not by what exists. */
  remedy?: string;
  errors?: FieldErrors;
  details?: Record<string, unknown>;
  retryAfterSeconds?: number;
  headers?: Record<string, string>;
}

/** A typed refusal; `code` must be declared by the route. */
export const problem = <const C extends ProblemCode>(code: C, more: Omit<Problem<C>, 'problem'> = {}): Problem<C> => ({
  problem: code,
  ...more,
});

/** A refusal of one named field (422 unless another code is given). */
export const invalid = (field: string, ...reasons: string[]): Problem<'validation_failed'> =>
  problem('validation_failed', { errors: { [field]: reasons } });

/** Whether the value is a refusal and not a result; narrows to the refusals that the type allows. */
export const isProblem = <T>(value: T): value is Extract<T, { problem: ProblemCode }> & Problem =>
  typeof value === 'object' && value !== null && 'problem' in value;
