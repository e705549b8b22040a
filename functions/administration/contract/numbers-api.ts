import { numberAutomationRoutes } from '../../messaging/contract/number-automation.ts';
import { numberLinkRoutes } from '../../messaging/contract/number-link.ts';
import { numberProfileRoutes } from '../../messaging/contract/number-profile.ts';
import { numberUsernameRoutes } from '../../messaging/contract/number-username.ts';
import { appRoutes } from './apps.ts';
import { numberRoutes } from './numbers.ts';
import { signupRoutes } from './signup.ts';

/** All that one function answers of business numbers: themselves, their tools at the provider, and the apps and signups by which they come. */
export const numbersApiRoutes = {
  ...numberRoutes,
  ...numberLinkRoutes,
  ...numberProfileRoutes,
  ...numberUsernameRoutes,
  ...numberAutomationRoutes,
  ...appRoutes,
  ...signupRoutes,
};
