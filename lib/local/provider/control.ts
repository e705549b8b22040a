/** The local control routes under `/_local/provider`: for people and tests, not part of the provider's interface. */
import * as z from 'zod';
import { type Billing, billingSettings } from './billing.ts';
import type { Delivery } from './delivery.ts';
import { type Faults, faultSettings } from './faults.ts';
import { messageId, phoneDigits } from './identifiers.ts';
import { type InboundMessages, inboundRequest } from './inbound.ts';
import { endHolds, holdEnd } from './holds.ts';
import type { Ledger } from './ledger.ts';
import type { Answer } from './answer.ts';
import { appIdOf, type Registry, registration } from './registry.ts';
import { appRegistration, type Signup } from './signup.ts';
import { optimizationSpec, templateComponent } from './schemas.ts';
import type { Templates } from './templates.ts';
import { phoneChange, type Users, userSettings } from './users.ts';
import { numberValue, seconds } from './webhooks.ts';

const prefix = '/_local/provider/';

const templateList = z.object({
  waba_id: z.union([z.string(), z.number()]).transform(String),
  /** Notifies the product by webhook when the status of a known template changes. */
  notify: z.boolean().default(false),
  templates: z.array(
    z.object({
      id: z
        .string()
        .regex(/^\d{1,16}$/, 'must be digits')
        .optional(),
      name: z.string().min(1),
      language: z.string().min(2),
      category: z.string().toUpperCase(),
      status: z.string().toUpperCase().default('APPROVED'),
      components: z.array(templateComponent),
      optimization_spec: optimizationSpec.optional(),
      parameter_format: z.string().toUpperCase().default('POSITIONAL'),
    }),
  ),
});

const categoryChange = z.object({
  waba_id: z.union([z.string(), z.number()]).transform(String),
  name: z.string().min(1),
  language: z.string().min(2),
  category: z.string().toUpperCase(),
  /** From the announcement to the change; a day unless given. */
  in_seconds: z.number().nonnegative().default(86_400),
});

