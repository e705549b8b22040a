import { meRoutes } from '../../account/contract/me.ts';
import { auditRoutes } from '../../account/contract/audit.ts';
import { companyRoutes } from './company-settings.ts';
import { machineTokenRoutes } from '../../account/contract/machine-token.ts';
import { tokenRoutes } from '../../account/contract/token.ts';
import { usageRoutes } from './usage.ts';
import { summaryRoutes } from '../../summaries/contract/routes.ts';
import { userRoutes } from '../../account/contract/user.ts';

/** Every operation of the account. */
export const accountRoutes = {
  ...meRoutes,
  ...summaryRoutes,
  ...companyRoutes,
  ...userRoutes,
  ...tokenRoutes,
  ...machineTokenRoutes,
  ...usageRoutes,
  ...auditRoutes,
};
