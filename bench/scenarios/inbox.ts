import { measureInbox } from '../inbox.ts';
import { type Scenario, withFixture } from '../scenario.ts';

const size = 600;

export const scenario: Scenario = {
  name: 'inbox',
  description: `An inbox of ${size} conversations: views, filters, searches and counts`,
  deterministic: true,
  measure: () => withFixture((fixture) => measureInbox(fixture, size)),
};