export function createControl(parts: {
  signup: Signup;
  ledger: Ledger;
  registry: Registry;
  users: Users;
  faults: Faults;
  delivery: Delivery;
  templates: Templates;
  inbound: InboundMessages;
  billing: Billing;
}) {
  const { signup, ledger, registry, users, faults, delivery, templates, inbound, billing } = parts;

  function listMessages(query: URLSearchParams): Answer {
    const phone = query.get('phone');
    const company = query.get('company_id');
    const limit = query.get('limit');
    const after = query.get('after');
    if (limit !== null && !/^\d+$/.test(limit)) return refuse('limit', 'must be a whole number');
    const found = ledger.list({
      ...(phone !== null && { to: phoneDigits(phone) ?? phone }),
      ...(company !== null && { phoneNumberIds: registry.numbersOf({ company_id: company }).map((each) => each.phone_number_id) }),
      ...(limit !== null && { limit: Number(limit) }),
      ...(after !== null && { after }),
    });
    return {
      status: 200,
      body: { data: found.data, ...(limit !== null && found.after && { paging: { cursors: { after: found.after } } }) },
    };
  }

  /** What the provider charges a company for what was delivered, to the micro-unit. */
  function getBill(query: URLSearchParams): Answer {
    const company = query.get('company');
    if (company === null) return refuse('company', 'is the id of a company');
    const numbers = registry.numbersOf({ company_id: company }).map((each) => each.phone_number_id);
    return { status: 200, body: { data: billing.bill(numbers) } };
  }

  /** Posts the tier that each market and category of a company has reached this month, as the provider does when one is crossed. */
  function postTiers(body: unknown): Answer {
    return parse(z.object({ company_id: z.coerce.string() }), body, ({ company_id }) => {
      const numbers = registry.numbersOf({ company_id });
      const tiers = billing.tiersReached(numbers.map((each) => each.phone_number_id));
      const [number] = numbers;
      for (const volume_tier_info of number ? tiers : [])
        delivery.addChange(number?.phone_number_id ?? '', {
          field: 'account_update',
          value: { event: 'VOLUME_BASED_PRICING_TIER_UPDATE', volume_tier_info },
        });
      return tiers;
    });
  }

  function putNumber(body: unknown): Answer {
    return parse(registration, body, (number) => {
      const before = registry.number(number.phone_number_id);
      const { subscribed, override_url, phone_override_url, app_fields, pin, registered_at } = before ?? {};
      const saved = registry.saveNumber({ app_fields, ...number, subscribed, override_url, phone_override_url, pin, registered_at });
      const { app_secret, webhook_url, app_fields: fields } = saved;
      for (const other of registry.numbersOf({ app_id: appIdOf(saved) }))
        registry.saveNumber({ ...other, app_secret, webhook_url, ...(fields && { app_fields: fields }) });
      delivery.poke();
      return saved;
    });
  }

  function putTemplates(body: unknown): Answer {
    return parse(templateList, body, ({ waba_id, templates: wanted, notify }) =>
      wanted.map((each) => {
        const old = registry.templateNamed(waba_id, each.name, each.language);
        const { id: _, ...rest } = each;
        const id = old?.id ?? each.id;
        const saved = registry.saveTemplate({ ...old, ...rest, waba_id, ...(id !== undefined && { id }) });
        if (notify && old && old.status !== saved.status) templates.announce(saved, saved.status, 'NONE', 0);
        return saved;
      }),
    );
  }

  function changeCategory(body: unknown): Answer {
    const parsed = categoryChange.safeParse(body);
    if (!parsed.success) return refuseIssue(parsed.error);
    const { waba_id, name, language, category, in_seconds } = parsed.data;
    const template = registry.templateNamed(waba_id, name, language);
    return template
      ? { status: 200, body: { data: templates.changeCategory(template, category, in_seconds * 1_000) } }
      : refuse('name', 'is no template of this account');
  }

  function putFaults(body: unknown): Answer {
    return parse(faultSettings, body ?? {}, (settings) => {
      faults.set(settings);
      delivery.releaseHeld();
      return settings;
    });
  }

  function postInbound(body: unknown): Answer {
    const parsed = inboundRequest.safeParse(body);
    if (!parsed.success) return refuseIssue(parsed.error);
    const answer = inbound.write(parsed.data);
    return 'wamid' in answer ? { status: 200, body: { data: answer } } : refuse(answer.field, answer.message);
  }

  function putUser(body: unknown): Answer {
    const parsed = userSettings.safeParse(body);
    if (!parsed.success) return refuseIssue(parsed.error);
    const refused = users.set(parsed.data);
    return refused ? refuse(refused.field, refused.message) : { status: 200, body: { data: parsed.data } };
  }

  function changePhone(body: unknown): Answer {
    return parse(phoneChange, body, (change) => {
      const at = Date.now();
      const notices = users.changePhone(change, at);
      for (const { number, message } of notices) {
        const messages = [{ id: messageId(change.to, 'inbound'), timestamp: seconds(at), ...message }];
        delivery.addChange(number.phone_number_id, { field: 'messages', value: { ...numberValue(number), messages } });
      }
      return { notified: notices.map(({ number }) => number.phone_number_id) };
    });
  }

  /** `path` may carry a query. Undefined: not a route of the provider. */
  return (method: string, path: string, body: unknown): Answer | undefined => {
    const url = new URL(path, 'http://localhost');
    if (!url.pathname.startsWith(prefix)) return undefined;
    switch (`${method} ${url.pathname.slice(prefix.length)}`) {
      case 'GET messages':
        return listMessages(url.searchParams);
      case 'GET bill':
        return getBill(url.searchParams);
      case 'POST tiers':
        return postTiers(body);
      case 'PUT billing':
        return parse(billingSettings, body ?? {}, (settings) => {
          billing.set(settings);
          return settings;
        });
      case 'GET receipts':
        return { status: 200, body: { data: ledger.receipts() } };
      case 'POST inbound':
        return postInbound(body);
      case 'PUT faults':
        return putFaults(body);
      case 'POST pacing':
        return parse(holdEnd, body ?? {}, (end) => ({ ...end, messages: endHolds({ ledger, delivery }, end) }));
      case 'GET faults':
        return { status: 200, body: { data: faults.settings(), held: delivery.heldCount() } };
      case 'GET webhooks':
        return { status: 200, body: { data: delivery.records(), meta: delivery.totals() } };
      case 'PUT numbers':
        return putNumber(body);
      case 'GET numbers':
        return {
          status: 200,
          body: { data: registry.numbersOf({}).map((number) => ({ ...number, access_token: undefined, app_secret: undefined })) },
        };
      case 'PUT users':
        return putUser(body);
      case 'GET users':
        return { status: 200, body: { data: users.list() } };
      case 'POST users/phone':
        return changePhone(body);
      case 'PUT apps':
        return parse(appRegistration, body, ({ app_secret: _, ...app }) => signup.save({ ...app, app_secret: _ }) && app);
      case 'PUT templates':
        return putTemplates(body);
      case 'POST templates/category':
        return changeCategory(body);
      default:
        return undefined;
    }
  };
}

function parse<T extends z.ZodType>(schema: T, body: unknown, act: (value: z.output<T>) => unknown): Answer {
  const parsed = schema.safeParse(body);
  return parsed.success ? { status: 200, body: { data: act(parsed.data) } } : refuseIssue(parsed.error);
}

function refuseIssue(error: z.ZodError): Answer {
  const issue = error.issues[0];
  const field = issue?.code === 'unrecognized_keys' ? issue.keys[0] : issue?.path.map(String).join('.');
  return refuse(field || 'body', issue?.message ?? 'is not valid');
}

function refuse(field: string, message: string): Answer {
  return { status: 400, body: { error: { code: 'invalid_field', field, message: `${field}: ${message}` } } };
}
