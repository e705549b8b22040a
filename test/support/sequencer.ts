import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { durations, longestFirst } from './durations.ts';

/** Starts the files that take longest first: started last, one of them would run alone at the end. Files that were never recorded count as short. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const root = `${this.ctx.config.root}/`;
    return longestFirst(await super.sort(files), ({ moduleId }) => durations.files[moduleId.replace(root, '')] ?? 0);
  }
}
