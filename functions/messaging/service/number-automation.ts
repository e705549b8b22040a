import { isProblem } from '../../../shared/contract/problems.ts';
import { recordProviderChange } from '../../account/service/numbers.ts';
import type { NumberAutomation, NumberAutomationChanges } from '../contract/number-automation.ts';
import { getAutomation, type ProviderAutomation, setAutomation } from '../gateway/number-automation.ts';
import { answerOf, type NumberToolProblem, type RequestTime, requireBusinessNumber } from './number-tools.ts';

/** The ice breakers and commands of a number, as the provider has them. */
export const getNumberAutomation = async (companyId: number, id: number): Promise<NumberAutomation | NumberToolProblem> => {
  const number = await requireBusinessNumber(companyId, id);
  if (isProblem(number)) return number;
  const set = answerOf(await getAutomation(number));
  return isProblem(set) ? set : toNumberAutomation(set);
};

/** Replaces the given lists, and leaves the other as the provider has it. */
export const updateNumberAutomation = async (
  companyId: number,
  id: number,
  { ice_breakers, commands }: NumberAutomationChanges,
  { startedAt }: RequestTime,
): Promise<NumberAutomation | NumberToolProblem> => {
  const number = await requireBusinessNumber(companyId, id);
  if (isProblem(number)) return number;
  const before = answerOf(await getAutomation(number));
  if (isProblem(before)) return before;
  const after = {
    prompts: ice_breakers ?? before.prompts,
    commands: commands?.map(({ name, description }) => ({ command_name: name, command_description: description })) ?? before.commands,
  };
  const set = answerOf(await setAutomation(number, after));
  if (isProblem(set)) return set;
  await recordProviderChange(number, 'ice breakers and commands changed', startedAt);
  return toNumberAutomation(after);
};

const toNumberAutomation = ({ prompts, commands }: ProviderAutomation): NumberAutomation => ({
  ice_breakers: prompts,
  commands: commands.map(({ command_name: name, command_description: description }) => ({ name, description })),
});
