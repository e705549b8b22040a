import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, longest first: started last, one of them would run alone at the end. The others follow in vitest's order. */
export const longestFiles = [
  'test/flows/laptop.test.ts',
  'test/contract/faults.test.ts',
  'test/bench/figures.test.ts',
  'test/local/runner.test.ts',
  'test/contract/input.test.ts',
  'test/contract/access.test.ts',
  'test/contract/answers.test.ts',
  'test/campaigns/control.test.ts',
  'test/security/list-costs.test.ts',
  'test/admin/commands.test.ts',
  'test/wiring/built-functions.test.ts',
  'test/golden/data-folder.test.ts',
  'test/admin/closed-output.test.ts',
  'test/contacts/jobs.test.ts',
  'test/contract/fields.test.ts',
  'test/security/tenancy.test.ts',
  'test/messaging/sending.test.ts',
  'test/crm/reminders.test.ts',
  'test/admin/admin.test.ts',
  'test/crm/lists.test.ts',
  'test/security/verification-ceilings.test.ts',
  'test/security/erasure.test.ts',
  'test/changes/projections.test.ts',
  'test/admin/contacts.test.ts',
  'test/flows/campaign-process-kill.test.ts',
  'test/flows/process-kill.test.ts',
  'test/flows/contact-job-process-kill.test.ts',
  'test/verification/limits.test.ts',
  'test/webhooks/webhooks.test.ts',
  'test/messaging/pace.test.ts',
  'test/security/bodies.test.ts',
  'test/contacts/reachability.test.ts',
  'test/client/samples.test.ts',
  'test/webhooks/isolation.test.ts',
  'test/webhooks/faults.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const places = new Map(longestFiles.map((file, place) => [join(this.ctx.config.root, file), place]));
    const placeOf = ({ moduleId }: TestSpecification): number => places.get(moduleId) ?? longestFiles.length;
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
