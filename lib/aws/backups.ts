import { Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupSelection, BackupVault } from 'aws-cdk-lib/aws-backup';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Settings } from './settings.ts';
import type { TableWithStream } from './table.ts';

/** The account's own recovery reaches back further; these are there to be copied. */
const daysBeforeCopy = Duration.days(7);

/**
 * A daily backup of the table, copied into a vault in another region or account: point-in-time recovery goes with the account. The account
 * must have full management of DynamoDB by AWS Backup switched on, without which nothing is copied (docs/operate.md):
 * https://docs.aws.amazon.com/aws-backup/latest/devguide/advanced-ddb-backup.html
 */
export const addBackups = (stack: Stack, { stackName, backupVaultArn, backupDays, keepData }: Settings, table: TableWithStream): void => {
  if (backupVaultArn === undefined) return;
  const backupVault = new BackupVault(stack, 'BackupVault', {
    backupVaultName: stackName,
    removalPolicy: keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  });
  const plan = new BackupPlan(stack, 'BackupPlan', { backupPlanName: stackName });
  plan.addRule(
    new BackupPlanRule({
      ruleName: 'daily',
      backupVault,
      scheduleExpression: Schedule.cron({ hour: '3', minute: '0' }),
      deleteAfter: daysBeforeCopy,
      copyActions: [
        {
          destinationBackupVault: BackupVault.fromBackupVaultArn(stack, 'CopyVault', backupVaultArn),
          deleteAfter: Duration.days(backupDays),
        },
      ],
    }),
  );
  const role = new Role(stack, 'BackupRole', {
    assumedBy: new ServicePrincipal('backup.amazonaws.com', { conditions: { StringEquals: { 'aws:SourceAccount': stack.account } } }),
    managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(`service-role/${backupPolicy}`)],
  });
  new BackupSelection(stack, 'BackupSelection', { backupPlan: plan, role, resources: [BackupResource.fromArn(table.tableArn)] });
};

/** AWS extends it with the service; AWS Backup alone assumes the role. */
export const backupPolicy = 'AWSBackupServiceRolePolicyForBackup';
