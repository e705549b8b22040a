import * as z from 'zod';
import { below, missing, any } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { normalizeName, type Pipeline } from '../domain/pipeline.ts';

const partition = (companyId: number): string => `${tenant(companyId)}#PL`;

/** A company's pipelines lie in one partition: at most 20. */
const pipelineEntity = entity({
  name: 'pipeline',
  purpose: 'A pipeline with its stages in order',
  attributes: z.object({
    companyId: z.int(),
    id: z.int(),
    name: z.string(),
    isActive: z.boolean(),
    stages: z.array(z.object({ id: z.int(), name: z.string(), outcome: z.enum(['open', 'won', 'lost']) })),
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
  example: { pk: 'C#<company>#PLN', sk: '<name, case folded>' },
});

const registerEntity = entity({
  name: 'pipeline-register',
  purpose: 'How many pipelines a company has, so that its limit holds also when two are made at once',
  attributes: z.object({ companyId: z.int(), pipelineCount: z.int().default(0) }),
  key: ({ companyId }: { companyId: number }) => ({ pk: `${tenant(companyId)}#PLC`, sk: 'COUNT' }),
  idOf: ({ companyId }) => ({ companyId }),
  example: { pk: 'C#<company>#PLC', sk: 'COUNT' },
});

/** In the order of their making. Right after a creation the list may be asked for, so a miss is asked again by the caller. */
export const listStoredPipelines = pattern(
  { question: 'the pipelines of a company', entity: 'pipeline', by: 'Query', units: '0.5 RRU for about 8' },
  async (companyId: number, options: { consistent?: boolean } = {}): Promise<Pipeline[]> => {
    const pipelines: Pipeline[] = [];
    let after: Record<string, unknown> | undefined;
    do {
      const page = await pipelineEntity.query({ pk: partition(companyId), after, ...options });
      pipelines.push(...page.items);
      after = page.last;
    } while (after);
    return pipelines;
  },
);

export const createStoredPipeline = pattern(
  { question: 'a new pipeline, if its name is free and the limit allows', entity: 'pipeline', by: 'TransactWriteItems', units: '6 WRU' },
  async (pipeline: Pipeline, limit: number): Promise<'done' | 'taken' | 'full'> => {
    const { companyId, id, name } = pipeline;
    const committed = await commit([
      pipelineEntity.putting({ ...pipeline, stages: [...pipeline.stages] }, missing()),
      pipelineNameEntity.putting({ companyId, name, pipelineId: id }, missing()),
      registerEntity.changing(
        { companyId },
        { add: { pipelineCount: 1 }, set: { companyId, kind: registerEntity.name } },
        any(missing('pipelineCount'), below('pipelineCount', limit)),
      ),
    ]);
    if (committed.done) return 'done';
    return committed.refused.some(({ index }) => index === 2) ? 'full' : 'taken';
  },
);
