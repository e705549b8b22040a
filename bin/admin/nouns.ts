import type { Command } from 'commander';
import { apps } from './apps.ts';
import { audit } from './audit.ts';
import { campaigns } from './campaigns.ts';
import { changes } from './changes.ts';
import { companies } from './companies.ts';
import { contacts } from './contacts.ts';
import { deadLetters } from './dead-letters.ts';
import { doctor } from './doctor.ts';
import { erpTokens, webhookTokens } from './machine-tokens.ts';
import { numbers } from './numbers.ts';
import { rates } from './rates.ts';
import { recount } from './recount.ts';
import { restore } from './restore.ts';
import { spend } from './spend.ts';
import { templates } from './templates.ts';
import { tokens } from './tokens.ts';
import { usage } from './usage.ts';
import { users } from './users.ts';
import { keys, profiles } from './verification.ts';
import { blocks, codeTemplates, whitelists } from './verification-guards.ts';

/** Every noun of the command line, in the order of its help. */
export const nouns = (): Command[] => {
  const account = [companies(), users(), tokens(), numbers(), apps(), contacts(), templates(), campaigns(), webhookTokens(), erpTokens()];
  const verification = [profiles(), keys(), codeTemplates(), whitelists(), blocks()];
  return [...account, ...verification, usage(), rates(), spend(), audit(), changes(), deadLetters(), recount(), restore(), doctor()];
};
