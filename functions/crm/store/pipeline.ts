import * as z from 'zod';
import { any, below, equals, missing } from '../../../shared/table/condition.ts';
import type { ReadPart } from '../../../shared/table/batch-get.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { normalizeName, type Pipeline } from '../domain/pipeline.ts';

const partition = (companyId: number): string => `${tenant(companyId)}#PL`;

/** The pipelines of a company, at most 20, are in one partition. */
const pipelineEntity = entity({
  name: 'pipeline',
  purpose: 'A pipeline with its stages in order',
  attributes: z.object({
    companyId: z.int(),
    id: z.int(),
    name: z.string(),
    isActive: z.boolean(),
    stages: z.array(
      z.object({ id: z.int(), name: z.string(), outcome: z.enum(['open', 'won', 'lost']), isArchived: z.literal(true).optional() }),
    ),
    createdAt: z.int(),
    updatedAt: z.int(),
  }),
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: partition(companyId), sk: sortable(id) }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  example: { pk: 'C#<company>#PL', sk: '<pipeline, 16 digits>' },
});

const pipelineNameEntity = entity({
  name: 'pipeline-name',
  purpose: "Keeps a pipeline's name unique within a company",
  attributes: z.object({ companyId: z.int(), name: z.string(), pipelineId: z.int() }),
  key: ({ companyId, name }: { companyId: number; name: string }) => ({ pk: `${tenant(companyId)}#PLN`, sk: normalizeName(name) }),
  idOf: ({ companyId, name }) => ({ companyId, name }),
  example: { pk: 'C#<company>#PLN', sk: '<name in lower case>' },
});

const registerEntity = entity({
  name: 'pipeline-register',
  purpose: 'The number of pipelines of a company, so that concurrent creations respect the limit',
  attributes: z.object({ companyId: z.int(), pipelineCount: z.int().default(0) }),
  key: ({ companyId }: { companyId: number }) => ({ pk: `${tenant(companyId)}#PLC`, sk: 'COUNT' }),
  idOf: ({ companyId }) => ({ companyId }),
  example: { pk: 'C#<company>#PLC', sk: 'COUNT' },
});

/** Oldest first. A caller that misses a new pipeline reads again, consistently. */
export const listStoredPipelines = pattern(
  { question: 'the pipelines of a company', entity: 'pipeline', by: 'Query', units: '0.5 RRU for about 8' },
  (companyId: number, options: { consistent?: boolean } = {}): Promise<Pipeline[]> =>
    pipelineEntity.collect({ pk: partition(companyId), ...options }),
);

/** The number of pipelines of a company, for who reads it with other items. */
export const pipelineCountPart = (companyId: number): ReadPart<number> => {
  const { key, parse } = registerEntity.getting({ companyId });
  return { key, parse: (raw) => parse(raw)?.pipelineCount };
};

export const getStoredPipeline = pattern(
  { question: 'a pipeline by its id', entity: 'pipeline', by: 'GetItem', units: '1 RRU' },
  (companyId: number, id: number): Promise<Pipeline | undefined> => pipelineEntity.get({ companyId, id }, { consistent: true }),
);

/** `taken`: another pipeline has the name. `changed`: it was changed since it was read. */
export const updateStoredPipeline = pattern(
  { question: 'change a pipeline, and its name if it is free', entity: 'pipeline', by: 'TransactWriteItems', units: '2 to 6 WRU' },
  async (before: Pipeline, after: Pipeline): Promise<'done' | 'taken' | 'changed'> => {
    const { companyId, id: pipelineId } = after;
    const isRenamed = normalizeName(before.name) !== normalizeName(after.name);
    const committed = await commit({
      pipeline: pipelineEntity.putting({ ...after, stages: [...after.stages] }, equals('updatedAt', before.updatedAt)),
      name: isRenamed ? pipelineNameEntity.putting({ companyId, name: after.name, pipelineId }, missing()) : undefined,
      formerName: isRenamed ? pipelineNameEntity.deleting({ companyId, name: before.name }, equals('pipelineId', pipelineId)) : undefined,
    });
    if (committed.done) return 'done';
    return committed.refused.name ? 'taken' : 'changed';
  },
);

/** `taken`: the name is in use. `full`: the limit is reached. */
export const createStoredPipeline = pattern(
  { question: 'create a pipeline, if its name is free and the limit allows', entity: 'pipeline', by: 'TransactWriteItems', units: '6 WRU' },
  async (pipeline: Pipeline, limit: number): Promise<'done' | 'taken' | 'full'> => {
    const { companyId, id, name } = pipeline;
    const committed = await commit({
      pipeline: pipelineEntity.putting({ ...pipeline, stages: [...pipeline.stages] }, missing()),
      name: pipelineNameEntity.putting({ companyId, name, pipelineId: id }, missing()),
      register: registerEntity.changing(
        { companyId },
        { add: { pipelineCount: 1 }, set: { companyId, kind: registerEntity.name } },
        any(missing('pipelineCount'), below('pipelineCount', limit)),
      ),
    });
    if (committed.done) return 'done';
    return committed.refused.register ? 'full' : 'taken';
  },
);
