/** Template management of a business account. */
import { dayMs } from '../../../shared/runtime/clock.ts';
import type { Delivery } from './delivery.ts';
import { plainError, type Refusal, refuseMissingTemplate, refuseParameter, refuseTemplate } from './errors.ts';
import type { Answer } from './answer.ts';
import { refuseIssue } from './refusals.ts';
import type { Registry, Template } from './registry.ts';
import { type TemplateComponent, type TemplateRequest, templateEdit, templateRequest, upsertRequest } from './schemas.ts';
import { writtenFromLibrary } from './template-library.ts';
import { checkComponents, checkTemplate } from './template-rules.ts';

const reviewMs = 1_000;
const templatesMost = 6_000;
const success: Answer = { status: 200, body: { success: true } };
const defaultFields = ['name', 'parameter_format', 'components', 'language', 'status', 'category'];

export function createTemplates({ registry, delivery }: { registry: Registry; delivery: Delivery }) {
  /** The outcome comes by webhook: names with "reject" are refused, names with "scam" for that reason. */
  function review(template: Template): void {
    const rejected = /reject|scam/.test(template.name);
    const reason = rejected ? (template.name.includes('scam') ? 'SCAM' : 'INVALID_FORMAT') : 'NONE';
    announce(template, rejected ? 'REJECTED' : 'APPROVED', reason, reviewMs);
  }

  function announce(template: Template, event: string, reason: string, inMs: number): void {
    const number = registry.numbersOf({ waba_id: template.waba_id })[0];
    if (!number) return;
    const modern = number.webhook_version === 'v24.0';
    const value = {
      event,
      message_template_id: Number(template.id),
      message_template_name: template.name,
      // The provider writes the language with a hyphen in newer webhooks and with an underscore everywhere else.
      message_template_language: modern ? template.language.replace('_', '-') : template.language,
      reason,
      ...(modern && { message_template_category: template.category }),
      ...(modern &&
        reason === 'INVALID_FORMAT' && {
          rejection_info: {
            reason: 'The template does not meet the format rules.',
            recommendation: 'Change its text and submit it again.',
          },
        }),
    };
    delivery.addChange(
      number.phone_number_id,
      { field: 'message_template_status_update', value, template: { id: template.id, status: event, reason } },
      inMs,
    );
  }

  /** Another category in two steps: announced a day ahead, then changed, each with its webhook (provider-2026 section 4). */
  function changeCategory(template: Template, category: string, inMs: number): Template {
    const number = registry.numbersOf({ waba_id: template.waba_id })[0];
    const announced = registry.saveTemplate({ ...template, correct_category: category });
    const subject = {
      message_template_id: Number(template.id),
      message_template_name: template.name,
      message_template_language: template.language,
    };
    const at = Date.now() + inMs;
    const add = (value: object, more: object, delayMs: number) =>
      number &&
      delivery.addChange(
        number.phone_number_id,
        { field: 'template_category_update', value: { ...subject, ...value }, template: { id: template.id, ...more } },
        delayMs,
      );
    const coming = { correct_category: category, category_update_timestamp: Math.floor(at / 1_000) };
    add({ new_category: template.category, ...coming }, {}, 0);
    add({ previous_category: template.category, new_category: category }, { category }, inMs);
    return announced;
  }

  function refuseCreation(wabaId: string, request: TemplateRequest): Refusal | undefined {
    const complaint = checkTemplate(request);
    if (complaint) return complaint;
    if (registry.templateNamed(wabaId, request.name, request.language)) {
      return refuseTemplate(
        2388024,
        'Content in this language already exists',
        `There is already ${request.language} content for this template. You can create a new template and try again.`,
      );
    }
    if (registry.isNameBlocked(wabaId, request.name)) {
      return refuseTemplate(
        2388023,
        'Message template language is being deleted',
        "New content for this template can't be added while the existing content is being deleted. Try again in 4 weeks or consider creating a new message template.",
      );
    }
    if (registry.templatesOf(wabaId).length < templatesMost) return undefined;
    return refuseTemplate(2388019, 'Message template limit exceeded', 'Message templates for this account have reached their limit.');
  }

  function store(wabaId: string, request: TemplateRequest, status: string): Template {
    return registry.saveTemplate({
      waba_id: wabaId,
      name: request.name,
      language: request.language,
      category: request.category,
      status,
      parameter_format: request.parameter_format ?? 'POSITIONAL',
      components: request.category === 'AUTHENTICATION' ? request.components.map(writeOut) : request.components,
      message_send_ttl_seconds: request.message_send_ttl_seconds,
      optimization_spec: request.optimization_spec,
    });
  }

  /** Approved at once: it was reviewed when it came into the library. */
  function createFromLibrary(wabaId: string, request: TemplateRequest): Answer {
    const complaint = refuseCreation(wabaId, request);
    if (complaint) return complaint;
    const template = store(wabaId, request, 'APPROVED');
    return { status: 200, body: { id: template.id, status: template.status, category: template.category } };
  }

  return {
    announce,
    changeCategory,
    create(wabaId: string, body: unknown): Answer {
      const written = writtenFromLibrary(body);
      if (written) return 'refused' in written ? written.refused : createFromLibrary(wabaId, written.request);
      const parsed = templateRequest.safeParse(body);
      if (!parsed.success) return refuseIssue(body, parsed.error);
      const complaint = refuseCreation(wabaId, parsed.data);
      if (complaint) return complaint;
      const template = store(wabaId, parsed.data, 'PENDING');
      review(template);
      return { status: 200, body: { id: template.id, status: template.status, category: template.category } };
    },
    /** Authentication templates in many languages at once: approved without review, an existing language is replaced. */
    upsert(wabaId: string, body: unknown): Answer {
      const parsed = upsertRequest.safeParse(body);
      if (!parsed.success) return refuseIssue(body, parsed.error);
      const { languages, ...rest } = parsed.data;
      if (rest.category !== 'AUTHENTICATION') return refuseParameter('Param category must be AUTHENTICATION for upsert_message_templates.');
      const requests = languages.map((language): TemplateRequest => ({ ...rest, language }));
      const complaint = requests.map(checkTemplate).find((each) => each !== undefined);
      if (complaint) return complaint;
      const data = requests.map((request) => {
        const old = registry.templateNamed(wabaId, request.name, request.language);
        const template = old
          ? registry.saveTemplate({ ...old, components: request.components.map(writeOut), status: 'APPROVED' })
          : store(wabaId, request, 'APPROVED');
        return { id: template.id, status: template.status, language: template.language };
      });
      return { status: 200, body: { data } };
    },
    /** Filters, fields and paging by cursor; no `next` on the last page. `address`: this listing's own, without its query. */
    list(wabaId: string, query: URLSearchParams, address: string): Answer {
      const matching = registry.templatesOf(wabaId).filter((template) => matches(template, query));
      const limit = Math.min(Math.max(Number(query.get('limit') ?? 25) || 25, 1), 250);
      const after = query.get('after');
      const start = after === null ? 0 : matching.findIndex((template) => cursor(template) === after) + 1;
      if (after !== null && start === 0)
        return plainError(400, { message: '(#131059) Invalid paging cursor', type: 'OAuthException', code: 131059 });
      const page = matching.slice(start, start + limit);
      const [first, last] = [page[0], page.at(-1)];
      const rest = new URLSearchParams(query);
      rest.delete('access_token');
      if (last) rest.set('after', cursor(last));
      const hasMore = start + limit < matching.length;
      return {
        status: 200,
        body: {
          data: page.map((template) => select(template, query.get('fields'))),
          ...(first &&
            last && {
              paging: {
                cursors: { before: cursor(first), after: cursor(last) },
                ...(hasMore && { next: `${address}?${rest.toString()}` }),
              },
            }),
        },
      };
    },
    get: (template: Template, query: URLSearchParams): Answer => ({ status: 200, body: select(template, query.get('fields')) }),
    /** Replaces the components as a whole; an approved one once in 24 hours and ten times in 30 days. Goes to review again. */
    edit(template: Template, body: unknown): Answer {
      const parsed = templateEdit.safeParse(body);
      if (!parsed.success) return refuseIssue(body, parsed.error);
      const { category, components, message_send_ttl_seconds, optimization_spec } = parsed.data;
      if (!['APPROVED', 'REJECTED', 'PAUSED'].includes(template.status))
        return refuseParameter(`Message templates with status ${template.status} cannot be edited.`);
      if (category !== undefined && category !== template.category && template.status === 'APPROVED')
        return refuseParameter('The category of an approved template cannot be changed.');
      if (optimization_spec && !template.optimization_spec)
        return refuseParameter('Param optimization_spec cannot be added to an existing template.');
      const now = Date.now();
      const edits = template.edits.filter((at) => at > now - 30 * dayMs);
      const isCounted = template.status === 'APPROVED' && components !== undefined;
      if (isCounted && (edits.length >= 10 || edits.some((at) => at > now - dayMs))) {
        return refuseParameter('An approved message template can be edited once in 24 hours and 10 times in 30 days.');
      }
      const next = { ...template, category: category ?? template.category, components: components ?? template.components };
      const complaint = components && checkComponents(next);
      if (complaint) return complaint;
      const ttl = message_send_ttl_seconds ?? template.message_send_ttl_seconds;
      const spec = optimization_spec ?? template.optimization_spec;
      const edited = { edits: isCounted ? [...edits, now] : edits, edited_at: now };
      // another max price alone is not reviewed
      if (optimization_spec && category === undefined && components === undefined && message_send_ttl_seconds === undefined) {
        registry.saveTemplate({ ...next, optimization_spec, edited_at: now });
        return success;
      }
      const shown = next.category === 'AUTHENTICATION' && components ? { components: components.map(writeOut) } : {};
      review(
        registry.saveTemplate({ ...next, ...shown, ...edited, status: 'PENDING', message_send_ttl_seconds: ttl, optimization_spec: spec }),
      );
      return success;
    },
    unpause(template: Template): Answer {
      if (template.status !== 'PAUSED') return refuseParameter('Message template is not paused.');
      announce(registry.saveTemplate({ ...template, status: 'APPROVED' }), 'APPROVED', 'NONE', 0);
      return success;
    },
    /** By name: all languages. By `hsm_id` and name: one. By `hsm_ids`: up to 100. */
    delete(wabaId: string, query: URLSearchParams): Answer {
      const [name, id, ids] = [query.get('name'), query.get('hsm_id'), query.get('hsm_ids')];
      if (name === null && ids === null) return refuseParameter('The parameter name is required.');
      const wanted = new Set(ids?.match(/\d+/g) ?? (id === null ? [] : [id]));
      if (wanted.size > 100) return refuseParameter('Param hsm_ids must have at most 100 elements.');
      const found = registry
        .templatesOf(wabaId)
        .filter((template) => (wanted.size === 0 || wanted.has(template.id)) && (name === null || template.name === name));
      if (found.length === 0) return refuseMissingTemplate();
      if (found.some((template) => template.status === 'DISABLED')) return refuseParameter('Disabled message templates cannot be deleted.');
      for (const template of found) registry.deleteTemplate(template);
      return success;
    },
  };
}
export type Templates = ReturnType<typeof createTemplates>;

