import { describe, expect, test } from 'vitest';
import {
  type AutomationValues,
  automationBody,
  automationValues,
  isAutomationReady,
  isPageOrEmpty,
  isProfileReady,
  nameProblemOf,
  type ProfileValues,
  profileBody,
  profileValues,
  usernameOf,
} from '../../console/data/number-tools.ts';

/** The contract as it is, by its place: its types need those of Node, which pages do not have. */
const routesIn = async (
  file: string,
): Promise<Readonly<Record<string, { body: { safeParse: (body: unknown) => { success: boolean } } }>>> => {
  const folder = '../../functions/messaging/contract';
  return Object.assign({}, ...Object.values((await import(`${folder}/${file}.ts`)) as Record<string, object>));
};
const routes = { ...(await routesIn('number-profile')), ...(await routesIn('number-automation')) };
const takes = (operation: string, body: unknown): boolean => routes[operation]?.body.safeParse(body).success === true;

/** What the pages of a number send, and when they let it be sent. */
const profile = {
  about: 'Plants',
  address: '',
  description: '',
  email: '',
  websites: ['https://alder.example'],
  vertical: null,
  picture_url: null,
};
const before = profileValues(profile);

describe('a business profile', () => {
  test('has a field for each page that there may be, and sends those that are filled in', () => {
    expect(before.websites).toEqual(['https://alder.example', '']);
    expect(profileBody({ websites: ['', ' https://alder.example/shop '] })).toEqual({ websites: ['https://alder.example/shop'] });
    expect(profileBody({ websites: ['', ''] })).toEqual({ websites: [] });
  });

  test('sends a line of business that was chosen, and never none', () => {
    expect(profileBody({ vertical: 'RETAIL' })).toEqual({ vertical: 'RETAIL' });
    expect(profileBody({ vertical: '', about: 'Trees' })).toEqual({ about: 'Trees' });
  });

  test.each<Partial<ProfileValues>>([
    { about: 'x'.repeat(139) },
    { about: 'x'.repeat(140) },
    { about: ' ' },
    { description: 'x'.repeat(512) },
    { description: 'x'.repeat(513) },
    { address: 'x'.repeat(257) },
    { address: '' },
    { email: `${'x'.repeat(120)}@alder.example` },
    { websites: ['alder.example', ''] },
    { websites: [`https://alder.example/${'x'.repeat(250)}`, ''] },
    { websites: ['', 'http://alder.example'] },
  ])('may be sent where the API takes it, and not where it does not: %#', (changes) => {
    expect(isProfileReady({ ...before, ...changes }, before)).toBe(takes('updateNumberProfile', profileBody(changes)));
  });

  test('may be sent beside what the provider has in another form already', () => {
    const strange = { ...before, about: '', websites: ['alder.example', ''] };
    expect(isProfileReady({ ...strange, description: 'Plants' }, strange)).toBe(true);
  });

  test.each(['', '  ', 'http://a.example', 'HTTPS://a.example/b'])('takes %j as a page or none', (page) => {
    expect(isPageOrEmpty(page)).toBe(true);
  });
});

describe('ice breakers and commands', () => {
  const command = (name: string, description = 'What it is'): { name: string; description: string } => ({ name, description });

  test('have a field for each ice breaker, and empty fields and rows are not sent', () => {
    const values = automationValues({ ice_breakers: ['Hours?'], commands: [command('hours')] });
    expect(values.ice_breakers).toEqual(['Hours?', '', '', '']);
    expect(automationBody({ ice_breakers: [' ', ' Hours? ', '', ''] })).toEqual({ ice_breakers: ['Hours?'] });
    expect(automationBody({ commands: [command(' ', ''), command(' hours ', ' Open ')] })).toEqual({
      commands: [{ name: 'hours', description: 'Open' }],
    });
    expect(automationBody({})).toEqual({});
  });

  test('a name is said to be missing, of a wrong form, or another one’s', () => {
    const commands = [command('hours'), command(''), command('two words'), command('a/b'), command('Hours'), command('', '')];
    expect(commands.map((_, index) => nameProblemOf(commands, index))).toEqual([undefined, 'missing', 'form', 'form', 'double', undefined]);
  });

  test.each<AutomationValues>([
    { ice_breakers: ['x'.repeat(80)], commands: [] },
    { ice_breakers: ['x'.repeat(81)], commands: [] },
    { ice_breakers: [], commands: [command('x'.repeat(32), 'x'.repeat(256))] },
    { ice_breakers: [], commands: [command('x'.repeat(33))] },
    { ice_breakers: [], commands: [command('a', 'x'.repeat(257))] },
    { ice_breakers: [], commands: [command('a', ' ')] },
    { ice_breakers: [], commands: [command('a'), command('A')] },
    { ice_breakers: [], commands: [command('a b')] },
    { ice_breakers: [], commands: Array.from({ length: 30 }, (_, nth) => command(`c${nth}`)) },
  ])('may be sent where the API takes them, and not where it does not: %#', (values) => {
    expect(isAutomationReady(values)).toBe(takes('updateNumberAutomation', automationBody(values)));
  });
});

test('a username is written with or without @, in any case', () => {
  expect([' @Alder.Garden ', 'alder'].map(usernameOf)).toEqual(['alder.garden', 'alder']);
});
