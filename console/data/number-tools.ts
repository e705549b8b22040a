import { commandNamePattern, mostOfNumber as most } from '../../functions/messaging/domain/number-limits.ts';
import { isVertical } from '../../functions/messaging/domain/vertical.ts';
import type { Answer, Input } from './client.ts';

type Profile = Answer<'getNumberProfile'>['data'];
type Automation = Answer<'getNumberAutomation'>['data'];
export type Command = Automation['commands'][number];

/** A business profile as its form has it: a field for each page that there may be, and no line of business as an empty text. */
export type ProfileValues = Pick<Profile, 'about' | 'address' | 'description' | 'email' | 'websites'> & { vertical: string };

/** Ice breakers and commands as their form has them: a field for each ice breaker that there may be. */
export type AutomationValues = Pick<Automation, 'ice_breakers' | 'commands'>;

/** As many fields as there may be texts: those that are there, and empty ones. */
const fieldsOf = (texts: readonly string[], count: number): string[] =>
  Array.from({ length: Math.max(count, texts.length) }, (_, nth) => texts[nth] ?? '');

const filledIn = (texts: readonly string[]): string[] => texts.map((each) => each.trim()).filter((each) => each !== '');

export const profileValues = ({ about, address, description, email, websites, vertical }: Profile): ProfileValues => ({
  about,
  address,
  description,
  email,
  websites: fieldsOf(websites, most.websites),
  vertical: vertical ?? '',
});

/** What is sent of the fields that were changed. */
export const profileBody = ({ websites, vertical, ...texts }: Partial<ProfileValues>): Input<'updateNumberProfile'>['body'] => ({
  ...texts,
  ...(websites === undefined ? {} : { websites: filledIn(websites) }),
  ...(vertical !== undefined && isVertical(vertical) ? { vertical } : {}),
});

/** How long a text counts at the provider. */
export const lengthOf = (written: string): number => written.trim().length;

/** Whether a field of an address of a page is empty, or has one. */
export const isPageOrEmpty = (written: string): boolean =>
  written.trim() === '' || (/^https?:\/\//i.test(written.trim()) && URL.canParse(written.trim()));

/** The line below the name can be changed, and not taken away. */
export const isAboutGone = ({ about }: ProfileValues, before: ProfileValues): boolean => about !== before.about && about.trim() === '';

/** Whether the provider's limits let this be sent; what was not changed is not sent. */
export const isProfileReady = (values: ProfileValues, before: ProfileValues): boolean =>
  !isAboutGone(values, before) &&
  (['about', 'address', 'description', 'email'] as const).every(
    (name) => values[name] === before[name] || lengthOf(values[name]) <= most[name],
  ) &&
  values.websites.every((page, nth) => page === before.websites[nth] || (isPageOrEmpty(page) && lengthOf(page) <= most.website));

export const automationValues = ({ ice_breakers, commands }: Automation): AutomationValues => ({
  ice_breakers: fieldsOf(ice_breakers, most.iceBreakers),
  commands,
});

const nameOf = ({ name }: Command): string => name.trim();
const isEmptyRow = (command: Command): boolean => nameOf(command) === '' && command.description.trim() === '';

/** What is sent of the lists that were changed: without empty fields. */
export const automationBody = ({ ice_breakers, commands }: Partial<AutomationValues>): Input<'updateNumberAutomation'>['body'] => ({
  ...(ice_breakers === undefined ? {} : { ice_breakers: filledIn(ice_breakers) }),
  ...(commands === undefined
    ? {}
    : {
        commands: commands
          .filter((each) => !isEmptyRow(each))
          .map((each) => ({ name: nameOf(each), description: each.description.trim() })),
      }),
});

/** What is wrong with a command among the others. */
export type CommandProblem = 'missing' | 'form' | 'double';

/** What is wrong with the name of a command; undefined: nothing, or its row is empty. */
export const nameProblemOf = (commands: readonly Command[], index: number): CommandProblem | undefined => {
  const command = commands[index];
  if (command === undefined || isEmptyRow(command)) return undefined;
  const name = nameOf(command);
  if (name === '') return 'missing';
  if (!commandNamePattern.test(name)) return 'form';
  const isSame = (other: Command): boolean => nameOf(other).toLowerCase() === name.toLowerCase();
  return commands.findIndex(isSame) < index ? 'double' : undefined;
};

const isCommandReady = (commands: readonly Command[], command: Command, index: number): boolean =>
  isEmptyRow(command) ||
  (nameProblemOf(commands, index) === undefined &&
    lengthOf(command.name) <= most.commandName &&
    command.description.trim() !== '' &&
    lengthOf(command.description) <= most.commandDescription);

/** Whether the provider's limits let the lists be sent that were changed. */
export const isAutomationReady = ({ ice_breakers = [], commands = [] }: Partial<AutomationValues>): boolean =>
  ice_breakers.every((each) => lengthOf(each) <= most.iceBreaker) &&
  commands.every((command, index) => isCommandReady(commands, command, index));

/** A username as the provider takes it: without @, in lower case. */
export const usernameOf = (written: string): string => written.trim().replace(/^@/, '').toLowerCase();
