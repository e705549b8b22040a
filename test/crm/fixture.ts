import * as z from 'zod';
import { activityRecord, leadListRecord, leadRecord, assignee } from '../../functions/crm/contract/lead.ts';
import { contactNoteRecord, noteRecord } from '../../functions/crm/contract/note.ts';
import { pipelineRecord } from '../../functions/crm/contract/pipeline.ts';
import { enrolledRecord } from '../../functions/crm/contract/preference.ts';
import { reportRecord } from '../../functions/crm/contract/report.ts';
import { taskRecord } from '../../functions/crm/contract/task.ts';
import { credentialEntity } from '../../shared/access/credential.ts';
import { tokenHash } from '../../shared/access/token.ts';
import { windowField } from '../../shared/access/window.ts';
import { pageLinks, pageMeta } from '../../shared/contract/envelope.ts';
import { type Role, roles } from '../../shared/contract/route.ts';
import { type CompanyOptions, newCompany, type TestCompany } from '../support/company.ts';
import type { Answer, Call } from '../support/gateway-event.ts';
import { type ProviderStub, startProviderStub } from '../support/provider-stub.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../support/test-app.ts';

/** The CRM through its routes, in a test app with a provider that accepts everything. */
export interface CrmFixture extends AsyncDisposable {
  testApp: TestApp;
  provider: ProviderStub;
  company: (options?: CompanyOptions) => Promise<Crm>;
  stop: () => Promise<void>;
}

/** One company's CRM. */
export interface Crm {
  company: TestCompany;
  /** As the owner unless given; not counted against the 60 a minute unless given. */
  call: (
    method: string,
    path: string,
    body?: unknown,
    as?: { role?: Role; headers?: Record<string, string>; counted?: boolean },
  ) => Promise<Answer>;
  contact: (phone?: string, name?: string) => Promise<number>;
  pipeline: (template?: 'simple' | 'sales' | 'appointments', name?: string) => Promise<z.output<typeof pipelineRecord>>;
  lead: (body: Record<string, unknown>) => Promise<z.output<typeof leadRecord>>;
  task: (leadId: number, body: Record<string, unknown>) => Promise<z.output<typeof taskRecord>>;
}

export const startFixture = async (options: TestAppOptions = {}): Promise<CrmFixture> => {
  const provider = await startProviderStub();
  const testApp = await startTestApp({ ...options, env: { PROVIDER_BASE_URL: provider.url, ...options.env } });
  const stop = async (): Promise<void> => {
    await testApp.stop();
    await provider.stop();
  };
  return {
    testApp,
    provider,
    stop,
    company: async (given) => crmOf(testApp, await newCompany({ roles, ...given })),
    [Symbol.asyncDispose]: stop,
  };
};

let keys = 0;
/** A creation key that no one used. */
export const newKey = (): string => `10000000-0000-4000-8000-${String(++keys).padStart(12, '0')}`;
let phones = 0;
export const newPhone = (): string => `4915200${String(++phones).padStart(6, '0')}`;

function crmOf(testApp: TestApp, company: TestCompany): Crm {
  const call: Crm['call'] = async (method, path, body, as = {}) => {
    const token = company.tokens[as.role ?? 'owner'];
    const at = testApp.clock.now();
    if (!as.counted)
      await credentialEntity.change({ hash: tokenHash(token) }, { remove: [windowField('crm', at), windowField('crm', at + 60_000)] });
    const call: Call = {
      method,
      path: path.startsWith('/api') ? path : `/api/v1/crm${path}`,
      token,
      ...(body === undefined ? {} : { body }),
      ...(as.headers ? { headers: as.headers } : {}),
    };
    return testApp.call(call);
  };
  return {
    company,
    call,
    contact: async (phone = newPhone(), name) => {
      const answer = await call('POST', '/api/v1/contacts', { phone: `+${phone}`, ...(name ? { name } : {}) });
      return z.object({ data: z.object({ id: z.int() }) }).parse(unwrap(answer)).data.id;
    },
    pipeline: async (template = 'simple', name) => pipelineOf(await call('POST', '/pipelines', { template, ...(name ? { name } : {}) })),
    lead: async (body) => leadOf(await call('POST', '/leads', { title: 'A roof', creation_key: newKey(), ...body })),
    task: async (leadId, body) => taskOf(await call('POST', `/leads/${leadId}/tasks`, { title: 'Call', ...body })),
  };
}

const one = <S extends z.ZodType>(data: S) => z.strictObject({ status: z.literal('success'), message: z.string().min(1), data });
const many = <S extends z.ZodType>(item: S) =>
  z.strictObject({ status: z.literal('success'), message: z.string().min(1), data: z.array(item), links: pageLinks, meta: pageMeta });

/** Records and pages of a 200, exactly in the shape of the contract. */
export const leadOf = (answer: Answer) => one(leadRecord.strict()).parse(unwrap(answer)).data;
export const leadsOf = (answer: Answer) => many(leadListRecord.strict()).parse(unwrap(answer));
export const taskOf = (answer: Answer) => one(taskRecord.strict()).parse(unwrap(answer)).data;
export const tasksOf = (answer: Answer) => many(taskRecord.strict()).parse(unwrap(answer));
export const noteOf = (answer: Answer) => one(noteRecord.strict()).parse(unwrap(answer)).data;
export const notesOf = (answer: Answer) => many(noteRecord.strict()).parse(unwrap(answer));
export const contactNotesOf = (answer: Answer) => many(contactNoteRecord.strict()).parse(unwrap(answer));
export const activitiesOf = (answer: Answer) => many(activityRecord.strict()).parse(unwrap(answer));
export const pipelineOf = (answer: Answer) => one(pipelineRecord.strict()).parse(unwrap(answer)).data;
export const pipelinesOf = (answer: Answer) => many(pipelineRecord.strict()).parse(unwrap(answer));
export const peopleOf = (answer: Answer) => one(z.array(assignee.strict())).parse(unwrap(answer)).data;
export const preferenceOf = (answer: Answer) => one(enrolledRecord.strict()).parse(unwrap(answer)).data;
export const reportOf = (answer: Answer) =>
  z
    .strictObject({
      status: z.literal('success'),
      message: z.string().min(1),
      data: reportRecord.strict(),
      links: pageLinks,
      meta: pageMeta,
    })
    .parse(unwrap(answer));

const unwrap = (answer: Answer): unknown => {
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.raw}`);
  return answer.body;
};

/** `status code`, then the fields that are named. */
export const refusalOf = (answer: Answer): [number, string, ...string[]] => {
  const { code, errors } = z
    .looseObject({ code: z.string(), errors: z.record(z.string(), z.array(z.string())).optional() })
    .parse(answer.body);
  return [answer.status, code, ...Object.keys(errors ?? {})];
};

/** Epoch milliseconds of a time on the wire. */
export const ms = (time: string | null): number => Date.parse(time ?? '');
