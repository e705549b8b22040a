import { maxBodyBytes } from '../../shared/http/decode.ts';
import { newCompany } from '../support/company.ts';
import type { ContractFixture } from './fixture.ts';
import { called, changed, type Mistakes, sendText, withFields, without } from './mistakes.ts';

const phone = '+4915123456789';
const get = (path: string) => called('GET', path);
const ofType = (type: string, body = '{"phone":"+4915123456789","message":"Hi"}') =>
  called('POST', '/api/v1/messages/text', { body: Buffer.from(body), headers: { 'content-type': type } });
const toCreate = (given: unknown) => called('POST', '/api/v1/contacts', { body: { phone: given } });
const inHours = ({ testApp }: ContractFixture, hours: number): string => new Date(testApp.clock.now() + hours * 3_600_000).toISOString();

const notFound = { status: 404, code: 'route_not_found' } as const;
const invalid = { status: 422, code: 'validation_failed' } as const;
const wrongType = { status: 415, code: 'unsupported_content_type', names: ['Content-Type: application/json'] } as const;
const countryCode = ['Write it with the country code, for example +49 151 23456789'];
const anyTime = 'Must be an ISO 8601 date and time, such as 2026-12-24T18:00:00+01:00.';

/** How a request is put together: bodies, addresses, names of fields. */
export const requestMistakes: Mistakes = {
  15: { what: 'a form in place of JSON', attempt: ofType('application/x-www-form-urlencoded', 'phone=%2B49'), ...wrongType },
  16: { what: 'no content type, which curl -d makes a form', attempt: ofType('application/x-www-form-urlencoded'), ...wrongType },
  17: { what: 'JSON as text/plain', attempt: ofType('text/plain'), ...wrongType },
  18: {
    what: 'broken JSON',
    attempt: ofType('application/json', '{"phone":"+49",}'),
    status: 400,
    code: 'invalid_json',
    names: ['not valid JSON', 'quotes, commas'],
  },
  19: {
    what: 'a list as the body',
    attempt: ofType('application/json', '[]'),
    status: 400,
    code: 'invalid_json',
    names: ['must be a JSON object'],
  },
  20: {
    what: 'an empty body',
    attempt: sendText({}),
    ...invalid,
    names: [
      'One of phone, contact_id and user_id is required.',
      'One of message, media_url, media_id and image is required.',
      '/docs/operations/sendText',
    ],
  },
  21: {
    what: 'letters in Latin-1',
    attempt: called('POST', '/api/v1/messages/text', {
      body: Buffer.from(JSON.stringify({ phone, message: 'Grüße' }), 'latin1'),
      headers: { 'content-type': 'application/json' },
    }),
    status: 400,
    code: 'invalid_json',
    names: ['The body must be UTF-8.'],
  },
  22: { what: 'a slash at the end', attempt: get('/api/v1/contacts/'), ...notFound, names: ['no slash at the end'] },
  23: { what: 'two slashes', attempt: get('/api/v1//contacts'), ...notFound, names: ['no two slashes in a row'] },
  24: { what: 'another version', attempt: get('/api/v2/contacts'), ...notFound, names: ['begin with /api/v1'] },
  25: { what: 'no /api/v1', attempt: get('/contacts'), ...notFound, names: ['begin with /api/v1'] },
  26: { what: 'upper case in the path', attempt: get('/api/v1/Contacts'), ...notFound, names: ['are in lower case'] },
  27: {
    what: 'a method that the address does not take',
    attempt: called('DELETE', '/api/v1/me'),
    status: 405,
    code: 'method_not_allowed',
    names: ['Allow header'],
    headers: { allow: /GET/ },
  },
  28: {
    what: 'PATCH where PUT is meant',
    attempt: called('PATCH', '/api/v1/webhooks/1', { body: {} }),
    status: 405,
    code: 'method_not_allowed',
    names: ['Allow header'],
    headers: { allow: /PUT/ },
  },
  29: {
    what: 'a misspelt field in place of the right one',
    attempt: sendText({ phone, mesage: 'Hi' }),
    ...invalid,
    names: ['Unknown fields: mesage (message?)', 'One of message, media_url, media_id and image is required.'],
  },
  30: {
    what: 'a misspelt option beside the right fields',
    attempt: sendText({ phone, message: 'Hi', schedule_at: '2027-01-01T00:00:00Z' }),
    status: 422,
    code: 'unknown_field',
    names: ['schedule_at', 'Did you mean scheduled_at?'],
  },
  31: {
    what: 'fields in camelCase',
    attempt: called('POST', '/api/v1/messages/template', {
      body: { templateName: 'hello_world', templateLanguage: 'en', phoneNumber: phone },
    }),
    ...invalid,
    names: [
      'templateName (template_name?)',
      'templateLanguage (template_language?)',
      'phoneNumber (phone?)',
      '"template_name":["This field is required."]',
    ],
  },
  32: {
    what: 'a query parameter that there is not',
    attempt: called('GET', '/api/v1/contacts', { query: { pagesize: 5 } }),
    status: 200,
    names: ['The query parameter pagesize is not known and was left out.'],
    headers: { 'x-unknown-fields': /pagesize/ },
  },
  33: {
    what: 'too high a limit',
    attempt: called('GET', '/api/v1/contacts', { query: { limit: 1_000 } }),
    ...invalid,
    names: ['Must be a whole number from 1 to 100.'],
  },
  34: {
    what: 'to and body, as elsewhere',
    attempt: sendText({ to: phone, body: 'Hi' }),
    ...invalid,
    names: [
      'to (phone?)',
      'body (message?)',
      'One of phone, contact_id and user_id is required.',
      'One of message, media_url, media_id and image is required.',
    ],
  },
  93: {
    what: 'the same in a query',
    attempt: called('GET', '/api/v1/messages/text', { query: { to: phone, body: 'Hi' } }),
    ...invalid,
    names: ['to (phone?)', 'body (message?)', 'One of phone, contact_id and user_id is required.'],
  },
  35: {
    what: 'a phone as it is dialled at home',
    attempt: toCreate('0151 23456789'),
    ...invalid,
    names: ['The country code is missing', ...countryCode],
  },
  36: {
    what: 'the same without a blank',
    attempt: toCreate('015123456789'),
    ...invalid,
    names: ['The country code is missing', ...countryCode],
  },
  37: { what: 'a phone without its plus', attempt: toCreate('4915123456789'), status: 200, names: ['4915123456789'] },
  38: { what: 'a phone as Twilio writes it', attempt: toCreate('whatsapp:+4915123456789'), status: 200, names: ['4915123456789'] },
  39: { what: 'a phone with (0)', attempt: toCreate('+49 (0)151 23456789'), status: 200, names: ['4915123456789'] },
  40: { what: 'a phone that is too short', attempt: toCreate('+1234'), ...invalid, names: ['8 to 15 digits', ...countryCode] },
  41: { what: 'a phone with a blank at its end', attempt: toCreate('+4915123456789 '), status: 200, names: ['4915123456789'] },
  42: { what: 'a phone in wide digits', attempt: toCreate('００４９１５１２３４５６７８９'), status: 200, names: ['4915123456789'] },
  43: { what: 'a phone as a number', attempt: toCreate(15_123_456_789), ...invalid, names: ['Must be a text: put the number in quotes.'] },
  44: {
    what: 'a time without a zone, which is the local one of the company',
    attempt: async (fixture) => {
      const { tokens } = await newCompany({ input: { timezone: 'Europe/Berlin' } });
      const day = inHours(fixture, 48).slice(0, 10);
      return called('POST', '/api/v1/messages/text', {
        token: tokens.owner,
        body: { phone, message: 'Hi', scheduled_at: `${day} 12:00:00` },
      })(fixture);
    },
    status: 200,
    names: [/"scheduled_at":"\d{4}-\d\d-\d\dT1[01]:00:00\.000000Z"/],
  },
  45: {
    what: 'a time in the past',
    attempt: (fixture) => sendText({ phone, message: 'Hi', scheduled_at: inHours(fixture, -48) })(fixture),
    ...invalid,
    names: ['Must not be in the past.'],
  },
  46: {
    what: 'a time in Unix seconds',
    attempt: sendText({ phone, message: 'Hi', scheduled_at: 1_800_000_000 }),
    ...invalid,
    names: [anyTime],
  },
  47: {
    what: 'a day that there is not',
    attempt: sendText({ phone, message: 'Hi', scheduled_at: '2027-02-31T10:00:00Z' }),
    ...invalid,
    names: [anyTime],
  },
  48: {
    what: 'the time of a task without a zone',
    attempt: changed('createTask', withFields({ due_at: '2027-03-01T09:00:00' })),
    ...invalid,
    names: ['Must be an ISO 8601 time with its offset, such as 2026-11-30T09:00:00+01:00.'],
  },
  57: {
    what: 'an Idempotency-Key with another body',
    attempt: async (fixture) => {
      const headers = { 'idempotency-key': 'order-17' };
      await sendText({ phone, message: 'One' }, { headers })(fixture);
      return sendText({ phone, message: 'Two' }, { headers })(fixture);
    },
    status: 409,
    code: 'idempotency_key_reused',
    names: ['Use a new key for a new request.'],
  },
  58: {
    what: 'an Idempotency-Key that is not ASCII',
    attempt: sendText({ phone, message: 'Hi' }, { headers: { 'idempotency-key': 'grüße' } }),
    status: 400,
    code: 'invalid_idempotency_key',
    names: ['1 to 255 printable ASCII characters'],
  },
  59: {
    what: 'a campaign to a group that there is not',
    attempt: changed('createCampaign', (given) => ({ ...without('contact_id')(given), audience_type: 'group', group_id: 999_999 })),
    ...invalid,
    names: ['"group_id":["There is no such group."]'],
  },
  60: {
    what: 'a lead without its creation_key',
    attempt: changed('createLead', without('creation_key')),
    ...invalid,
    names: ['"creation_key":["This field is required. It is a UUID that you make, a new one for each lead'],
  },
  61: {
    what: 'a body of 7 MB',
    attempt: ofType('application/json', JSON.stringify({ phone, message: 'x'.repeat(maxBodyBytes + 1_000_000) })),
    status: 413,
    code: 'payload_too_large',
    names: ['"max_bytes":6291456', 'POST /media/uploads'],
  },
};
