import { measureInbox } from '../inbox.ts';
import { type Scenario, withFixture } from '../scenario.ts';

const size = 100_000;

/** Deterministic in its units; not run with the tests, because filling the table takes a minute. */
export const scenario: Scenario = {
  name: 'inbox-large',
  description: `An inbox of ${size.toLocaleString('en')} conversations: views, filters, searches and counts`,
  deterministic: false,
  measure: () => withFixture((fixture) => measureInbox(fixture, size, true)),
};
