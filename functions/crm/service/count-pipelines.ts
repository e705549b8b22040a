import type { ReadPart } from '../../../shared/table/batch-get.ts';
import { pipelineCountPart } from '../store/pipeline.ts';

/** Pipelines of a company, archived ones included, as the plan counts them. In a file of its own, for the profile. 0.5 RRU. */
export const pipelineCountOf = (companyId: number): ReadPart<number> => pipelineCountPart(companyId);
