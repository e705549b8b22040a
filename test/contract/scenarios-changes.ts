import { retrySetAsideChanges } from '../../functions/change-stream/service/set-aside.ts';
import { putSetAside } from '../../functions/change-stream/store/set-aside.ts';
import { placeDueWorkAgain } from '../../functions/due-work/service.ts';
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
    next: async ({ testApp, company }) => {
      await placeDueWorkAgain(company.id, testApp.clock.now() - hourMs);
      await testApp.tick('every-minute');
    },
  },
];

function createTag(fixture: ContractFixture) {
  const example = examples['createTag'];
  if (!example) throw new Error('createTag has no example.');
  return example(fixture);
}

/** The change of a record to which nothing reacts. */
async function retryChange({ testApp, company }: ContractFixture): Promise<void> {
  const eventId = 'a-change-that-was-set-aside';
  const item = { pk: { S: `C#${company.id}#STRANGE` }, sk: { S: '1' }, kind: { S: 'strange' } };
  const dynamodb = { Keys: { pk: item.pk, sk: item.sk }, NewImage: item, SequenceNumber: '1', StreamViewType: 'NEW_AND_OLD_IMAGES' };
  const record = JSON.stringify({ eventID: eventId, eventName: 'INSERT', dynamodb });
  await putSetAside({ eventId, of: 'strange', error: 'Error', record, at: testApp.clock.now() });
  await testApp.drain({ retry: false, only: 'changes' });
  await retrySetAsideChanges(eventId);
}
