import { routes } from '../contract.ts';
import { auditRoutes } from './audit.ts';
import { companyRoutes } from './company-routes.ts';
import { machineTokenRoutes } from './machine-token.ts';
import { tokenRoutes } from './token.ts';
import { usageRoutes } from './usage.ts';
import { userRoutes } from './user.ts';

/** Every operation of the account. */
export const accountRoutes = {
  ...routes,
  ...companyRoutes,
  ...userRoutes,
  ...tokenRoutes,
  ...machineTokenRoutes,
  ...usageRoutes,
  ...auditRoutes,
};
