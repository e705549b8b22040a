import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Condition, holdsBy } from '../support/mutation.ts';
import { seedsFrom } from '../support/random.ts';
import { firstSeed, runSize } from '../support/run-size.ts';
import { startVersions, type Way } from './versions/run.ts';

/** The product's own stream consumer and dispatcher, with what a version declares: two of them run beside each other. */
vi.mock('../../functions/change-stream/registry.generated.ts', async (original) => {
  const { registries } = await import('./versions/parcels.ts');
  const { versionNow } = await import('./versions/version.ts');
  const { reactions, ...others } = await original<{ reactions: readonly object[] }>();
  return {
    ...others,
    get reactions() {
      return [...reactions, ...registries[versionNow()].reactions];
    },
  };
});
vi.mock('../../functions/due-work/registry.generated.ts', async (original) => {
  const { registries } = await import('./versions/parcels.ts');
  const { versionNow } = await import('./versions/version.ts');
  const { due } = await original<{ due: readonly object[] }>();
  return {
    get due() {
      return [...due, ...registries[versionNow()].due];
    },
  };
});
vi.mock('../../shared/table/kinds.generated.ts', async (original) => {
  const { registries } = await import('./versions/parcels.ts');
  const { versionNow } = await import('./versions/version.ts');
  const { storedKinds } = await original<{ storedKinds: readonly string[] }>();
  return {
    get storedKinds() {
      return [...storedKinds, ...registries[versionNow()].kinds];
    },
  };
});

let versions: Awaited<ReturnType<typeof startVersions>>;
beforeAll(async () => {
  versions = await startVersions();
});
afterAll(() => versions.stop());

test.each<Way>(['forward', 'back'])(
  'two versions beside each other lose nothing and do nothing twice, on the way %s',
  async (way) => {
    for (const seed of seedsFrom(firstSeed, runSize(3, 100))) expect(await versions.run(seed, way)).toEqual([]);
  },
  3_600_000,
);

const holds = (name: string, condition: Condition, expected: RegExp, way: Way): void =>
  holdsBy(name, condition, expected, 10, (round) => versions.run(1_000 + round, way));

holds(
  'that changes of a kind of another version are set aside',
  {
    in: 'functions/change-stream/service/process-changes.ts',
    replace: 'throw new OfAnotherVersion(kindOf(images));',
    by: 'continue;',
  },
  /is nowhere|is lost/,
  'back',
);
holds(
  'that a write of the whole item keeps what another version stored in it',
  {
    in: 'shared/table/item-form.ts',
    replace: '...(item as WithOtherVersions)[ofOtherVersions], ',
    by: '',
  },
  /has the weight|lost its weight/,
  'forward',
);
holds(
  'that rows of what was set aside are recounted',
  {
    in: 'functions/change-stream/service/process-changes.ts',
    replace: 'error instanceof OfAnotherVersion ? { left: deliveryParts }',
    by: 'error instanceof OfAnotherVersion ? {}',
  },
  /before the recount/,
  'back',
);
holds(
  'that due work of another version is remembered',
  { in: 'functions/due-work/service.ts', replace: 'if (!placement) left.set(', by: 'if (!placement) new Map().set(' },
  /is nowhere|is lost/,
  'back',
);
holds(
  'that a message of another version becomes a dead letter',
  { in: 'shared/queue/consume.ts', replace: 'return record.messageId;', by: 'return undefined;' },
  /is nowhere|is lost/,
  'back',
);
