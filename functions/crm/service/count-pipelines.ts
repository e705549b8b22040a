import { getPipelineCount } from '../store/pipeline.ts';

/** Pipelines of a company, archived ones included, as the plan counts them. In a file of its own, for the profile. 0.5 RRU. */
export const countPipelines = (companyId: number): Promise<number> => getPipelineCount(companyId);