function matches(template: Template, query: URLSearchParams): boolean {
  const same = (key: string, value: string): boolean => {
    const wanted = query.get(key);
    return (
      wanted === null ||
      wanted
        .replace(/[[\]"]/g, '')
        .split(',')
        .some((each) => each.toUpperCase() === value.toUpperCase())
    );
  };
  const words = query.get('name_or_content')?.toLowerCase();
  const hasWords =
    words === undefined || template.name.includes(words) || template.components.some((each) => each.text?.toLowerCase().includes(words));
  return (
    hasWords &&
    same('name', template.name) &&
    same('status', template.status) &&
    same('category', template.category) &&
    same('language', template.language)
  );
}

function select(template: Template, fields: string | null): Record<string, unknown> {
  const all: Record<string, unknown> = {
    name: template.name,
    parameter_format: template.parameter_format,
    components: template.components,
    language: template.language,
    status: template.status,
    category: template.category,
    correct_category: template.correct_category,
    previous_category: template.previous_category,
    quality_score: { score: template.status === 'APPROVED' ? 'GREEN' : 'UNKNOWN', date: Math.floor(template.created_at / 1000) },
    rejected_reason: template.rejected_reason,
    last_updated_time: new Date(template.edited_at ?? template.created_at).toISOString().replace(/\.\d+Z$/, '+0000'),
    message_send_ttl_seconds: template.message_send_ttl_seconds,
    optimization_spec: template.optimization_spec,
  };
  const chosen = fields === null ? defaultFields : fields.split(',').map((field) => field.trim());
  const entries = chosen.flatMap((field): [string, unknown][] => (all[field] === undefined ? [] : [[field, all[field]]]));
  return { ...Object.fromEntries(entries), id: template.id };
}

function cursor(template: Template): string {
  return Buffer.from(template.id).toString('base64url');
}

/** The provider writes the text of authentication templates itself, and stores their button as a URL button. */
function writeOut(component: TemplateComponent): TemplateComponent {
  if (component.type === 'BODY') {
    const advice = component.add_security_recommendation ? ' For your security, do not share this code.' : '';
    return { ...component, text: `*{{1}}* is your verification code.${advice}`, example: { body_text: [['123456']] } };
  }
  if (component.type === 'FOOTER' && component.code_expiration_minutes !== undefined) {
    return { ...component, text: `This code expires in ${component.code_expiration_minutes} minutes.` };
  }
  if (component.type !== 'BUTTONS') return component;
  const buttons = component.buttons?.map((button) => {
    const kind = button.otp_type ?? 'COPY_CODE';
    const url = `https://www.whatsapp.com/otp/code/?otp_type=${kind}&code=otp{{1}}`;
    return { type: 'URL', text: button.text ?? 'Copy code', url, example: [`${url.slice(0, -5)}123456`] };
  });
  return { ...component, buttons };
}
