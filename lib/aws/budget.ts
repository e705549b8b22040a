import type { Stack } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Settings } from './settings.ts';

/**
 * A mail when the account has cost so much in a month, or is about to: the product is paid by use, and who uses it are the companies. AWS counts by
 * account, not by stack.
 */
export const addBudget = (stack: Stack, { stackName, monthlyBudget, alarmEmail }: Settings): void => {
  if (monthlyBudget === undefined || alarmEmail === undefined) return;
  const notify = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number): CfnBudget.NotificationWithSubscribersProperty => ({
    notification: { notificationType, comparisonOperator: 'GREATER_THAN', threshold, thresholdType: 'PERCENTAGE' },
    subscribers: [{ subscriptionType: 'EMAIL', address: alarmEmail }],
  });
  new CfnBudget(stack, 'Budget', {
    // budgets belong to the account, not to the region
    budget: {
      budgetName: `${stackName}-${stack.region}`,
      budgetType: 'COST',
      timeUnit: 'MONTHLY',
      budgetLimit: { amount: monthlyBudget, unit: 'USD' },
    },
    notificationsWithSubscribers: [notify('ACTUAL', 80), notify('ACTUAL', 100), notify('FORECASTED', 100)],
  });
};
