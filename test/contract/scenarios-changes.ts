import { retrySetAsideChanges } from '../../functions/changes/service/set-aside.ts';
import { putSetAside } from '../../functions/changes/store/set-aside.ts';
import { placeDueWorkAgain } from '../../functions/dispatch/service.ts';
import { hourMs } from '../../shared/runtime/clock.ts';
import { examples } from './examples.ts';
import type { ContractFixture } from './fixture.ts';
import type { Scenario } from './scenarios.ts';

/** What an operator does: changes that were set aside are carried out after all, and work of a resumed company is placed again. */
export const changeScenarios: readonly Scenario[] = [
  { route: 'createTag', title: 'while a change that was set aside is carried out', example: createTag, next: retryChange },
  {
    route: 'createTag',
    title: 'while the work of a resumed company is placed again',
    example: createTag,
    next: async ({ testApp: world, company }) => {
      await placeDueWorkAgain(company.id, world.clock.now() - hourMs);
      await world.tick('every-minute');
    },
  },
];

function createTag(stage: ContractFixture) {
  const example = examples['createTag'];
  if (!example) throw new Error('createTag has no example.');
  return example(stage);
}

/** The change of a record to which nothing reacts. */
async function retryChange({ testApp: world, company }: ContractFixture): Promise<void> {
  const eventId = 'a-change-that-was-set-aside';
  const item = { pk: { S: `C#${company.id}#STRANGE` }, sk: { S: '1' }, kind: { S: 'strange' } };
  const dynamodb = { Keys: { pk: item.pk, sk: item.sk }, NewImage: item, SequenceNumber: '1', StreamViewType: 'NEW_AND_OLD_IMAGES' };
  const record = JSON.stringify({ eventID: eventId, eventName: 'INSERT', dynamodb });
  await putSetAside({ eventId, of: 'strange', error: 'Error', record, at: world.clock.now() });
  await world.drain({ retry: false, only: 'changes' });
  await retrySetAsideChanges(eventId);
}
