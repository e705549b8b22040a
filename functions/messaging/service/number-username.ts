import { isProblem } from '../../../shared/contract/problems.ts';
import { recordProviderChange } from '../../account/service/numbers.ts';
import type { NumberUsername, NumberUsernameInput } from '../contract/number-username.ts';
import { deleteUsername, getUsername, type ProviderUsername, setUsername } from '../gateway/number-username.ts';
import { answerOf, type NumberToolProblem, type RequestTime, requireBusinessNumber } from './number-tools.ts';

/** The username of a number, as the provider has it. */
export const getNumberUsername = async (companyId: number, id: number): Promise<NumberUsername | NumberToolProblem> => {
  const number = await requireBusinessNumber(companyId, id);
  if (isProblem(number)) return number;
  const username = answerOf(await getUsername(number));
  return isProblem(username) ? username : toNumberUsername(username);
};

/** Reserves a username at the provider, in place of the one that the number has. */
export const setNumberUsername = async (
  companyId: number,
  id: number,
  { username, take_over: isTakeover }: NumberUsernameInput,
  { startedAt }: RequestTime,
): Promise<NumberUsername | NumberToolProblem> => {
  const number = await requireBusinessNumber(companyId, id);
  if (isProblem(number)) return number;
  const set = answerOf(await setUsername(number, username, isTakeover));
  if (isProblem(set)) return set;
  await recordProviderChange(number, `username ${username}`, startedAt);
  return toNumberUsername({ ...set, username });
};

/** The number has no username then; repeating it changes nothing more. */
export const deleteNumberUsername = async (
  companyId: number,
  id: number,
  { startedAt }: RequestTime,
): Promise<NumberUsername | NumberToolProblem> => {
  const number = await requireBusinessNumber(companyId, id);
  if (isProblem(number)) return number;
  const deleted = answerOf(await deleteUsername(number));
  if (isProblem(deleted)) return deleted;
  await recordProviderChange(number, 'username deleted', startedAt);
  return toNumberUsername({});
};

const toNumberUsername = ({ username, status }: ProviderUsername): NumberUsername =>
  username === undefined ? { username: null, status: null } : { username, status: status === 'approved' ? 'approved' : 'reserved' };
