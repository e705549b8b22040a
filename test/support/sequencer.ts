import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, longest first: started last, one of them would run alone at the end. The others follow in vitest's order. */
const longest = ['test/contract/input.test.ts'];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const root = this.ctx.config.root;
    const gone = longest.filter((file) => !existsSync(join(root, file)));
    if (gone.length > 0) throw new Error(`test/support/sequencer.ts names files that are gone: ${gone.join(', ')}.`);
    const places = new Map(longest.map((file, place) => [join(root, file), place]));
    const placeOf = ({ moduleId }: TestSpecification): number => places.get(moduleId) ?? longest.length;
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
